// RUN: conv-opt %s --convert-conv-to-gemm --split-input-file | FileCheck %s

// With unit stride there is one phase: all taps, in reverse.

// CHECK-DAG: #[[MAP_DY:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-DAG: #[[MAP_W:.+]] = affine_map<(d0, d1, d2, d3) -> (d3, d2, d1)>
// CHECK-DAG: #[[MAP_DX:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
// CHECK-LABEL: func @unit_stride
// CHECK-SAME: %[[dy:.+]]: tensor<1x6x7x4xf32>, %[[w:.+]]: tensor<4x3x2x5xf32>, %[[dx0:.+]]: tensor<1x7x8x5xf32>
func.func @unit_stride(%dy: tensor<1x6x7x4xf32>, %w: tensor<4x3x2x5xf32>, %dx0: tensor<1x7x8x5xf32>) -> tensor<1x7x8x5xf32> {
  // CHECK: %[[DY:.+]] = conv.im2col %[[dy]] view <rows = [7, 8], taps = [3, 2], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1> : tensor<1x6x7x4xf32> -> tensor<56x6x4xf32>
  // CHECK: %[[W:.+]] = conv.im2col %[[w]] view <rows = [1, 1], taps = [3, 2], stride = [1, 1], step = [-1, -1], offset = [2, 1], groups = 1> : tensor<4x3x2x5xf32> -> tensor<4x6x5xf32>
  // CHECK: %[[ACC:.+]] = linalg.generic {indexing_maps = [#[[MAP_DY]], #[[MAP_W]], #[[MAP_DX]]], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%[[DY]], %[[W]]
  // CHECK: conv.scatter %[[ACC]] into %[[dx0]] view <rows = [7, 8], {{.*}} : tensor<56x5xf32> into tensor<1x7x8x5xf32>
  // CHECK-NOT: conv.scatter
  %dx = conv.dgrad ins(%dy, %w : tensor<1x6x7x4xf32>, tensor<4x3x2x5xf32>) outs(%dx0 : tensor<1x7x8x5xf32>) pad [1:0, 0] -> tensor<1x7x8x5xf32>
  return %dx : tensor<1x7x8x5xf32>
}

// -----

// One contraction per stride phase, each scattered into the one before. No tap
// is multiplied with an inserted zero: 2 + 1 taps of the filter's 3.

// CHECK-LABEL: func @phases
// CHECK-SAME: %[[dy:.+]]: tensor<1x4x4xf32>, %[[w:.+]]: tensor<4x3x5xf32>, %[[dx0:.+]]: tensor<1x9x5xf32>
func.func @phases(%dy: tensor<1x4x4xf32>, %w: tensor<4x3x5xf32>, %dx0: tensor<1x9x5xf32>) -> tensor<1x9x5xf32> {
  // CHECK: conv.im2col %[[dy]] view <rows = [5], taps = [2], stride = [1], step = [1], offset = [-1], groups = 1> : tensor<1x4x4xf32> -> tensor<5x2x4xf32>
  // CHECK: conv.im2col %[[w]] view <rows = [1], taps = [2], stride = [1], step = [-2], offset = [2], groups = 1> : tensor<4x3x5xf32> -> tensor<4x2x5xf32>
  // CHECK: %[[EVEN:.+]] = conv.scatter {{.*}} into %[[dx0]] view <rows = [5], taps = [1], stride = [2], step = [1], offset = [0], groups = 1>
  // CHECK: conv.im2col %[[dy]] view <rows = [4], taps = [1], stride = [1], step = [1], offset = [0], groups = 1> : tensor<1x4x4xf32> -> tensor<4x1x4xf32>
  // CHECK: conv.im2col %[[w]] view <rows = [1], taps = [1], {{.*}} offset = [1], groups = 1> : tensor<4x3x5xf32> -> tensor<4x1x5xf32>
  // CHECK: %[[ODD:.+]] = conv.scatter {{.*}} into %[[EVEN]] view <rows = [4], taps = [1], stride = [2], step = [1], offset = [1], groups = 1>
  // CHECK: return %[[ODD]]
  %dx = conv.dgrad ins(%dy, %w : tensor<1x4x4xf32>, tensor<4x3x5xf32>) outs(%dx0 : tensor<1x9x5xf32>) stride [2] -> tensor<1x9x5xf32>
  return %dx : tensor<1x9x5xf32>
}

// -----

// The phase that no tap reaches is zeros, not what was there before.

// CHECK-LABEL: func @phase_without_taps
// CHECK-SAME: %[[dy:.+]]: tensor<1x4x4xf32>, %{{.+}}: tensor<4x1x5xf32>, %[[dx0:.+]]: tensor<1x7x5xf32>
func.func @phase_without_taps(%dy: tensor<1x4x4xf32>, %w: tensor<4x1x5xf32>, %dx0: tensor<1x7x5xf32>) -> tensor<1x7x5xf32> {
  // CHECK: linalg.generic
  // CHECK: %[[EVEN:.+]] = conv.scatter {{.*}} into %[[dx0]] view <rows = [4], {{.*}} offset = [0], groups = 1>
  // CHECK-NOT: linalg.generic
  // CHECK: %[[ZEROS:.+]] = linalg.fill {{.*}} -> tensor<3x5xf32>
  // CHECK: conv.scatter %[[ZEROS]] into %[[EVEN]] view <rows = [3], taps = [1], stride = [2], step = [1], offset = [1], groups = 1>
  %dx = conv.dgrad ins(%dy, %w : tensor<1x4x4xf32>, tensor<4x1x5xf32>) outs(%dx0 : tensor<1x7x5xf32>) stride [2] -> tensor<1x7x5xf32>
  return %dx : tensor<1x7x5xf32>
}

// -----

// Taps of a phase are stride / gcd(stride, dilation) apart in the filter and
// dilation / gcd apart in dy: here 3 and 2.

// CHECK-LABEL: func @dilation_and_stride
func.func @dilation_and_stride(%dy: tensor<1x2x4xf32>, %w: tensor<4x4x5xf32>, %dx0: tensor<1x19x5xf32>) -> tensor<1x19x5xf32> {
  // CHECK: conv.im2col {{.*}} view <rows = [4], taps = [2], stride = [1], step = [2], offset = [-2], groups = 1>
  // CHECK: conv.im2col {{.*}} view <rows = [1], taps = [2], stride = [1], step = [-3], offset = [3], groups = 1>
  // CHECK: conv.scatter {{.*}} stride = [6], step = [1], offset = [0]
  // CHECK: linalg.fill {{.*}} -> tensor<3x5xf32>
  // CHECK: conv.scatter {{.*}} stride = [6], step = [1], offset = [1]
  %dx = conv.dgrad ins(%dy, %w : tensor<1x2x4xf32>, tensor<4x4x5xf32>) outs(%dx0 : tensor<1x19x5xf32>) stride [6] dilation [4] -> tensor<1x19x5xf32>
  return %dx : tensor<1x19x5xf32>
}

// -----

// CHECK-DAG: #[[MAP_DY:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d0, d4)>
// CHECK-DAG: #[[MAP_W:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d3, d2)>
// CHECK-DAG: #[[MAP_DX:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d0, d2)>
// CHECK-LABEL: func @groups
func.func @groups(%dy: tensor<1x4x6xf32>, %w: tensor<6x2x2xf32>, %dx0: tensor<1x5x4xf32>) -> tensor<1x5x4xf32> {
  // CHECK: conv.im2col {{.*}} groups = 2> : tensor<1x4x6xf32> -> tensor<5x2x2x3xf32>
  // CHECK: conv.im2col {{.*}} groups = 1, row_groups = 2> : tensor<6x2x2xf32> -> tensor<2x3x2x2xf32>
  // CHECK: linalg.generic {indexing_maps = [#[[MAP_DY]], #[[MAP_W]], #[[MAP_DX]]]
  // CHECK: conv.scatter {{.*}} groups = 2> : tensor<5x2x2xf32> into tensor<1x5x4xf32>
  %dx = conv.dgrad ins(%dy, %w : tensor<1x4x6xf32>, tensor<6x2x2xf32>) outs(%dx0 : tensor<1x5x4xf32>) groups 2 -> tensor<1x5x4xf32>
  return %dx : tensor<1x5x4xf32>
}

// -----

// The input has one row, and no tap reaches it.

// CHECK-LABEL: func @no_taps_at_all
// CHECK-SAME: %[[dx0:[a-z0-9]+]]: tensor<1x1x5xf32>
func.func @no_taps_at_all(%dy: tensor<1x1x4xf32>, %w: tensor<4x1x5xf32>, %dx0: tensor<1x1x5xf32>) -> tensor<1x1x5xf32> {
  // CHECK: %[[ZEROS:.+]] = linalg.fill ins(%{{.*}}) outs(%[[dx0]]
  // CHECK: return %[[ZEROS]]
  %dx = conv.dgrad ins(%dy, %w : tensor<1x1x4xf32>, tensor<4x1x5xf32>) outs(%dx0 : tensor<1x1x5xf32>) stride [2] pad [1:0] -> tensor<1x1x5xf32>
  return %dx : tensor<1x1x5xf32>
}
