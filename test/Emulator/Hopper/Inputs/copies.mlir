// Kernels that show what one bulk tensor copy does.
gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx86", O = 3>] {
  llvm.mlir.global internal @full() {addr_space = 3 : i32, alignment = 8 : i64} : i64
  llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<512 x i16>

  // out = the shared memory of a box of `bytes` bytes at (x, y) of the tensor.
  llvm.func @load2d(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant},
                    %x: i32, %y: i32, %bytes: i32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c32 = arith.constant 32 : i32
    %ticks = arith.constant 1000 : i32
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %full = llvm.mlir.addressof @full : !llvm.ptr<3>
    %cluster = llvm.addrspacecast %tile : !llvm.ptr<3> to !llvm.ptr<7>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %first = arith.cmpi eq, %tid, %c0 : i32
    scf.if %first {
      nvvm.mbarrier.init %full, %c1 : !llvm.ptr<3>, i32
      nvvm.fence.mbarrier.init
      nvvm.mbarrier.arrive.expect_tx %full, %bytes : !llvm.ptr<3>, i32
      nvvm.cp.async.bulk.tensor.shared.cluster.global %cluster, %map, %full, box[%x, %y] : !llvm.ptr<7>, !llvm.ptr
    }
    nvvm.barrier
    nvvm.mbarrier.try_wait.parity %full, %c0, %ticks : !llvm.ptr<3>, i32, i32
    %count = arith.divui %bytes, %c2 : i32
    scf.for %i = %tid to %count step %c32 : i32 {
      %from = llvm.getelementptr %tile[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i16
      %to = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i16
      %value = llvm.load %from : !llvm.ptr<3> -> i16
      llvm.store %value, %to : i16, !llvm.ptr<1>
    }
    llvm.return
  }

  // The same for base positions from (x, y) of image n on, at the tap (1, 0).
  llvm.func @im2col(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant},
                    %x: i32, %y: i32, %n: i32, %bytes: i32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c32 = arith.constant 32 : i32
    %none = arith.constant 0 : i16
    %tap = arith.constant 1 : i16
    %ticks = arith.constant 1000 : i32
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %full = llvm.mlir.addressof @full : !llvm.ptr<3>
    %cluster = llvm.addrspacecast %tile : !llvm.ptr<3> to !llvm.ptr<7>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %first = arith.cmpi eq, %tid, %c0 : i32
    scf.if %first {
      nvvm.mbarrier.init %full, %c1 : !llvm.ptr<3>, i32
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
      %some = arith.cmpi sgt, %bytes, %c0 : i32
      nvvm.mbarrier.arrive.expect_tx %full, %bytes : !llvm.ptr<3>, i32
      nvvm.cp.async.bulk.tensor.shared.cluster.global %cluster, %map, %full, box[%c0, %x, %y, %n] im2col[%tap, %none] predicate = %some
        {mode = #nvvm.tma_load_mode<im2col>} : !llvm.ptr<7>, !llvm.ptr
    }
    nvvm.barrier
    nvvm.mbarrier.try_wait.parity %full, %c0, %ticks : !llvm.ptr<3>, i32, i32
    %count = arith.divui %bytes, %c2 : i32
    scf.for %i = %tid to %count step %c32 : i32 {
      %from = llvm.getelementptr %tile[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i16
      %to = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i16
      %value = llvm.load %from : !llvm.ptr<3> -> i16
      llvm.store %value, %to : i16, !llvm.ptr<1>
    }
    llvm.return
  }

  // Stores 0, 1, 2, … as a box of 64 x 8 with the 128-byte swizzle at (x, y).
  llvm.func @store2d(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant},
                     %x: i32, %y: i32) attributes {nvvm.kernel} {
    %c0 = arith.constant 0 : i32
    %c3 = arith.constant 3 : i32
    %c6 = arith.constant 6 : i32
    %c7 = arith.constant 7 : i32
    %c32 = arith.constant 32 : i32
    %c512 = arith.constant 512 : i32
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %first = arith.cmpi eq, %tid, %c0 : i32
    scf.for %i = %tid to %c512 step %c32 : i32 {
      %row = arith.shrui %i, %c6 : i32
      %flip = arith.shli %row, %c3 : i32
      %at = arith.xori %i, %flip : i32
      %to = llvm.getelementptr %tile[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f16
      %value = arith.uitofp %i : i32 to f16
      llvm.store %value, %to : f16, !llvm.ptr<3>
    }
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    nvvm.barrier
    scf.if %first {
      nvvm.cp.async.bulk.tensor.global.shared.cta %map, %tile, box[%x, %y] : !llvm.ptr, !llvm.ptr<3>
      nvvm.cp.async.bulk.commit.group
      nvvm.cp.async.bulk.wait_group 0 {read}
    }
    llvm.return
  }
}
