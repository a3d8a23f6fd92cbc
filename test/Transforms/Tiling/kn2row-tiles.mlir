// RUN: conv-opt %s --convert-conv-to-gemm --conv-tile-to-workgroups --canonicalize --cse | FileCheck %s

// Tiles along gemm-m are numbered last. A tile of 64 filters has 192 rows of
// sums, and whole panels of positions; the tap of a block moves its positions.

// CHECK-DAG:   #[[ROWS:.*]] = affine_map<(d0) -> (d0 * 64)>
// CHECK-DAG:   #[[COLUMNS:.*]] = affine_map<(d0) -> (d0 * 48)>
// CHECK-DAG:   #[[SUMS:.*]] = affine_map<(d0) -> (d0 * 192)>
// CHECK-DAG:   #[[SHIFT:.*]] = affine_map<(d0, d1) -> (d0 * 24 + d1 * 48 - 24)>
// CHECK:       scf.forall (%[[G:.*]], %[[N:.*]], %[[M:.*]]) in (2, 2, 3)
// CHECK:         scf.for %[[TAP:.*]] = %c0 to %c3
// CHECK-DAG:       %[[ROW:.*]] = affine.apply #[[SUMS]](%[[M]])
// CHECK-DAG:       conv.im2col %{{.*}}[%[[ROW]], %[[TAP]], %c0] view <rows = [1], taps = [3], {{.*}} -> tensor<192x32xbf16>
// CHECK-DAG:       %[[COLUMN:.*]] = affine.apply #[[SHIFT]](%[[TAP]], %[[N]])
// CHECK-DAG:       conv.im2col %{{.*}}[%[[G]], %c0, %c0, %[[COLUMN]]] view <rows = [32], taps = [1], {{.*}} -> tensor<32x64xbf16>
// CHECK:         conv.add_taps %{{.*}} line 24 shifts [-1, 0, 1] : tensor<192x64xf32> -> tensor<64x48xf32>
// CHECK:         conv.scatter %{{.*}} into %{{.*}} view <rows = [192]
func.func @tiles(%x: tensor<2x32x4x24xbf16>, %w: tensor<192x32x3x3xbf16>, %y0: tensor<2x192x4x24xf32>) -> tensor<2x192x4x24xf32> {
  %y = conv.forward ins(%x, %w : tensor<2x32x4x24xbf16>, tensor<192x32x3x3xbf16>) outs(%y0 : tensor<2x192x4x24xf32>) pad [1, 1] layout nchw
         {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 48, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, kn2row = true>} -> tensor<2x192x4x24xf32>
  return %y : tensor<2x192x4x24xf32>
}
