// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=224x64x64,warps=1x4,stages=9,copy=tma,mma=wgmma,window=true"' -conv-map-to-wgmma -canonicalize -cse | FileCheck %s

// Filters as the rows of wgmma, and a result with its channels first: a pair of
// lines is a pair of positions of a filter's row, or goes to the scratch. The
// second pair of a fragment is eight filters, 8 * 224 elements, further. All
// threads store the rows, 16 bytes at a time.

// CHECK-LABEL: gpu.func @forward_0
// CHECK-DAG:     %[[EIGHT:.*]] = arith.constant 1792 : index
// CHECK-DAG:     %[[BEHIND:.*]] = arith.constant 14336 : index
// CHECK-DAG:     %[[C58:.*]] = arith.constant 58 : index
// CHECK:         %[[FRAGMENTS:.*]]:29 = engine.read_accumulator
// CHECK-NOT:     engine.store_matrices
// CHECK:         %[[SCRATCH:.*]] = arith.addi %{{.*}}, %[[BEHIND]]
// CHECK:         arith.remui %{{.*}}, %[[C58]]
// CHECK:         %[[EXISTS:.*]] = arith.andi
// CHECK:         %[[PAIR:.*]] = vector.extract %{{.*}}[0] : vector<2xbf16> from vector<2x2xbf16>
// CHECK-NEXT:    %[[AT:.*]] = arith.select %[[EXISTS]], %[[FIRST:.*]], %[[SCRATCH]]
// CHECK-NEXT:    vector.store %[[PAIR]], %[[STAGED:.*]][%[[AT]]] {alignment = 4 : i64} : {{.*}}, vector<2xbf16>
// CHECK-NEXT:    %[[NEXT:.*]] = arith.addi %[[FIRST]], %[[EIGHT]]
// CHECK-NEXT:    %[[BELOW:.*]] = vector.extract %{{.*}}[1] : vector<2xbf16> from vector<2x2xbf16>
// CHECK-NEXT:    %[[AT1:.*]] = arith.select %[[EXISTS]], %[[NEXT]], %[[SCRATCH]]
// CHECK-NEXT:    vector.store %[[BELOW]], %[[STAGED]][%[[AT1]]]
// CHECK-COUNT-56: vector.store %{{.*}}, %[[STAGED]]
// CHECK-NOT:     vector.store %{{.*}}, %[[STAGED]]
// CHECK:         nvvm.barrier
// CHECK:         vector.load %[[STAGED]]{{.*}}, vector<8xbf16>
// CHECK-NOT:     conv.store_
func.func @forward(%x: tensor<2x8x56x64xbf16>, %w: tensor<64x3x3x64xbf16>) -> tensor<2x64x8x56xbf16> {
  %e = tensor.empty() : tensor<2x8x56x64xbf16>
  %z0 = tensor.empty() : tensor<2x64x8x56xbf16>
  %y = conv.forward ins(%x, %w : tensor<2x8x56x64xbf16>, tensor<64x3x3x64xbf16>) outs(%e : tensor<2x8x56x64xbf16>) pad [1, 1] -> tensor<2x8x56x64xbf16>
  %z = linalg.transpose ins(%y : tensor<2x8x56x64xbf16>) outs(%z0 : tensor<2x64x8x56xbf16>) permutation = [0, 3, 1, 2]
  return %z : tensor<2x64x8x56xbf16>
}
