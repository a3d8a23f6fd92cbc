// RUN: conv-opt %s -conv-to-threads=chip=sm_90a | FileCheck %s

// 72 positions of an image: 64 rows of the tile are a box of the image in which
// they begin and, where they are more than it has left, one of the next.

// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK: conv.store_matrices {{.*}} transposed
// CHECK: nvvm.fence.proxy
// CHECK: %[[N:.*]] = arith.divui %[[ROW:.*]], %c72
// CHECK: %[[P:.*]] = arith.remui %[[ROW]], %c72
// CHECK: conv.tma_store %{{.*}} to %[[MAP:.*]][%[[P]], %[[K:.*]], %[[N]]]
// CHECK: %[[ENDS:.*]] = arith.cmpi ugt, %[[P]], %c8
// CHECK: scf.if %[[ENDS]] {
// CHECK-DAG: %[[NEXT:.*]] = arith.addi %[[N]], %c1
// CHECK-DAG: %[[BEFORE:.*]] = arith.subi %[[P]], %c72
// CHECK:   conv.tma_store %{{.*}} to %[[MAP]][%[[BEFORE]], %[[K]], %[[NEXT]]]
// CHECK: nvvm.cp.async.bulk.commit.group
// CHECK: conv.tensor_map %{{.*}} extents [72, 40, 3] {{.*}} box [64, 48, 1]

func.func @f(%x: tensor<3x16x8x9xbf16>, %w: tensor<40x16x3x3xbf16>) -> tensor<3x40x8x9xbf16> {
  %e = tensor.empty() : tensor<3x40x8x9xbf16>
  %y = conv.forward ins(%x, %w : tensor<3x16x8x9xbf16>, tensor<40x16x3x3xbf16>) outs(%e : tensor<3x40x8x9xbf16>) pad [1, 1] layout nchw
       {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 48, 16], warps = [8, 1], stages = 3, copy = tma, mma = wgmma>} -> tensor<3x40x8x9xbf16>
  return %y : tensor<3x40x8x9xbf16>
}
