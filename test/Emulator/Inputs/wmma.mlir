// C = A B^T for 16x16 matrices of f16, by one warp. A and B are copied to shared memory,
// C comes back through it.
module {
  gpu.module @kernels [#nvvm.target<chip = "sm_90", features = "+ptx80", O = 3>] {
    llvm.mlir.global internal @factors() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<512 x f16>
    llvm.mlir.global internal @sums() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<256 x f32>

    llvm.func @product(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %c: !llvm.ptr<1>) attributes {nvvm.kernel} {
      %c8 = llvm.mlir.constant(8 : i32) : i32
      %stride = llvm.mlir.constant(16 : i32) : i32
      %zero = llvm.mlir.constant(0.0 : f32) : f32
      %lane = nvvm.read.ptx.sreg.laneid : i32
      %first = llvm.mul %lane, %c8 : i32
      %sa = llvm.mlir.addressof @factors : !llvm.ptr<3>
      %sb = llvm.getelementptr %sa[256] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f16
      %sc = llvm.mlir.addressof @sums : !llvm.ptr<3>
      %ga = llvm.getelementptr %a[%first] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
      %gb = llvm.getelementptr %b[%first] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
      %la = llvm.getelementptr %sa[%first] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f16
      %lb = llvm.getelementptr %sb[%first] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f16
      %va = llvm.load %ga : !llvm.ptr<1> -> vector<8xf16>
      %vb = llvm.load %gb : !llvm.ptr<1> -> vector<8xf16>
      llvm.store %va, %la : vector<8xf16>, !llvm.ptr<3>
      llvm.store %vb, %lb : vector<8xf16>, !llvm.ptr<3>
      nvvm.barrier
      %fa = nvvm.wmma.load %sa, %stride {eltype = #nvvm.mma_type<f16>, frag = #nvvm.mma_frag<a>, k = 16 : i32, layout = #nvvm.mma_layout<row>, m = 16 : i32, n = 16 : i32} : (!llvm.ptr<3>) -> !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %fb = nvvm.wmma.load %sb, %stride {eltype = #nvvm.mma_type<f16>, frag = #nvvm.mma_frag<b>, k = 16 : i32, layout = #nvvm.mma_layout<col>, m = 16 : i32, n = 16 : i32} : (!llvm.ptr<3>) -> !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %a0 = llvm.extractvalue %fa[0] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %a1 = llvm.extractvalue %fa[1] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %a2 = llvm.extractvalue %fa[2] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %a3 = llvm.extractvalue %fa[3] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %a4 = llvm.extractvalue %fa[4] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %a5 = llvm.extractvalue %fa[5] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %a6 = llvm.extractvalue %fa[6] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %a7 = llvm.extractvalue %fa[7] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %b0 = llvm.extractvalue %fb[0] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %b1 = llvm.extractvalue %fb[1] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %b2 = llvm.extractvalue %fb[2] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %b3 = llvm.extractvalue %fb[3] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %b4 = llvm.extractvalue %fb[4] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %b5 = llvm.extractvalue %fb[5] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %b6 = llvm.extractvalue %fb[6] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %b7 = llvm.extractvalue %fb[7] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %d = nvvm.wmma.mma %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7, %zero, %zero, %zero, %zero, %zero, %zero, %zero, %zero {eltypeA = #nvvm.mma_type<f16>, eltypeB = #nvvm.mma_type<f32>, k = 16 : i32, layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, m = 16 : i32, n = 16 : i32} : (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, f32, f32, f32, f32, f32, f32, f32, f32) -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      %d4 = llvm.extractvalue %d[4] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      %d5 = llvm.extractvalue %d[5] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      %d6 = llvm.extractvalue %d[6] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      %d7 = llvm.extractvalue %d[7] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      nvvm.wmma.store %sc, %stride, %d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7 {eltype = #nvvm.mma_type<f32>, k = 16 : i32, layout = #nvvm.mma_layout<row>, m = 16 : i32, n = 16 : i32} : !llvm.ptr<3>, f32, f32, f32, f32, f32, f32, f32, f32
      nvvm.barrier
      %lc = llvm.getelementptr %sc[%first] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
      %gc = llvm.getelementptr %c[%first] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      %vc = llvm.load %lc : !llvm.ptr<3> -> vector<8xf32>
      llvm.store %vc, %gc : vector<8xf32>, !llvm.ptr<1>
      llvm.return
    }
  }
}
