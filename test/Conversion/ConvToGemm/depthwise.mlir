// RUN: conv-opt %s -convert-conv-to-gemm -split-input-file -verify-diagnostics | FileCheck %s

// The filter's taps come first, in their order in memory; the sums are in the
// order of the result.

// CHECK-LABEL: @forward
// CHECK-SAME:    %[[X:.*]]: tensor<2x6x16x16xbf16>, %[[W:.*]]: tensor<16x3x3x1xbf16>
// CHECK:         %[[M:.*]] = tensor.collapse_shape %[[W]] {{.*}} into tensor<16x9xbf16>
// CHECK:         %[[T:.*]] = linalg.transpose ins(%[[M]] : tensor<16x9xbf16>) outs(%{{.*}} : tensor<9x16xbf16>)
// CHECK:         %[[S:.*]] = conv.depthwise %[[X]], %[[T]] view <rows = [3, 8], taps = [3, 3], stride = [2, 2], step = [1, 1], offset = [-1, -1], groups = 1> schedule <algorithm = loops, tile = [4, 8, 1], {{.*}}> : {{.*}} -> tensor<2x3x8x16xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[S]] : tensor<2x3x8x16xf32>) outs(%{{.*}} : tensor<2x3x8x16xbf16>)
// CHECK:           arith.truncf
func.func @forward(%x: tensor<2x6x16x16xbf16>, %w: tensor<16x3x3x1xbf16>, %y0: tensor<2x3x8x16xbf16>) -> tensor<2x3x8x16xbf16> {
  %y = conv.forward ins(%x, %w : tensor<2x6x16x16xbf16>, tensor<16x3x3x1xbf16>) outs(%y0 : tensor<2x3x8x16xbf16>) stride [2, 2] pad [1, 1] groups 16 {conv.schedule = #conv.schedule<algorithm = loops, tile = [4, 8, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma>} -> tensor<2x3x8x16xbf16>
  return %y : tensor<2x3x8x16xbf16>
}

// -----

// dgrad reads dy backwards. f32 are the sums themselves.

// CHECK-LABEL: @dgrad
// CHECK:         %[[S:.*]] = conv.depthwise {{.*}} view <rows = [8], taps = [3], stride = [1], step = [-1], offset = [0], groups = 1>
// CHECK:         return %[[S]] : tensor<2x8x4xf32>
func.func @dgrad(%dy: tensor<2x6x4xf32>, %w: tensor<4x3x1xf32>, %dx0: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %dx = conv.dgrad ins(%dy, %w : tensor<2x6x4xf32>, tensor<4x3x1xf32>) outs(%dx0 : tensor<2x8x4xf32>) groups 4 {conv.schedule = #conv.schedule<algorithm = loops, tile = [4, 4, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma>} -> tensor<2x8x4xf32>
  return %dx : tensor<2x8x4xf32>
}

// -----

// What is rounded before it is multiplied.

// CHECK-LABEL: @rounded
// CHECK:         conv.depthwise {{.*}} mma = fma> precision tf32 : tensor<2x6x4xf32>, tensor<3x4xf32> -> tensor<2x4x4xf32>
func.func @rounded(%x: tensor<2x6x4xf32>, %w: tensor<4x3x1xf32>, %y0: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> {
  %y = conv.forward ins(%x, %w : tensor<2x6x4xf32>, tensor<4x3x1xf32>) outs(%y0 : tensor<2x4x4xf32>) groups 4 precision tf32 {conv.schedule = #conv.schedule<algorithm = loops, tile = [4, 4, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma>} -> tensor<2x4x4xf32>
  return %y : tensor<2x4x4xf32>
}

// -----

// The positions of dy are taps at the taps of the filter, here from the last
// one on: a third of them for each of six sums, which are added before their
// channels come first.

// CHECK-LABEL: @wgrad
// CHECK-SAME:    %[[X:.*]]: tensor<2x8x10x16xbf16>, %[[DY:.*]]: tensor<2x3x8x16xbf16>
// CHECK:         %[[F:.*]] = tensor.collapse_shape %[[DY]] {{\[\[}}0], [1, 2], [3]] : {{.*}} into tensor<2x24x16xbf16>
// CHECK:         %[[S:.*]] = conv.depthwise %[[X]], %[[F]] view <rows = [3, 3], taps = [3, 8], stride = [-2, -1], step = [2, 1], offset = [3, 2], groups = 1> schedule <{{.*}}tile = [3, 8, 4], {{.*}} split = 3> : {{.*}} -> tensor<6x3x3x16xf32>
// CHECK:         %[[P:.*]] = tensor.collapse_shape %[[S]] {{.*}} into tensor<6x9x16xf32>
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[P]] : tensor<6x9x16xf32>) outs(%{{.*}} : tensor<9x16xf32>)
// CHECK:         linalg.transpose ins(%[[SUM]] : tensor<9x16xf32>)
func.func @wgrad(%x: tensor<2x8x10x16xbf16>, %dy: tensor<2x3x8x16xbf16>, %dw0: tensor<16x3x3x1xf32>) -> tensor<16x3x3x1xf32> {
  %dw = conv.wgrad ins(%x, %dy : tensor<2x8x10x16xbf16>, tensor<2x3x8x16xbf16>) outs(%dw0 : tensor<16x3x3x1xf32>) stride [2, 1] pad [1:1, 0:0] dilation [2, 1] groups 16 flip {conv.schedule = #conv.schedule<algorithm = loops, tile = [3, 8, 4], warps = [1, 1], stages = 1, copy = cp_async, mma = fma, split = 3>} -> tensor<16x3x3x1xf32>
  return %dw : tensor<16x3x3x1xf32>
}

// -----

func.func @groups(%x: tensor<2x8x8xbf16>, %w: tensor<8x3x2xbf16>, %y0: tensor<2x6x8xbf16>) -> tensor<2x6x8xbf16> {
  // expected-error @below {{implicit GEMM cannot be left out: algorithm loops is for groups of one channel and one filter, but 4 groups have 8 and 8}}
  %y = conv.forward ins(%x, %w : tensor<2x8x8xbf16>, tensor<8x3x2xbf16>) outs(%y0 : tensor<2x6x8xbf16>) groups 4 {conv.schedule = #conv.schedule<algorithm = loops, tile = [4, 8, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma>} -> tensor<2x6x8xbf16>
  return %y : tensor<2x6x8xbf16>
}
