// RUN: conv-opt %s --convert-conv-to-im2col --split-input-file | FileCheck %s
// RUN: conv-opt %s -convert-conv-to-gemm -conv-materialize-matrices --split-input-file | FileCheck %s

// The gathered input has a workspace of its size; the filter is its matrix
// already. The contraction is [M, T*C] x [N, T*C].

// CHECK-DAG: #[[MAP_A:.+]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[MAP_B:.+]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[MAP_D:.+]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @forward
// CHECK-SAME: %[[x:.+]]: tensor<2x9x8x4xf32>, %[[w:.+]]: tensor<6x3x2x4xf32>, %[[y0:.+]]: tensor<2x7x7x6xf32>
func.func @forward(%x: tensor<2x9x8x4xf32>, %w: tensor<6x3x2x4xf32>, %y0: tensor<2x7x7x6xf32>) -> tensor<2x7x7x6xf32> {
  // CHECK: %[[FILL:.+]] = linalg.fill {{.*}} -> tensor<98x6xf32>
  // CHECK: %[[WS:.+]] = tensor.empty() : tensor<98x6x4xf32>
  // CHECK: %[[X:.+]] = conv.im2col %[[x]] into %[[WS]] view <rows = [7, 7], taps = [3, 2], {{.*}} : tensor<2x9x8x4xf32> into tensor<98x6x4xf32> -> tensor<98x6x4xf32>
  // CHECK: %[[A:.+]] = tensor.collapse_shape %[[X]] {{\[}}[0], [1, 2]] : tensor<98x6x4xf32> into tensor<98x24xf32>
  // CHECK: %[[B:.+]] = tensor.collapse_shape %[[w]] {{\[}}[0], [1, 2, 3]] : tensor<6x3x2x4xf32> into tensor<6x24xf32>
  // CHECK: %[[D:.+]] = linalg.generic {indexing_maps = [#[[MAP_A]], #[[MAP_B]], #[[MAP_D]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[A]], %[[B]] : {{.*}}) outs(%[[FILL]]
  // CHECK: arith.mulf
  // CHECK: arith.addf
  // CHECK: conv.scatter %[[D]] into %[[y0]]
  %y = conv.forward ins(%x, %w : tensor<2x9x8x4xf32>, tensor<6x3x2x4xf32>) outs(%y0 : tensor<2x7x7x6xf32>) -> tensor<2x7x7x6xf32>
  return %y : tensor<2x7x7x6xf32>
}

// -----

// Nothing is gathered for a 1x1 filter: no workspace.

// CHECK-LABEL: func @forward_1x1
// CHECK-SAME: %[[x:.+]]: tensor<2x5x3x4xf32>, %[[w:.+]]: tensor<6x1x1x4xf32>
func.func @forward_1x1(%x: tensor<2x5x3x4xf32>, %w: tensor<6x1x1x4xf32>, %y0: tensor<2x5x3x6xf32>) -> tensor<2x5x3x6xf32> {
  // CHECK-NOT: conv.im2col
  // CHECK: tensor.collapse_shape %[[x]] {{\[}}[0, 1, 2], [3]] : tensor<2x5x3x4xf32> into tensor<30x4xf32>
  // CHECK: tensor.collapse_shape %[[w]] {{\[}}[0], [1, 2, 3]] : tensor<6x1x1x4xf32> into tensor<6x4xf32>
  // CHECK: conv.scatter
  %y = conv.forward ins(%x, %w : tensor<2x5x3x4xf32>, tensor<6x1x1x4xf32>) outs(%y0 : tensor<2x5x3x6xf32>) -> tensor<2x5x3x6xf32>
  return %y : tensor<2x5x3x6xf32>
}

// -----

// ... but for a strided one.

// CHECK-LABEL: func @forward_1x1_strided
func.func @forward_1x1_strided(%x: tensor<2x5x4xf32>, %w: tensor<6x1x4xf32>, %y0: tensor<2x3x6xf32>) -> tensor<2x3x6xf32> {
  // CHECK: conv.im2col {{.*}} : tensor<2x5x4xf32> into tensor<6x1x4xf32>
  %y = conv.forward ins(%x, %w : tensor<2x5x4xf32>, tensor<6x1x4xf32>) outs(%y0 : tensor<2x3x6xf32>) stride [2] -> tensor<2x3x6xf32>
  return %y : tensor<2x3x6xf32>
}

// -----

// Groups stand between taps and channels of the input, so the copy puts the
// taps behind them.

// CHECK-DAG: #[[MAP_A:.+]] = affine_map<(d0, d1, d2, d3) -> (d1, d0, d3)>
// CHECK-DAG: #[[MAP_B:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-DAG: #[[MAP_D:.+]] = affine_map<(d0, d1, d2, d3) -> (d1, d0, d2)>
// CHECK-LABEL: func @forward_groups
// CHECK-SAME: %[[x:.+]]: tensor<1x5x4xf32>, %[[w:.+]]: tensor<6x2x2xf32>
func.func @forward_groups(%x: tensor<1x5x4xf32>, %w: tensor<6x2x2xf32>, %y0: tensor<1x4x6xf32>) -> tensor<1x4x6xf32> {
  // CHECK: %[[X:.+]] = conv.im2col %[[x]] {{.*}} : tensor<1x5x4xf32> -> tensor<4x2x2x2xf32>
  // CHECK: %[[WS:.+]] = tensor.empty() : tensor<4x2x2x2xf32>
  // CHECK: %[[T:.+]] = linalg.transpose ins(%[[X]] : {{.*}}) outs(%[[WS]] : {{.*}}) permutation = [0, 2, 1, 3]
  // CHECK: %[[A:.+]] = tensor.collapse_shape %[[T]] {{\[}}[0], [1], [2, 3]] : tensor<4x2x2x2xf32> into tensor<4x2x4xf32>
  // CHECK: %[[C:.+]] = tensor.collapse_shape %[[w]] {{\[}}[0], [1, 2]] : tensor<6x2x2xf32> into tensor<6x4xf32>
  // CHECK: %[[B:.+]] = tensor.expand_shape %[[C]] {{\[}}[0, 1], [2]] output_shape [2, 3, 4] : tensor<6x4xf32> into tensor<2x3x4xf32>
  // CHECK: linalg.generic {indexing_maps = [#[[MAP_A]], #[[MAP_B]], #[[MAP_D]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%[[A]], %[[B]]
  %y = conv.forward ins(%x, %w : tensor<1x5x4xf32>, tensor<6x2x2xf32>) outs(%y0 : tensor<1x4x6xf32>) groups 2 -> tensor<1x4x6xf32>
  return %y : tensor<1x4x6xf32>
}

// -----

// Each phase of dgrad has its own workspaces. The filter's taps move in front of
// gemm-k's channels: [T*K, N].

// CHECK-DAG: #[[MAP_A:.+]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[MAP_B:.+]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-LABEL: func @dgrad
// CHECK-SAME: %[[dy:.+]]: tensor<1x4x4xf32>, %[[w:.+]]: tensor<4x3x5xf32>
func.func @dgrad(%dy: tensor<1x4x4xf32>, %w: tensor<4x3x5xf32>, %dx0: tensor<1x9x5xf32>) -> tensor<1x9x5xf32> {
  // CHECK: %[[W0:.+]] = conv.im2col %[[w]] view <{{.*}} step = [-2], offset = [2], groups = 1> : tensor<4x3x5xf32> -> tensor<4x2x5xf32>
  // CHECK: conv.im2col %[[dy]] into {{.*}} : tensor<1x4x4xf32> into tensor<5x2x4xf32>
  // CHECK: tensor.collapse_shape {{.*}} : tensor<5x2x4xf32> into tensor<5x8xf32>
  // CHECK: linalg.transpose ins(%[[W0]] : tensor<4x2x5xf32>) outs({{.*}} : tensor<2x4x5xf32>) permutation = [1, 0, 2]
  // CHECK: tensor.collapse_shape {{.*}} {{\[}}[0, 1], [2]] : tensor<2x4x5xf32> into tensor<8x5xf32>
  // CHECK: linalg.generic {indexing_maps = [#[[MAP_A]], #[[MAP_B]],
  // CHECK: conv.scatter

  // In the second phase dy is its matrix, and the filter has one tap.
  // CHECK: tensor.collapse_shape %[[dy]] {{\[}}[0, 1], [2]] : tensor<1x4x4xf32> into tensor<4x4xf32>
  // CHECK: conv.im2col %[[w]] into {{.*}} : tensor<4x3x5xf32> into tensor<4x1x5xf32>
  // CHECK-NOT: linalg.transpose
  // CHECK: conv.scatter
  %dx = conv.dgrad ins(%dy, %w : tensor<1x4x4xf32>, tensor<4x3x5xf32>) outs(%dx0 : tensor<1x9x5xf32>) stride [2] -> tensor<1x9x5xf32>
  return %dx : tensor<1x9x5xf32>
}

// -----

// The result of wgrad has taps and channels: one dimension of the GEMM, two again
// after it.

// CHECK-DAG: #[[MAP_A:.+]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #[[MAP_B:.+]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[MAP_D:.+]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @wgrad
// CHECK-SAME: %[[x:.+]]: tensor<2x5x4xf32>, %[[dy:.+]]: tensor<2x4x6xf32>
func.func @wgrad(%x: tensor<2x5x4xf32>, %dy: tensor<2x4x6xf32>, %dw0: tensor<6x2x4xf32>) -> tensor<6x2x4xf32> {
  // CHECK: %[[A:.+]] = tensor.collapse_shape %[[dy]] {{\[}}[0, 1], [2]] : tensor<2x4x6xf32> into tensor<8x6xf32>
  // CHECK: conv.im2col %[[x]] into {{.*}} : tensor<2x5x4xf32> into tensor<8x2x4xf32>
  // CHECK: %[[B:.+]] = tensor.collapse_shape {{.*}} : tensor<8x2x4xf32> into tensor<8x8xf32>
  // CHECK: %[[D:.+]] = linalg.generic {indexing_maps = [#[[MAP_A]], #[[MAP_B]], #[[MAP_D]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[A]], %[[B]]
  // CHECK: %[[E:.+]] = tensor.expand_shape %[[D]] {{\[}}[0], [1, 2]] output_shape [6, 2, 4] : tensor<6x8xf32> into tensor<6x2x4xf32>
  // CHECK: conv.scatter %[[E]]
  %dw = conv.wgrad ins(%x, %dy : tensor<2x5x4xf32>, tensor<2x4x6xf32>) outs(%dw0 : tensor<6x2x4xf32>) -> tensor<6x2x4xf32>
  return %dw : tensor<6x2x4xf32>
}

// -----

// The schedule of an op decides: one explicit, one implicit.

#explicit = #conv.schedule<algorithm = im2col, tile = [64, 64, 32], warps = [2, 2], stages = 3, copy = cp_async, mma = mma_sync>
#implicit = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 32], warps = [2, 2], stages = 3, copy = cp_async, mma = mma_sync>
// CHECK-LABEL: func @schedule
func.func @schedule(%x: tensor<1x5x4xf16>, %w: tensor<4x2x4xf16>, %y0: tensor<1x4x4xf16>, %z0: tensor<1x3x4xf32>) -> tensor<1x3x4xf32> {
  // CHECK: conv.im2col {{.*}} : tensor<1x5x4xf16> into tensor<4x2x4xf16>
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
  // CHECK-SAME: algorithm=im2col
  // CHECK: conv.im2col {{.*}} : tensor<1x4x4xf16> -> tensor<3x2x4xf16>
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction", "reduction"]
  // CHECK-SAME: algorithm=implicit_gemm
  %y = conv.forward ins(%x, %w : tensor<1x5x4xf16>, tensor<4x2x4xf16>) outs(%y0 : tensor<1x4x4xf16>) {conv.schedule = #explicit} -> tensor<1x4x4xf16>
  %z = conv.forward ins(%y, %w : tensor<1x4x4xf16>, tensor<4x2x4xf16>) outs(%z0 : tensor<1x3x4xf32>) {conv.schedule = #implicit} -> tensor<1x3x4xf32>
  return %z : tensor<1x3x4xf32>
}
