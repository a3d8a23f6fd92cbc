// RUN: conv-opt %s -convert-conv-to-gemm -split-input-file -verify-diagnostics | FileCheck %s

// The filter's taps come first, in their order in memory; the sums are in the
// order of the result.

// CHECK-LABEL: @forward
// CHECK-SAME:    %[[X:.*]]: tensor<2x6x16x16xbf16>, %[[W:.*]]: tensor<16x3x3x1xbf16>
// CHECK:         %[[M:.*]] = tensor.collapse_shape %[[W]] {{.*}} into tensor<16x9xbf16>
// CHECK:         %[[T:.*]] = linalg.transpose ins(%[[M]] : tensor<16x9xbf16>) outs(%{{.*}} : tensor<9x16xbf16>)
// CHECK:         %[[S:.*]] = conv.depthwise %[[X]], %[[T]] view <rows = [3, 8], taps = [3, 3], stride = [2, 2], step = [1, 1], offset = [-1, -1], groups = 1> schedule <algorithm=loops tile=4x8x1 {{.*}}> : {{.*}} -> tensor<2x3x8x16xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[S]] : tensor<2x3x8x16xf32>) outs(%{{.*}} : tensor<2x3x8x16xbf16>)
// CHECK:           arith.truncf
func.func @forward(%x: tensor<2x6x16x16xbf16>, %w: tensor<16x3x3x1xbf16>, %y0: tensor<2x3x8x16xbf16>) -> tensor<2x3x8x16xbf16> {
  %y = conv.forward ins(%x, %w : tensor<2x6x16x16xbf16>, tensor<16x3x3x1xbf16>) outs(%y0 : tensor<2x3x8x16xbf16>) stride [2, 2] pad [1, 1] groups 16 {conv.schedule = #conv.schedule<algorithm = loops, tile = [4, 8, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma>} -> tensor<2x3x8x16xbf16>
  return %y : tensor<2x3x8x16xbf16>
}

// -----

// dgrad reads dy backwards. f32 are the sums themselves.

// CHECK-LABEL: @dgrad
// CHECK:         %[[S:.*]] = conv.depthwise {{.*}} view <rows = [8], taps = [3], stride = [1], step = [-1], offset = [0], groups = 1> schedule
// CHECK:         return %[[S]] : tensor<2x8x4xf32>
func.func @dgrad(%dy: tensor<2x6x4xf32>, %w: tensor<4x3x1xf32>, %dx0: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %dx = conv.dgrad ins(%dy, %w : tensor<2x6x4xf32>, tensor<4x3x1xf32>) outs(%dx0 : tensor<2x8x4xf32>) groups 4 {conv.schedule = #conv.schedule<algorithm = loops, tile = [4, 4, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma>} -> tensor<2x8x4xf32>
  return %dx : tensor<2x8x4xf32>
}

// -----

// What is rounded before it is multiplied.

// CHECK-LABEL: @rounded
// CHECK:         conv.depthwise {{.*}} mma=fma split-k=1> precision tf32 : tensor<2x6x4xf32>, tensor<3x4xf32> -> tensor<2x4x4xf32>
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
// CHECK:         %[[S:.*]] = conv.depthwise %[[X]], %[[F]] view <rows = [3, 3], taps = [3, 8], stride = [-2, -1], step = [2, 1], offset = [3, 2], groups = 1> schedule <{{.*}}tile=3x8x4 {{.*}} split-k=3> : {{.*}} -> tensor<6x3x3x16xf32>
// CHECK:         %[[P:.*]] = tensor.collapse_shape %[[S]] {{.*}} into tensor<6x9x16xf32>
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[P]] : tensor<6x9x16xf32>) outs(%{{.*}} : tensor<9x16xf32>)
// CHECK:         linalg.transpose ins(%[[SUM]] : tensor<9x16xf32>)
func.func @wgrad(%x: tensor<2x8x10x16xbf16>, %dy: tensor<2x3x8x16xbf16>, %dw0: tensor<16x3x3x1xf32>) -> tensor<16x3x3x1xf32> {
  %dw = conv.wgrad ins(%x, %dy : tensor<2x8x10x16xbf16>, tensor<2x3x8x16xbf16>) outs(%dw0 : tensor<16x3x3x1xf32>) stride [2, 1] pad [1:1, 0:0] dilation [2, 1] groups 16 flip {conv.schedule = #conv.schedule<algorithm = loops, tile = [3, 8, 4], warps = [1, 1], stages = 1, copy = cp_async, mma = fma, split = 3>} -> tensor<16x3x3x1xf32>
  return %dw : tensor<16x3x3x1xf32>
}

// -----

// With a stride dy has zeros between its elements; so has x with input dilation.

// CHECK-LABEL: @strided
// CHECK:         conv.depthwise {{.*}} view <rows = [12], taps = [3], stride = [1], step = [-2], offset = [1], groups = 1> dilated [3] schedule
// CHECK:         conv.depthwise {{.*}} view <rows = [3], taps = [4], stride = [-1], step = [3], offset = [1], groups = 1> dilated [2] schedule
func.func @strided(%dy: tensor<2x4x4xf32>, %w: tensor<4x3x1xf32>, %x: tensor<2x6x4xf32>, %dx0: tensor<2x12x4xf32>, %dw0: tensor<4x3x1xf32>) -> (tensor<2x12x4xf32>, tensor<4x3x1xf32>) {
  %dx = conv.dgrad ins(%dy, %w : tensor<2x4x4xf32>, tensor<4x3x1xf32>) outs(%dx0 : tensor<2x12x4xf32>) stride [3] pad [1:2] dilation [2] groups 4 {conv.schedule = #conv.schedule<algorithm = loops, tile = [3, 4, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma>} -> tensor<2x12x4xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<2x6x4xf32>, tensor<2x4x4xf32>) outs(%dw0 : tensor<4x3x1xf32>) stride [3] pad [1:0] input_dilation [2] groups 4 flip {conv.schedule = #conv.schedule<algorithm = loops, tile = [3, 4, 4], warps = [1, 1], stages = 1, copy = cp_async, mma = fma>} -> tensor<4x3x1xf32>
  return %dx, %dw : tensor<2x12x4xf32>, tensor<4x3x1xf32>
}

// -----

// Images with their channels first, and filters, as they lie.

// CHECK-LABEL: @first
// CHECK-SAME:    %[[X:.*]]: tensor<2x16x6x16xf32>, %[[W:.*]]: tensor<16x1x3x3xf32>
// CHECK-NOT:     linalg.transpose
// CHECK:         %[[M:.*]] = tensor.collapse_shape %[[W]] {{\[\[}}0], [1, 2, 3]] : {{.*}} into tensor<16x9xf32>
// CHECK:         %[[S:.*]] = conv.depthwise %[[X]], %[[M]] view <rows = [3, 8], taps = [3, 3], stride = [2, 2], step = [1, 1], offset = [-1, -1], groups = 1> channels_first schedule <algorithm=loops tile=4x1x1 {{.*}}> : {{.*}} -> tensor<2x16x3x8xf32>
// CHECK:         return %[[S]]
func.func @first(%x: tensor<2x16x6x16xf32>, %w: tensor<16x1x3x3xf32>, %y0: tensor<2x16x3x8xf32>) -> tensor<2x16x3x8xf32> {
  %y = conv.forward ins(%x, %w : tensor<2x16x6x16xf32>, tensor<16x1x3x3xf32>) outs(%y0 : tensor<2x16x3x8xf32>) stride [2, 2] pad [1, 1] groups 16 layout nchw {conv.schedule = #conv.schedule<algorithm = loops, tile = [4, 1, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma, gather = true>} -> tensor<2x16x3x8xf32>
  return %y : tensor<2x16x3x8xf32>
}

// -----

// The sum of parts is the gradient as it is.

// CHECK-LABEL: @first_wgrad
// CHECK-SAME:    %[[X:.*]]: tensor<2x16x8x10xf32>, %[[DY:.*]]: tensor<2x16x6x8xf32>
// CHECK-NOT:     linalg.transpose
// CHECK:         %[[F:.*]] = tensor.collapse_shape %[[DY]] {{\[\[}}0], [1], [2, 3]] : {{.*}} into tensor<2x16x48xf32>
// CHECK:         %[[S:.*]] = conv.depthwise %[[X]], %[[F]] view <rows = [3, 3], taps = [6, 8], {{.*}}> channels_first {{.*}} -> tensor<6x16x3x3xf32>
// CHECK:         %[[P:.*]] = tensor.collapse_shape %[[S]] {{.*}} into tensor<6x16x9xf32>
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[P]] : tensor<6x16x9xf32>)
// CHECK-NOT:     linalg.transpose
// CHECK:         %[[DW:.*]] = tensor.expand_shape %[[SUM]] {{.*}} into tensor<16x1x3x3xf32>
// CHECK:         return %[[DW]]
func.func @first_wgrad(%x: tensor<2x16x8x10xf32>, %dy: tensor<2x16x6x8xf32>, %dw0: tensor<16x1x3x3xf32>) -> tensor<16x1x3x3xf32> {
  %dw = conv.wgrad ins(%x, %dy : tensor<2x16x8x10xf32>, tensor<2x16x6x8xf32>) outs(%dw0 : tensor<16x1x3x3xf32>) groups 16 layout nchw {conv.schedule = #conv.schedule<algorithm = loops, tile = [3, 1, 4], warps = [1, 1], stages = 1, copy = cp_async, mma = fma, split = 3, gather = true>} -> tensor<16x1x3x3xf32>
  return %dw : tensor<16x1x3x3xf32>
}

// -----

// Tensor cores add the images of a part, so that there are no more sums than
// parts.

// CHECK-LABEL: func.func @bands
// CHECK:         %[[S:.*]] = conv.depthwise {{.*}} : tensor<16x8x10x16xbf16>, tensor<16x48x16xbf16> -> tensor<2x3x3x16xf32>
// CHECK:         tensor.collapse_shape %[[S]] {{.*}} into tensor<2x9x16xf32>
func.func @bands(%x: tensor<16x8x10x16xbf16>, %dy: tensor<16x6x8x16xbf16>, %dw0: tensor<16x3x3x1xf32>) -> tensor<16x3x3x1xf32> {
  %dw = conv.wgrad ins(%x, %dy : tensor<16x8x10x16xbf16>, tensor<16x6x8x16xbf16>) outs(%dw0 : tensor<16x3x3x1xf32>) groups 16 {conv.schedule = #conv.schedule<algorithm = loops, tile = [3, 16, 8], warps = [1, 4], stages = 2, copy = cp_async, mma = mma_sync, split = 2>} -> tensor<16x3x3x1xf32>
  return %dw : tensor<16x3x3x1xf32>
}

// -----

func.func @last(%x: tensor<2x8x16xbf16>, %w: tensor<16x3x1xbf16>, %y0: tensor<2x6x16xbf16>) -> tensor<2x6x16xbf16> {
  // expected-error @below {{implicit GEMM reads images with their channels first where algorithm loops gathers (conv-restore-layout)}}
  %y = conv.forward ins(%x, %w : tensor<2x8x16xbf16>, tensor<16x3x1xbf16>) outs(%y0 : tensor<2x6x16xbf16>) groups 16 {conv.schedule = #conv.schedule<algorithm = loops, tile = [6, 1, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma, gather = true>} -> tensor<2x6x16xbf16>
  return %y : tensor<2x6x16xbf16>
}

// -----

func.func @groups(%x: tensor<2x8x8xbf16>, %w: tensor<8x3x2xbf16>, %y0: tensor<2x6x8xbf16>) -> tensor<2x6x8xbf16> {
  // expected-error @below {{implicit GEMM cannot be left out: algorithm loops is for groups of one channel and one filter, but 4 groups have 8 and 8}}
  %y = conv.forward ins(%x, %w : tensor<2x8x8xbf16>, tensor<8x3x2xbf16>) outs(%y0 : tensor<2x6x8xbf16>) groups 4 {conv.schedule = #conv.schedule<algorithm = loops, tile = [4, 8, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma>} -> tensor<2x6x8xbf16>
  return %y : tensor<2x6x8xbf16>
}
