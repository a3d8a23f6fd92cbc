// RUN: conv-opt %s -pass-pipeline="builtin.module(gpu.module(conv-plan-stores,conv-map-to-wgmma),canonicalize,cse)" -allow-unregistered-dialect -split-input-file | FileCheck %s

// Two warpgroups along gemm-m, each with two blocks of 64 rows: a contraction is
// a group of two products. The first ones begin with a zero that no register
// holds; the loop carries accumulators. The group before is waited for behind
// the next one, all of them behind the loop.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [256, 32, 64], warps = [8, 1], stages = 2, copy = tma, mma = wgmma>
#smem = #gpu.address_space<workgroup>
#m = affine_map<(m, n, k) -> (m, k)>
#n = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @products
  // CHECK-DAG:     %[[ZERO:.*]] = engine.zero_accumulator : !nvgpu.warpgroup.accumulator<fragmented = vector<64x32xf32>>
  // CHECK:         nvvm.wgmma.fence.aligned
  // CHECK:         %[[P0:.*]] = engine.warpgroup_mma %[[A:.*]][%{{.*}}], %[[B:.*]], %[[ZERO]]
  // CHECK:         %[[P1:.*]] = engine.warpgroup_mma %[[A]][%{{.*}}], %[[B]], %[[ZERO]]
  // CHECK-NEXT:    nvvm.wgmma.commit.group.sync.aligned
  // CHECK:         %[[SUM:.*]]:2 = scf.for %{{.*}} iter_args(%[[S0:.*]] = %[[P0]], %[[S1:.*]] = %[[P1]])
  // CHECK:           nvvm.wgmma.fence.aligned
  // CHECK:           %[[N0:.*]] = engine.warpgroup_mma {{.*}}, %[[S0]]
  // CHECK:           %[[N1:.*]] = engine.warpgroup_mma {{.*}}, %[[S1]]
  // CHECK-NEXT:      nvvm.wgmma.commit.group.sync.aligned
  // CHECK-NEXT:      nvvm.wgmma.wait.group.sync.aligned 1
  // CHECK-NEXT:      scf.yield %[[N0]], %[[N1]]
  // CHECK:         nvvm.wgmma.wait.group.sync.aligned 0
  // CHECK:         engine.read_accumulator %[[SUM]]#0
  // CHECK:         engine.read_accumulator %[[SUM]]#1
  // CHECK-NOT:     vector.contract
  // CHECK-NOT:     vector<256x32xf32>
  gpu.func @products(%y: memref<1x256x32xf32>) kernel attributes {conv.schedule = #schedule, known_block_size = array<i32: 384, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %pad = arith.constant 0.0 : f16
    %zero = arith.constant dense<0.0> : vector<256x32xf32>
    %a = memref.alloc() : memref<256x64xf16, #smem>
    %b = memref.alloc() : memref<32x64xf16, #smem>
    %va = vector.transfer_read %a[%c0, %c0], %pad {in_bounds = [true, true]} : memref<256x64xf16, #smem>, vector<256x64xf16>
    %vb = vector.transfer_read %b[%c0, %c0], %pad {in_bounds = [true, true]} : memref<32x64xf16, #smem>, vector<32x64xf16>
    %first = vector.contract {indexing_maps = [#m, #n, #d], iterator_types = ["parallel", "parallel", "reduction"]} %va, %vb, %zero : vector<256x64xf16>, vector<32x64xf16> into vector<256x32xf32>
    %sum = scf.for %i = %c1 to %c4 step %c1 iter_args(%acc = %first) -> (vector<256x32xf32>) {
      %wa = vector.transfer_read %a[%c0, %c0], %pad {in_bounds = [true, true]} : memref<256x64xf16, #smem>, vector<256x64xf16>
      %wb = vector.transfer_read %b[%c0, %c0], %pad {in_bounds = [true, true]} : memref<32x64xf16, #smem>, vector<32x64xf16>
      %next = vector.contract {indexing_maps = [#m, #n, #d], iterator_types = ["parallel", "parallel", "reduction"]} %wa, %wb, %acc : vector<256x64xf16>, vector<32x64xf16> into vector<256x32xf32>
      scf.yield %next : vector<256x32xf32>
    }
    conv.scatter %sum into %y[%c0, %c0, %c0] view <rows = [256], taps = [1], stride = [1], step = [1], offset = [0], groups = 1> : vector<256x32xf32> into memref<1x256x32xf32>
    gpu.return
  }
}

// -----

// Kernels of other engines, and plain ones, stay for other passes.

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @warps
  // CHECK:         vector.broadcast
  gpu.func @warps(%s: f32) kernel attributes {
      conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 16, 16], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>,
      known_block_size = array<i32: 64, 1, 1>} {
    %v = vector.broadcast %s : f32 to vector<32x16xf32>
    "test.use"(%v) : (vector<32x16xf32>) -> ()
    gpu.return
  }
  // CHECK-LABEL: gpu.func @plain
  // CHECK-NEXT:    gpu.return
  gpu.func @plain() kernel attributes {conv.plain} {
    gpu.return
  }
}
