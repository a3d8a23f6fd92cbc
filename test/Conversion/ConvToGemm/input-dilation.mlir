// RUN: conv-opt %s --convert-conv-to-gemm --split-input-file | FileCheck %s

// Every other output meets taps 0 and 2, those between meet tap 1.

// CHECK-LABEL: func @forward
// CHECK-SAME: %[[x:.+]]: tensor<2x5x4xf32>, %[[w:.+]]: tensor<6x3x4xf32>, %[[y0:.+]]: tensor<2x9x6xf32>
func.func @forward(%x: tensor<2x5x4xf32>, %w: tensor<6x3x4xf32>, %y0: tensor<2x9x6xf32>) -> tensor<2x9x6xf32> {
  // CHECK: conv.im2col %[[x]] view <rows = [5], taps = [1], stride = [1], step = [1], offset = [0], groups = 1> : {{.*}} -> tensor<10x1x4xf32>
  // CHECK: conv.im2col %[[w]] view <rows = [1], taps = [1], stride = [1], step = [2], offset = [1], groups = 1> : {{.*}} -> tensor<6x1x4xf32>
  // CHECK: %[[y1:.+]] = conv.scatter %{{.*}} into %[[y0]] view <rows = [5], taps = [1], stride = [2], step = [1], offset = [0], groups = 1>
  // CHECK: conv.im2col %[[x]] view <rows = [4], taps = [2], stride = [1], step = [1], offset = [0], groups = 1> : {{.*}} -> tensor<8x2x4xf32>
  // CHECK: conv.im2col %[[w]] view <rows = [1], taps = [2], stride = [1], step = [2], offset = [0], groups = 1> : {{.*}} -> tensor<6x2x4xf32>
  // CHECK: conv.scatter %{{.*}} into %[[y1]] view <rows = [4], taps = [1], stride = [2], step = [1], offset = [1], groups = 1>
  %y = conv.forward ins(%x, %w : tensor<2x5x4xf32>, tensor<6x3x4xf32>) outs(%y0 : tensor<2x9x6xf32>) pad [1] input_dilation [2] -> tensor<2x9x6xf32>
  return %y : tensor<2x9x6xf32>
}

// -----

// One phase, in which dy is read with a stride, and a filter that is flipped:
// its taps are in order.

// CHECK-LABEL: func @dgrad
// CHECK-SAME: %[[dy:.+]]: tensor<2x9x6xf32>, %[[w:.+]]: tensor<6x3x4xf32>
func.func @dgrad(%dy: tensor<2x9x6xf32>, %w: tensor<6x3x4xf32>, %dx0: tensor<2x5x4xf32>) -> tensor<2x5x4xf32> {
  // CHECK: conv.im2col %[[dy]] view <rows = [5], taps = [3], stride = [2], step = [1], offset = [-1], groups = 1>
  // CHECK: conv.im2col %[[w]] view <rows = [1], taps = [3], stride = [1], step = [1], offset = [0], groups = 1>
  // CHECK: conv.scatter {{.*}} view <rows = [5], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
  // CHECK-NOT: conv.scatter
  %dx = conv.dgrad ins(%dy, %w : tensor<2x9x6xf32>, tensor<6x3x4xf32>) outs(%dx0 : tensor<2x5x4xf32>) pad [1] input_dilation [2] flip -> tensor<2x5x4xf32>
  return %dx : tensor<2x5x4xf32>
}

// -----

// A contraction for each tap, of as many rows; the row that tap 1 has more lies
// outside of dy for the others.

// CHECK-LABEL: func @wgrad
// CHECK-SAME: %[[x:.+]]: tensor<2x5x4xf32>, %[[dy:.+]]: tensor<2x9x6xf32>, %[[dw0:.+]]: tensor<6x3x4xf32>
func.func @wgrad(%x: tensor<2x5x4xf32>, %dy: tensor<2x9x6xf32>, %dw0: tensor<6x3x4xf32>) -> tensor<6x3x4xf32> {
  // CHECK: conv.im2col %[[x]] view <rows = [5], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
  // CHECK: conv.im2col %[[dy]] view <rows = [5], taps = [1], stride = [2], step = [1], offset = [1], groups = 1>
  // CHECK: %[[dw1:.+]] = conv.scatter %{{.*}} into %[[dw0]] view <rows = [1], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
  // CHECK: conv.im2col %[[x]] view <{{.*}} offset = [0], groups = 1>
  // CHECK: conv.im2col %[[dy]] view <{{.*}} offset = [0], groups = 1>
  // CHECK: %[[dw2:.+]] = conv.scatter %{{.*}} into %[[dw1]] view <{{.*}} offset = [1], groups = 1>
  // CHECK: conv.im2col %[[x]] view <{{.*}} offset = [1], groups = 1>
  // CHECK: conv.im2col %[[dy]] view <{{.*}} offset = [1], groups = 1>
  // CHECK: conv.scatter %{{.*}} into %[[dw2]] view <{{.*}} offset = [2], groups = 1>
  %dw = conv.wgrad ins(%x, %dy : tensor<2x5x4xf32>, tensor<2x9x6xf32>) outs(%dw0 : tensor<6x3x4xf32>) pad [1] input_dilation [2] -> tensor<6x3x4xf32>
  return %dw : tensor<6x3x4xf32>
}

// -----

// Without input dilation a flip turns the taps of the filter around, or those
// of x.

// CHECK-LABEL: func @flip
func.func @flip(%x: tensor<1x8x4xf32>, %w: tensor<6x3x4xf32>, %y0: tensor<1x4x6xf32>, %dy: tensor<1x4x6xf32>, %dw0: tensor<6x3x4xf32>) -> (tensor<1x4x6xf32>, tensor<6x3x4xf32>) {
  // CHECK: conv.im2col %{{.*}} view <rows = [4], taps = [3], stride = [1], step = [2], offset = [0], groups = 1> : tensor<1x8x4xf32>
  // CHECK: conv.im2col %{{.*}} view <rows = [1], taps = [3], stride = [1], step = [-1], offset = [2], groups = 1> : tensor<6x3x4xf32>
  %y = conv.forward ins(%x, %w : tensor<1x8x4xf32>, tensor<6x3x4xf32>) outs(%y0 : tensor<1x4x6xf32>) dilation [2] flip -> tensor<1x4x6xf32>
  // CHECK: conv.im2col %{{.*}} view <rows = [4], taps = [3], stride = [1], step = [-2], offset = [4], groups = 1> : tensor<1x8x4xf32>
  // CHECK: conv.scatter %{{.*}} view <rows = [1], taps = [3], stride = [1], step = [1], offset = [0], groups = 1> : tensor<6x3x4xf32> into
  %dw = conv.wgrad ins(%x, %dy : tensor<1x8x4xf32>, tensor<1x4x6xf32>) outs(%dw0 : tensor<6x3x4xf32>) dilation [2] flip -> tensor<6x3x4xf32>
  return %y, %dw : tensor<1x4x6xf32>, tensor<6x3x4xf32>
}
