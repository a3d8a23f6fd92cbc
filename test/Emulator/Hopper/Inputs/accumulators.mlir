// One warpgroup multiplies a 64x16 matrix of ones by a 16x8 one, in several ways. Operands are
// K-major without a swizzle and written by the threads themselves.
gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx86", O = 3>] {
  llvm.mlir.global internal @a() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<1024 x f16>
  llvm.mlir.global internal @b() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<128 x f16>

  // out = c + A B, with element i of a thread of c 100 + i, or A B - A B, as `which` is 0 or not.
  llvm.func @products(%out: !llvm.ptr<1>, %which: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>} {
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    %c128 = arith.constant 128 : i32
    %c1024 = arith.constant 1024 : i32
    %field = arith.constant 16383 : i32
    %one = arith.constant 1.0 : f16
    %a = llvm.mlir.addressof @a : !llvm.ptr<3>
    %b = llvm.mlir.addressof @b : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    scf.for %i = %tid to %c1024 step %c128 : i32 {
      %to = llvm.getelementptr %a[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f16
      llvm.store %one, %to : f16, !llvm.ptr<3>
    }
    %bto = llvm.getelementptr %b[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f16
    llvm.store %one, %bto : f16, !llvm.ptr<3>
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    nvvm.barrier

    // Chunks of eight rows are 128 bytes apart, the halves of k 1024 bytes (A) and 128 bytes (B).
    %high_a = arith.constant 34363932672 : i64
    %high_b = arith.constant 34360262656 : i64
    %int_a = llvm.ptrtoint %a : !llvm.ptr<3> to i32
    %int_b = llvm.ptrtoint %b : !llvm.ptr<3> to i32
    %start_a = arith.shrui %int_a, %c4 : i32
    %start_b = arith.shrui %int_b, %c4 : i32
    %low_a = arith.andi %start_a, %field : i32
    %low_b = arith.andi %start_b, %field : i32
    %wide_a = arith.extui %low_a : i32 to i64
    %wide_b = arith.extui %low_b : i32 to i64
    %da = arith.ori %wide_a, %high_a : i64
    %db = arith.ori %wide_b, %high_b : i64

    // c, made element by element.
    %e0 = arith.constant 100.0 : f32
    %e1 = arith.constant 101.0 : f32
    %e2 = arith.constant 102.0 : f32
    %e3 = arith.constant 103.0 : f32
    %u = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>
    %i0 = llvm.insertvalue %e0, %u[0] : !llvm.struct<(f32, f32, f32, f32)>
    %i1 = llvm.insertvalue %e1, %i0[1] : !llvm.struct<(f32, f32, f32, f32)>
    %i2 = llvm.insertvalue %e2, %i1[2] : !llvm.struct<(f32, f32, f32, f32)>
    %c = llvm.insertvalue %e3, %i2[3] : !llvm.struct<(f32, f32, f32, f32)>
    %none = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>

    nvvm.wgmma.fence.aligned
    %added = nvvm.wgmma.mma_async %da, %db, %c, #nvvm.shape<m = 64, n = 8, k = 16>,
      D [<f32>, <one>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>]
      : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
    %alone = nvvm.wgmma.mma_async %da, %db, %none, #nvvm.shape<m = 64, n = 8, k = 16>,
      D [<f32>, <zero>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>]
      : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
    %taken = nvvm.wgmma.mma_async %da, %db, %alone, #nvvm.shape<m = 64, n = 8, k = 16>,
      D [<f32>, <one>], A [<f16>, <neg>, <row>], B [<f16>, <one>, <col>]
      : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
    nvvm.wgmma.commit.group.sync.aligned
    %is_zero = arith.cmpi eq, %which, %c0 : i32
    %chosen = llvm.select %is_zero, %added, %taken : i1, !llvm.struct<(f32, f32, f32, f32)>
    %f0 = llvm.extractvalue %chosen[0] : !llvm.struct<(f32, f32, f32, f32)>
    %f1 = llvm.extractvalue %chosen[1] : !llvm.struct<(f32, f32, f32, f32)>
    %f2 = llvm.extractvalue %chosen[2] : !llvm.struct<(f32, f32, f32, f32)>
    %f3 = llvm.extractvalue %chosen[3] : !llvm.struct<(f32, f32, f32, f32)>
    %r = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.wait_group.sync.aligned 0;",
      "=f,=f,=f,=f,0,1,2,3" %f0, %f1, %f2, %f3 : (f32, f32, f32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    %r0 = llvm.extractvalue %r[0] : !llvm.struct<(f32, f32, f32, f32)>
    %r1 = llvm.extractvalue %r[1] : !llvm.struct<(f32, f32, f32, f32)>
    %r2 = llvm.extractvalue %r[2] : !llvm.struct<(f32, f32, f32, f32)>
    %r3 = llvm.extractvalue %r[3] : !llvm.struct<(f32, f32, f32, f32)>
    %all = vector.from_elements %r0, %r1, %r2, %r3 : vector<4xf32>
    %to = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>
    llvm.store %all, %to : vector<4xf32>, !llvm.ptr<1>
    llvm.return
  }

  // A second product on top of the first, whose elements the threads read in between.
  llvm.func @again(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>} {
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    %c128 = arith.constant 128 : i32
    %c1024 = arith.constant 1024 : i32
    %field = arith.constant 16383 : i32
    %one = arith.constant 1.0 : f16
    %a = llvm.mlir.addressof @a : !llvm.ptr<3>
    %b = llvm.mlir.addressof @b : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    scf.for %i = %tid to %c1024 step %c128 : i32 {
      %to = llvm.getelementptr %a[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f16
      llvm.store %one, %to : f16, !llvm.ptr<3>
    }
    %bto = llvm.getelementptr %b[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f16
    llvm.store %one, %bto : f16, !llvm.ptr<3>
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    nvvm.barrier
    %high_a = arith.constant 34363932672 : i64
    %high_b = arith.constant 34360262656 : i64
    %int_a = llvm.ptrtoint %a : !llvm.ptr<3> to i32
    %int_b = llvm.ptrtoint %b : !llvm.ptr<3> to i32
    %start_a = arith.shrui %int_a, %c4 : i32
    %start_b = arith.shrui %int_b, %c4 : i32
    %low_a = arith.andi %start_a, %field : i32
    %low_b = arith.andi %start_b, %field : i32
    %wide_a = arith.extui %low_a : i32 to i64
    %wide_b = arith.extui %low_b : i32 to i64
    %da = arith.ori %wide_a, %high_a : i64
    %db = arith.ori %wide_b, %high_b : i64
    %zero = llvm.mlir.zero : !llvm.struct<(f32, f32, f32, f32)>
    nvvm.wgmma.fence.aligned
    %first = nvvm.wgmma.mma_async %da, %db, %zero, #nvvm.shape<m = 64, n = 8, k = 16>,
      D [<f32>, <one>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>]
      : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 0
    %early = llvm.extractvalue %first[0] : !llvm.struct<(f32, f32, f32, f32)>
    nvvm.wgmma.fence.aligned // second
    %second = nvvm.wgmma.mma_async %da, %db, %first, #nvvm.shape<m = 64, n = 8, k = 16>,
      D [<f32>, <one>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>]
      : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 0 // last
    %late = llvm.extractvalue %second[3] : !llvm.struct<(f32, f32, f32, f32)>
    %sum = arith.addf %early, %late : f32
    %to = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %sum, %to : f32, !llvm.ptr<1>
    llvm.return
  }
}
