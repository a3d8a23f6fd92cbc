// F7 of a Hopper kernel in small: a producer warp copies tiles by TMA, a
// warpgroup multiplies them. y = a * b with a of 64 x K rows, b of 64 x K.

#smem = #gpu.address_space<workgroup>
!map = !nvgpu.tensormap.descriptor<tensor = memref<64x64xbf16, 3>, swizzle = swizzle_128b, l2promo = l2promo_128b, oob = zero, interleave = none>
!ring = !nvgpu.mbarrier.group<memorySpace = #smem, num_barriers = 4>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xf32>>

module attributes {gpu.container_module} {
gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx80", O = 3>] {
  gpu.func @warpgroups(%x: !map, %w: !map, %y: memref<64x64xf32>, %trips: memref<1xi32>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c4096 = arith.constant 4096 : index
    %c32768 = arith.constant 32768 : index
    %bytes = arith.constant 16384 : index
    %ticks = arith.constant 10000000 : index
    %true = arith.constant true
    %false = arith.constant false
    %lane0 = arith.constant 0 : i32
    %clamp = arith.constant 31 : i32
    %all = arith.constant -1 : i32
    %t = gpu.thread_id x
    %count32 = memref.load %trips[%c0] : memref<1xi32>
    %count = arith.index_cast %count32 : i32 to index
    %memory = gpu.dynamic_shared_memory : memref<?xi8, #smem>
    %ra = memref.view %memory[%c0][] : memref<?xi8, #smem> to memref<4x64x64xbf16, #smem>
    %rb = memref.view %memory[%c32768][] : memref<?xi8, #smem> to memref<4x64x64xbf16, #smem>
    %full = nvgpu.mbarrier.create -> !ring
    %empty = nvgpu.mbarrier.create -> !ring
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      scf.for %i = %c0 to %c4 step %c1 {
        nvgpu.mbarrier.init %full[%i], %c1 : !ring
        nvgpu.mbarrier.init %empty[%i], %c4 : !ring
      }
      nvvm.fence.mbarrier.init
    }
    gpu.barrier
    %group = arith.divui %t, %c128 : index
    %group32 = arith.index_cast %group : index to i32
    %uniform32 = nvvm.shfl.sync idx %all, %group32, %lane0, %clamp : i32 -> i32
    %uniform = arith.index_cast %uniform32 : i32 to index
    %isProducer = arith.cmpi eq, %uniform, %c1 : index
    scf.if %isProducer {
      nvvm.setmaxregister decrease 40
      %isLeader = arith.cmpi eq, %t, %c128 : index
      scf.if %isLeader {
        %fa = memref.collapse_shape %ra [[0, 1, 2]] : memref<4x64x64xbf16, #smem> into memref<16384xbf16, #smem>
        %fb = memref.collapse_shape %rb [[0, 1, 2]] : memref<4x64x64xbf16, #smem> into memref<16384xbf16, #smem>
        %end:2 = scf.for %k = %c0 to %count step %c1 iter_args(%slot = %c0, %phase = %true) -> (index, i1) {
          nvgpu.mbarrier.try_wait.parity %empty[%slot], %phase, %ticks : !ring
          nvgpu.mbarrier.arrive.expect_tx %full[%slot], %bytes : !ring
          %at = arith.muli %slot, %c4096 : index
          %c = arith.muli %k, %c64 : index
          engine.tma_load %x[%c, %c0, %c1, %c2] offsets [%c1, %c2] to %fa[%at], %full[%slot]
            : !map, memref<16384xbf16, #smem>, !ring
          engine.tma_load %w[%c, %c0] to %fb[%at], %full[%slot] : !map, memref<16384xbf16, #smem>, !ring
          %next = arith.addi %slot, %c1 : index
          %wraps = arith.cmpi eq, %next, %c4 : index
          %s1 = arith.select %wraps, %c0, %next : index
          %p1 = arith.xori %phase, %wraps : i1
          scf.yield %s1, %p1 : index, i1
        }
      }
    } else {
      nvvm.setmaxregister increase 232
      nvgpu.mbarrier.try_wait.parity %full[%c0], %false, %ticks : !ring
      %a0 = memref.subview %ra[0, 0, 0] [1, 64, 64] [1, 1, 1] : memref<4x64x64xbf16, #smem> to memref<64x64xbf16, #smem>
      %b0 = memref.subview %rb[0, 0, 0] [1, 64, 64] [1, 1, 1] : memref<4x64x64xbf16, #smem> to memref<64x64xbf16, #smem>
      %zero = engine.zero_accumulator : !acc
      nvvm.wgmma.fence.aligned
      %first = engine.warpgroup_mma %a0[%c0], %b0, %zero {MAJORS} : memref<64x64xbf16, #smem>, memref<64x64xbf16, #smem>, !acc
      nvvm.wgmma.commit.group.sync.aligned
      %lane = nvvm.read.ptx.sreg.laneid : i32
      %isLane0 = arith.cmpi eq, %lane, %lane0 : i32
      %sum:4 = scf.for %k = %c1 to %count step %c1 iter_args(%acc = %first, %slot = %c1, %phase = %false, %last = %c0) -> (!acc, index, i1, index) {
        nvgpu.mbarrier.try_wait.parity %full[%slot], %phase, %ticks : !ring
        %a = memref.subview %ra[%slot, 0, 0] [1, 64, 64] [1, 1, 1] : memref<4x64x64xbf16, #smem> to memref<64x64xbf16, strided<[64, 1], offset: ?>, #smem>
        %b = memref.subview %rb[%slot, 0, 0] [1, 64, 64] [1, 1, 1] : memref<4x64x64xbf16, #smem> to memref<64x64xbf16, strided<[64, 1], offset: ?>, #smem>
        nvvm.wgmma.fence.aligned
        %d = engine.warpgroup_mma %a[%c0], %b, %acc {MAJORS}
          : memref<64x64xbf16, strided<[64, 1], offset: ?>, #smem>, memref<64x64xbf16, strided<[64, 1], offset: ?>, #smem>, !acc
        nvvm.wgmma.commit.group.sync.aligned
        nvvm.wgmma.wait.group.sync.aligned 1
        scf.if %isLane0 {
          %token = nvgpu.mbarrier.arrive %empty[%last] : !ring -> !nvgpu.mbarrier.token
        }
        %next = arith.addi %slot, %c1 : index
        %wraps = arith.cmpi eq, %next, %c4 : index
        %s1 = arith.select %wraps, %c0, %next : index
        %p1 = arith.xori %phase, %wraps : i1
        scf.yield %d, %s1, %p1, %slot : !acc, index, i1, index
      }
      nvvm.wgmma.wait.group.sync.aligned 0
      %f:8 = engine.read_accumulator %sum#0 : !acc
      %r0 = vector.extract %f#0[0] : vector<2xf32> from vector<2x2xf32>
      %r1 = vector.extract %f#7[1] : vector<2xf32> from vector<2x2xf32>
      vector.store %r0, %y[%c0, %t] : memref<64x64xf32>, vector<2xf32>
      vector.store %r1, %y[%c1, %t] : memref<64x64xf32>, vector<2xf32>
    }
    gpu.return
  }
}
}
