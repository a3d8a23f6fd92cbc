// RUN: conv-opt %s -conv-plan-stores -conv-map-to-mma-sync -canonicalize -cse -split-input-file | FileCheck %s

// Two warps beside each other, each with a 32x16 part of the 32x32 tile: two
// matrices of sums, which the loop carries. Two steps of gemm-k. Behind the loop
// the sums reach the threads through shared memory, as the fragments of mma.sync.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 32, 32], warps = [1, 2], stages = 2, copy = cp_async, mma = wmma>
#y = #conv.view<rows = [5, 7], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @contract
  // CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG:     %[[C16:.*]] = arith.constant 16 : index
  // CHECK:         %[[ZERO:.*]] = gpu.subgroup_mma_constant_matrix %{{.*}} : !gpu.mma_matrix<16x16xf32, "COp">
  // CHECK:         %[[ACC:.*]]:2 = scf.for {{.*}} iter_args(%[[D0:.*]] = %[[ZERO]], %[[D1:.*]] = %[[ZERO]])
  // CHECK:           %[[A0:.*]] = gpu.subgroup_mma_load_matrix %[[A:.*]][%[[ROW:.*]], %[[C0]]] {leadDimension = 32 : index} : {{.*}} -> !gpu.mma_matrix<16x16xf16, "AOp">
  // CHECK:           %[[A1:.*]] = gpu.subgroup_mma_load_matrix %[[A]][%[[BELOW:.*]], %[[C0]]]
  // CHECK:           %[[B:.*]] = gpu.subgroup_mma_load_matrix %{{.*}}[%[[COLUMN:.*]], %[[C0]]] {leadDimension = 32 : index, transpose} : {{.*}} -> !gpu.mma_matrix<16x16xf16, "BOp">
  // CHECK:           %[[E0:.*]] = gpu.subgroup_mma_compute %[[A0]], %[[B]], %[[D0]] {b_transpose}
  // CHECK:           %[[E1:.*]] = gpu.subgroup_mma_compute %[[A1]], %[[B]], %[[D1]] {b_transpose}
  // CHECK:           gpu.subgroup_mma_load_matrix %[[A]][%[[ROW]], %[[C16]]]
  // CHECK:           %[[F0:.*]] = gpu.subgroup_mma_compute %{{.*}}, %{{.*}}, %[[E0]]
  // CHECK:           %[[F1:.*]] = gpu.subgroup_mma_compute %{{.*}}, %{{.*}}, %[[E1]]
  // CHECK:           scf.yield %[[F0]], %[[F1]]
  //
  // CHECK:         nvvm.cp.async.wait.group 0
  // CHECK:         gpu.barrier
  // CHECK:         %[[SUMS:.*]] = memref.alloc() : memref<32x32xf32, #gpu.address_space<workgroup>>
  // CHECK:         gpu.subgroup_mma_store_matrix %[[ACC]]#0, %[[SUMS]][%[[ROW]], %[[COLUMN]]] {leadDimension = 32 : index}
  // CHECK:         gpu.subgroup_mma_store_matrix %[[ACC]]#1, %[[SUMS]][%{{.*}}, %[[COLUMN]]] {leadDimension = 32 : index}
  // CHECK:         gpu.barrier
  // CHECK-COUNT-8: vector.load %{{.*}} : memref<1024xf32, #gpu.address_space<workgroup>>, vector<2xf32>
  // CHECK-COUNT-4: arith.maximumf %{{.*}} : vector<2x2xf32>
  gpu.func @contract(%a: memref<32x32xf16, #smem>, %b: memref<32x32xf16, #smem>, %y: memref<2x5x7x33xf16>, %m: index) kernel
      attributes {conv.schedule = #schedule, known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %p = arith.constant 0.0 : f16
    %zero = arith.constant dense<0.0> : vector<32x32xf32>
    %acc = scf.for %k = %c0 to %c8 step %c1 iter_args(%d = %zero) -> (vector<32x32xf32>) {
      %va = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16, #smem>, vector<32x32xf16>
      %vb = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xf16, #smem>, vector<32x32xf16>
      %e = vector.contract {
        indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>
      } %va, %vb, %d : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
      scf.yield %e : vector<32x32xf32>
    }
    %relu = arith.maximumf %acc, %zero : vector<32x32xf32>
    %half = arith.truncf %relu : vector<32x32xf32> to vector<32x32xf16>
    conv.scatter %half into %y[%m, %c0, %c0] view #y : vector<32x32xf16> into memref<2x5x7x33xf16>
    gpu.return
  }
}

// -----

// tf32 in both orders of memory: matrices of eight along gemm-k.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 16, 8], warps = [1, 1], stages = 2, copy = sync, mma = wmma>
#y = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @tf32
  // CHECK-NOT:     cp.async
  // CHECK:         gpu.subgroup_mma_load_matrix {{.*}} {leadDimension = 16 : index, transpose} : {{.*}} -> !gpu.mma_matrix<16x8xf32, "AOp">
  // CHECK:         gpu.subgroup_mma_load_matrix {{.*}} {leadDimension = 16 : index} : {{.*}} -> !gpu.mma_matrix<8x16xf32, "BOp">
  // CHECK:         gpu.subgroup_mma_compute {{.*}} {a_transpose}
  // CHECK-NOT:     cp.async
  // CHECK:         gpu.return
  gpu.func @tf32(%a: memref<8x16xf32, #smem>, %b: memref<8x16xf32, #smem>, %y: memref<1x16x16xf32>) kernel
      attributes {conv.schedule = #schedule, known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %zero = arith.constant dense<0.0> : vector<16x16xf32>
    %va = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x16xf32, #smem>, vector<8x16xf32>
    %vb = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x16xf32, #smem>, vector<8x16xf32>
    %ra = arith.truncf %va : vector<8x16xf32> to vector<8x16xtf32>
    %rb = arith.truncf %vb : vector<8x16xf32> to vector<8x16xtf32>
    %d = vector.contract {
      indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>
    } %ra, %rb, %zero : vector<8x16xtf32>, vector<8x16xtf32> into vector<16x16xf32>
    conv.scatter %d into %y[%c0, %c0, %c0] view #y : vector<16x16xf32> into memref<1x16x16xf32>
    gpu.return
  }
}
