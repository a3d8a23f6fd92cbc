// RUN: conv-opt %s -pass-pipeline="builtin.module(gpu.module(conv-pipeline-barriers),canonicalize,cse)" -split-input-file | FileCheck %s

// Two loops become one of 2 * 6 blocks; block k lives in slot k mod 2. A full
// barrier has one arrival and bytes, an empty one an arrival of each warp that
// multiplies. What the producer is to do is marked.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 32], warps = [4, 1], stages = 2, copy = tma, mma = wgmma>
#plan = #conv.kernel_plan<left = tma, right = tma, keeps = none>
#x = #conv.view<rows = [5, 5], taps = [2, 3], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#w = #conv.view<rows = [1, 1], taps = [2, 3], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#y = #conv.view<rows = [5, 5], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @nest
  // CHECK-DAG:     %[[TRUE:.*]] = arith.constant true
  // CHECK-DAG:     %[[BYTES:.*]] = arith.constant 8192 : index
  // CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
  // CHECK-DAG:     %[[C4:.*]] = arith.constant 4 : index
  // CHECK-DAG:     %[[C12:.*]] = arith.constant 12 : index
  // CHECK-DAG:     memref.alloc() : memref<2x64x32xf16, #gpu.address_space<workgroup>>
  // CHECK:         %[[FULL:.*]] = nvgpu.mbarrier.create
  // CHECK:         %[[EMPTY:.*]] = nvgpu.mbarrier.create
  // CHECK:         nvgpu.mbarrier.init %[[FULL]][%[[C0]]], %[[C1]]
  // CHECK-NEXT:    nvgpu.mbarrier.init %[[EMPTY]][%[[C0]]], %[[C4]]
  // CHECK-COUNT-2: nvgpu.mbarrier.init
  // CHECK-NOT:     nvgpu.mbarrier.init
  // CHECK:         nvvm.fence.mbarrier.init
  // CHECK:         gpu.barrier
  // The first block is peeled off: no slot is free for the one before.
  // CHECK:         nvgpu.mbarrier.try_wait.parity %[[EMPTY]][%[[C0]]], %[[TRUE]], {{.*}} {conv.producer}
  // CHECK-NEXT:    nvgpu.mbarrier.arrive.expect_tx %[[FULL]][%[[C0]]], %[[BYTES]] {conv.producer}
  // CHECK-COUNT-2: engine.load_tile {{.*}}, %[[FULL]][%[[C0]]] {{.*}} {conv.producer}
  // CHECK:         nvgpu.mbarrier.try_wait.parity %[[FULL]][%[[C0]]]
  // CHECK-NOT:     conv.producer
  // CHECK:         %[[FIRST:.*]] = vector.contract
  // CHECK-NOT:     nvgpu.mbarrier.arrive
  // CHECK:         %[[END:.*]]:6 = scf.for %{{.*}} = %[[C1]] to %[[C12]] step %[[C1]] iter_args(%[[ACC:.*]] = %[[FIRST]], %[[SLOT:.*]] = %{{.*}}, %[[PHASE:.*]] = %{{.*}}, %[[LAST:.*]] = %[[C0]], %[[C:.*]] = %[[C0]], %[[T:.*]] = %[[C1]])
  // CHECK-NEXT:      %[[OTHER:.*]] = arith.xori %[[PHASE]], %[[TRUE]]
  // CHECK-NEXT:      nvgpu.mbarrier.try_wait.parity %[[EMPTY]][%[[SLOT]]], %[[OTHER]], {{.*}} {conv.producer}
  // CHECK-NEXT:      nvgpu.mbarrier.arrive.expect_tx %[[FULL]][%[[SLOT]]], %[[BYTES]] {conv.producer}
  // CHECK:           engine.load_tile %{{.*}}[%[[C0]], %[[T]], %{{.*}}] into %{{.*}}, %[[FULL]][%[[SLOT]]] {{.*}} {conv.producer}
  // CHECK:           engine.load_tile %{{.*}}[%[[C0]], %[[T]], %{{.*}}] into %{{.*}}, %[[FULL]][%[[SLOT]]] {{.*}} {conv.producer}
  // CHECK-NEXT:      nvgpu.mbarrier.try_wait.parity %[[FULL]][%[[SLOT]]], %[[PHASE]]
  // CHECK-NOT:       conv.producer
  // CHECK:           vector.contract {{.*}} %[[ACC]]
  // wgmma may read the slot of the block before until this one has begun.
  // CHECK-NEXT:      nvgpu.mbarrier.arrive %[[EMPTY]][%[[LAST]]]
  // CHECK:           scf.yield
  // CHECK:         nvgpu.mbarrier.arrive %[[EMPTY]][%[[END]]#3]
  // CHECK-NOT:     conv.im2col
  // CHECK:         conv.scatter %[[END]]#0
  gpu.func @nest(%x: memref<1x6x7x64xf16>, %w: memref<64x2x3x64xf16>, %y: memref<1x5x5x64xf32>) kernel attributes {conv.kernel_plan = #plan, conv.schedule = #schedule} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c6 = arith.constant 6 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : f16
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %a = memref.alloc() : memref<64x32xf16, #smem>
    %b = memref.alloc() : memref<64x32xf16, #smem>
    %acc = scf.for %c = %c0 to %c64 step %c32 iter_args(%a0 = %zero) -> (vector<64x64xf32>) {
      %acc1 = scf.for %t = %c0 to %c6 step %c1 iter_args(%a1 = %a0) -> (vector<64x64xf32>) {
        conv.im2col %x[%c0, %t, %c] into %a view #x : memref<1x6x7x64xf16> into memref<64x32xf16, #smem>
        %va = vector.transfer_read %a[%c0, %c0], %pad {in_bounds = [true, true]} : memref<64x32xf16, #smem>, vector<64x32xf16>
        conv.im2col %w[%c0, %t, %c] into %b view #w : memref<64x2x3x64xf16> into memref<64x32xf16, #smem>
        %vb = vector.transfer_read %b[%c0, %c0], %pad {in_bounds = [true, true]} : memref<64x32xf16, #smem>, vector<64x32xf16>
        %r = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} %va, %vb, %a1 : vector<64x32xf16>, vector<64x32xf16> into vector<64x64xf32>
        scf.yield %r : vector<64x64xf32>
      }
      scf.yield %acc1 : vector<64x64xf32>
    }
    conv.scatter %acc into %y[%c0, %c0, %c0] view #y : vector<64x64xf32> into memref<1x5x5x64xf32>
    gpu.return
  }

  // Tiles of a workgroup, one after the other: slot and phase go on. With one
  // block of gemm-k there is no loop over blocks.
  // CHECK-LABEL: gpu.func @tiles
  // CHECK:         scf.for %[[TILE:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[SLOT:.*]] = %{{.*}}, %[[PHASE:.*]] = %{{.*}}) -> (index, i1)
  // CHECK-NOT:       scf.for
  // CHECK:           nvgpu.mbarrier.arrive.expect_tx %[[FULL:.*]][%[[SLOT]]], {{.*}} {conv.producer}
  // CHECK:           engine.load_tile
  // CHECK:           nvgpu.mbarrier.try_wait.parity %[[FULL]][%[[SLOT]]], %[[PHASE]]
  // CHECK:           vector.contract
  // CHECK:           %[[NEXT:.*]] = arith.select
  // CHECK:           %[[TURNED:.*]] = arith.xori %[[PHASE]]
  // CHECK:           nvgpu.mbarrier.arrive %{{.*}}[%[[SLOT]]]
  // CHECK:           conv.scatter
  // CHECK:           scf.yield %[[NEXT]], %[[TURNED]]
  gpu.func @tiles(%x: memref<4x6x8x32xf16>, %w: memref<64x1x1x32xf16>, %y: memref<4x6x8x64xf32>) kernel attributes {conv.kernel_plan = #plan, conv.schedule = #schedule} {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %pad = arith.constant 0.0 : f16
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %first = gpu.block_id x
    %step = gpu.grid_dim x
    scf.for %tile = %first to %c3 step %step {
      %m = affine.apply affine_map<(d0) -> (d0 * 64)>(%tile)
      %a = memref.alloc() : memref<64x32xf16, #smem>
      %b = memref.alloc() : memref<64x32xf16, #smem>
      conv.im2col %x[%m, %c0, %c0] into %a view <rows = [6, 8], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : memref<4x6x8x32xf16> into memref<64x32xf16, #smem>
      %va = vector.transfer_read %a[%c0, %c0], %pad {in_bounds = [true, true]} : memref<64x32xf16, #smem>, vector<64x32xf16>
      conv.im2col %w[%c0, %c0, %c0] into %b view <rows = [1, 1], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : memref<64x1x1x32xf16> into memref<64x32xf16, #smem>
      %vb = vector.transfer_read %b[%c0, %c0], %pad {in_bounds = [true, true]} : memref<64x32xf16, #smem>, vector<64x32xf16>
      %acc = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} %va, %vb, %zero : vector<64x32xf16>, vector<64x32xf16> into vector<64x64xf32>
      conv.scatter %acc into %y[%m, %c0, %c0] view <rows = [6, 8], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : vector<64x64xf32> into memref<4x6x8x64xf32>
    }
    gpu.return
  }
}

// -----

// A kernel whose threads copy is left as it is, as is one without a schedule.

#threads = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 32], warps = [4, 1], stages = 2, copy = cp_async, mma = mma_sync>
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @threads
  // CHECK-NEXT:    gpu.return
  gpu.func @threads() kernel attributes {conv.schedule = #threads} {
    gpu.return
  }
  // CHECK-LABEL: gpu.func @plain
  // CHECK-NEXT:    gpu.return
  gpu.func @plain() kernel attributes {conv.plain} {
    gpu.return
  }
}
