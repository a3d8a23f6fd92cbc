// RUN: conv-opt %s --convert-conv-to-gemm --split-input-file | FileCheck %s

// The reduction is over the rows; taps stay a dimension of the result.

// CHECK-DAG: #[[MAP_DY:.+]] = affine_map<(d0, d1, d2, d3) -> (d3, d0)>
// CHECK-DAG: #[[MAP_X:.+]] = affine_map<(d0, d1, d2, d3) -> (d3, d1, d2)>
// CHECK-DAG: #[[MAP_DW:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-LABEL: func @window
// CHECK-SAME: %[[x:.+]]: tensor<2x9x8x4xf32>, %[[dy:.+]]: tensor<2x4x9x6xf32>, %[[dw0:.+]]: tensor<6x3x2x4xf32>
func.func @window(%x: tensor<2x9x8x4xf32>, %dy: tensor<2x4x9x6xf32>, %dw0: tensor<6x3x2x4xf32>) -> tensor<6x3x2x4xf32> {
  // CHECK: %[[X:.+]] = conv.im2col %[[x]] view <rows = [4, 9], taps = [3, 2], stride = [2, 1], step = [1, 3], offset = [0, -1], groups = 1> : tensor<2x9x8x4xf32> -> tensor<72x6x4xf32>
  // CHECK: %[[DY:.+]] = conv.im2col %[[dy]] view <rows = [4, 9], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : tensor<2x4x9x6xf32> -> tensor<72x6xf32>
  // CHECK: %[[ACC:.+]] = linalg.generic {indexing_maps = [#[[MAP_DY]], #[[MAP_X]], #[[MAP_DW]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%[[DY]], %[[X]]
  // CHECK: conv.scatter %[[ACC]] into %[[dw0]] view <rows = [1, 1], taps = [3, 2], {{.*}} : tensor<6x6x4xf32> into tensor<6x3x2x4xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<2x9x8x4xf32>, tensor<2x4x9x6xf32>) outs(%dw0 : tensor<6x3x2x4xf32>) stride [2, 1] pad [0, 1:3] dilation [1, 3] -> tensor<6x3x2x4xf32>
  return %dw : tensor<6x3x2x4xf32>
}

// -----

// CHECK-DAG: #[[MAP_DY:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d4, d0, d1)>
// CHECK-DAG: #[[MAP_X:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d4, d2, d0, d3)>
// CHECK-DAG: #[[MAP_DW:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func @groups
func.func @groups(%x: tensor<1x5x4xf32>, %dy: tensor<1x4x6xf32>, %dw0: tensor<6x2x2xf32>) -> tensor<6x2x2xf32> {
  // CHECK: conv.im2col {{.*}} groups = 2> : tensor<1x5x4xf32> -> tensor<4x2x2x2xf32>
  // CHECK: conv.im2col {{.*}} groups = 2> : tensor<1x4x6xf32> -> tensor<4x2x3xf32>
  // CHECK: %[[ACC:.+]] = linalg.generic {indexing_maps = [#[[MAP_DY]], #[[MAP_X]], #[[MAP_DW]]]
  // CHECK: conv.scatter %[[ACC]] {{.*}} row_groups = 2> : tensor<2x3x2x2xf32> into tensor<6x2x2xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<1x5x4xf32>, tensor<1x4x6xf32>) outs(%dw0 : tensor<6x2x2xf32>) groups 2 -> tensor<6x2x2xf32>
  return %dw : tensor<6x2x2xf32>
}

// -----

// Without images the sum is empty, but the filter gradient is not.

// CHECK-LABEL: func @empty_batch
func.func @empty_batch(%x: tensor<0x5x4xf32>, %dy: tensor<0x4x6xf32>, %dw0: tensor<6x2x4xf32>) -> tensor<6x2x4xf32> {
  // CHECK: %[[ZEROS:.+]] = linalg.fill {{.*}} -> tensor<6x2x4xf32>
  // CHECK: return %[[ZEROS]]
  %dw = conv.wgrad ins(%x, %dy : tensor<0x5x4xf32>, tensor<0x4x6xf32>) outs(%dw0 : tensor<6x2x4xf32>) -> tensor<6x2x4xf32>
  return %dw : tensor<6x2x4xf32>
}
