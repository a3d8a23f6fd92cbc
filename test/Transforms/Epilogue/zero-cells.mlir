// RUN: conv-opt %s -conv-plan-stores -conv-map-to-mma-sync -canonicalize -cse | FileCheck %s

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 16, 16], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>
#even = #conv.view<rows = [4, 3], taps = [1, 1], stride = [2, 2], step = [1, 1], offset = [0, 0], groups = 1>

// Threads store zeros where TMA does not: beside each pair of channels one at the distance of a position, of a row, and
// of both. In the second dimension, of 5, no position follows the last one; in the first, of 8, one always does.

// CHECK-LABEL: gpu.func @zeros
// CHECK-SAME:    %[[Y:[a-z0-9]+]]: memref<2x8x5x16xf16>
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<2xf16>
// CHECK-DAG:     %[[COLUMN:.*]] = arith.constant 16 : index
// CHECK-DAG:     %[[ROW:.*]] = arith.constant 80 : index
// CHECK-DAG:     %[[BOTH:.*]] = arith.constant 96 : index
// CHECK:         vector.store %{{.*}}, %[[FLAT:.*]][%[[E:.*]]] {alignment = 4 : i64}
// CHECK:         scf.if
// CHECK-NEXT:      %[[RIGHT:.*]] = arith.addi %[[E]], %[[COLUMN]]
// CHECK-NEXT:      vector.store %[[ZERO]], %[[FLAT]][%[[RIGHT]]] {alignment = 4 : i64}
// CHECK:         %[[BELOW:.*]] = arith.addi %[[E]], %[[ROW]]
// CHECK-NEXT:    vector.store %[[ZERO]], %[[FLAT]][%[[BELOW]]] {alignment = 4 : i64}
// CHECK:         scf.if
// CHECK-NEXT:      %[[CORNER:.*]] = arith.addi %[[E]], %[[BOTH]]
// CHECK-NEXT:      vector.store %[[ZERO]], %[[FLAT]][%[[CORNER]]] {alignment = 4 : i64}
gpu.module @kernels {
  gpu.func @zeros(%y: memref<2x8x5x16xf16>) kernel attributes {conv.schedule = #schedule, known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %v = arith.constant dense<1.0> : vector<16x16xf16>
    conv.scatter %v into %y[%c0, %c0, %c0] view #even zero_fill : vector<16x16xf16> into memref<2x8x5x16xf16>
    gpu.return
  }
}
