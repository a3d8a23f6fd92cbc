// RUN: conv-opt %s -split-input-file -conv-to-threads=chip=sm_90a | FileCheck %s

// 64 positions of an image: 64 rows of the tile are a box of one image.

// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK: engine.store_matrices {{.*}} transposed
// CHECK: nvvm.fence.proxy
// CHECK: %[[N:.*]] = arith.divui %[[ROW:.*]], %c64
// CHECK: %[[P:.*]] = arith.remui %[[ROW]], %c64
// CHECK: engine.tma_store %{{.*}} to %[[MAP:.*]][%[[P]], %[[K:.*]], %[[N]]]
// CHECK: nvvm.cp.async.bulk.commit.group
// CHECK: engine.tensor_map %{{.*}} extents [64, 40, 3] {{.*}} box [64, 48, 1]

func.func @f(%x: tensor<3x16x8x8xbf16>, %w: tensor<40x16x3x3xbf16>) -> tensor<3x40x8x8xbf16> {
  %e = tensor.empty() : tensor<3x40x8x8xbf16>
  %y = conv.forward ins(%x, %w : tensor<3x16x8x8xbf16>, tensor<40x16x3x3xbf16>) outs(%e : tensor<3x40x8x8xbf16>) pad [1, 1] layout nchw
       {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 48, 16], warps = [8, 1], stages = 3, copy = tma, mma = wgmma>} -> tensor<3x40x8x8xbf16>
  return %y : tensor<3x40x8x8xbf16>
}

// -----

// 72 positions: an image may end among 64 rows of the tile, and threads store.

// CHECK-LABEL: gpu.func @g
// CHECK-NOT: engine.tma_store
// CHECK-LABEL: func.func @g

func.func @g(%x: tensor<3x16x8x9xbf16>, %w: tensor<40x16x3x3xbf16>) -> tensor<3x40x8x9xbf16> {
  %e = tensor.empty() : tensor<3x40x8x9xbf16>
  %y = conv.forward ins(%x, %w : tensor<3x16x8x9xbf16>, tensor<40x16x3x3xbf16>) outs(%e : tensor<3x40x8x9xbf16>) pad [1, 1] layout nchw
       {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 48, 16], warps = [8, 1], stages = 3, copy = tma, mma = wgmma>} -> tensor<3x40x8x9xbf16>
  return %y : tensor<3x40x8x9xbf16>
}
