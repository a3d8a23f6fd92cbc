// RUN: conv-opt %s -pass-pipeline='builtin.module(func.func(conv-fold-taps))' -split-input-file -verify-diagnostics | FileCheck %s

// A stem of 5x3 taps, strides 2 and 3, three channels: 2 x 3 taps are 18
// channels, padded to 32, and 3x1 taps are left.

#stem = #conv.schedule<algorithm = implicit_gemm, tile = [32, 32, 16], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync, fold = [2, 3]>

// CHECK-LABEL: func @forward
// CHECK-SAME:    %[[X:.*]]: tensor<2x11x13x3xf16>, %[[W:.*]]: tensor<8x5x3x3xf16>, %[[Y0:.*]]: tensor
// CHECK:         %[[ROW:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1, 2, 3]] : {{.*}} into tensor<858xf16>
// CHECK:         %[[FOLDED:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x7x5x32xf16>)
// CHECK:           %[[OFFSET:.*]] = arith.select %[[EXISTS:.*]], %{{.*}}, %{{.*}} : index
// CHECK:           %[[VALUE:.*]] = tensor.extract %[[ROW]][%[[OFFSET]]]
// CHECK:           %[[ELEMENT:.*]] = arith.select %[[EXISTS]], %[[VALUE]], %{{.*}} : f16
// CHECK:           linalg.yield %[[ELEMENT]]
// CHECK:         %[[FILTER:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8x3x1x32xf16>)
// CHECK:         conv.forward ins(%[[FOLDED]], %[[FILTER]] : {{.*}}) outs(%{{.*}} : tensor<2x5x5x8xf16>) {conv.schedule = {{.*}}fold=2x3>}
func.func @forward(%x: tensor<2x11x13x3xf16>, %w: tensor<8x5x3x3xf16>, %y0: tensor<2x5x5x8xf16>) -> tensor<2x5x5x8xf16> {
  %y = conv.forward ins(%x, %w : tensor<2x11x13x3xf16>, tensor<8x5x3x3xf16>) outs(%y0 : tensor<2x5x5x8xf16>) stride [2, 3] pad [2:1, 1:1] {conv.schedule = #stem} -> tensor<2x5x5x8xf16>
  return %y : tensor<2x5x5x8xf16>
}

// dx is picked from dx': position h is tap (h + 2) mod 2 of row (h + 2) / 2.
// CHECK-LABEL: func @dgrad
// CHECK-SAME:    %[[DY:.*]]: tensor<2x5x5x8xf16>
// CHECK:         %[[FILTER:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8x3x1x32xf16>)
// CHECK:         %[[FOLDED:.*]] = conv.dgrad ins(%[[DY]], %[[FILTER]] : {{.*}}) outs(%{{.*}} : tensor<2x7x5x32xf16>) {conv.schedule
// CHECK:         %[[ROW:.*]] = tensor.collapse_shape %[[FOLDED]] {{.*}} into tensor<2240xf16>
// CHECK:         %[[DX:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x11x13x3xf16>)
// CHECK:           arith.divui
// CHECK:           arith.remui
// CHECK:           tensor.extract %[[ROW]]
// CHECK:         return %[[DX]]
func.func @dgrad(%dy: tensor<2x5x5x8xf16>, %w: tensor<8x5x3x3xf16>, %dx0: tensor<2x11x13x3xf16>) -> tensor<2x11x13x3xf16> {
  %dx = conv.dgrad ins(%dy, %w : tensor<2x5x5x8xf16>, tensor<8x5x3x3xf16>) outs(%dx0 : tensor<2x11x13x3xf16>) stride [2, 3] pad [2:1, 1:1] {conv.schedule = #stem} -> tensor<2x11x13x3xf16>
  return %dx : tensor<2x11x13x3xf16>
}

// Sums are rounded when dw is picked.
// CHECK-LABEL: func @wgrad
// CHECK:         %[[SUMS:.*]] = conv.wgrad ins(%{{.*}}, %{{.*}} : tensor<2x7x5x32xf16>, tensor<2x5x5x8xf16>) outs(%{{.*}} : tensor<8x3x1x32xf32>)
// CHECK:         %[[ROW:.*]] = tensor.collapse_shape %[[SUMS]] {{.*}} into tensor<768xf32>
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<8x5x3x3xf16>)
// CHECK:           %[[SUM:.*]] = tensor.extract %[[ROW]]
// CHECK:           arith.truncf %[[SUM]]
func.func @wgrad(%x: tensor<2x11x13x3xf16>, %dy: tensor<2x5x5x8xf16>, %dw0: tensor<8x5x3x3xf16>) -> tensor<8x5x3x3xf16> {
  %dw = conv.wgrad ins(%x, %dy : tensor<2x11x13x3xf16>, tensor<2x5x5x8xf16>) outs(%dw0 : tensor<8x5x3x3xf16>) stride [2, 3] pad [2:1, 1:1] {conv.schedule = #stem} -> tensor<8x5x3x3xf16>
  return %dw : tensor<8x5x3x3xf16>
}

// -----

// Filters that dgrad and wgrad read are padded, channels that TMA copies are
// not: dx is dx'.
#filters = #conv.schedule<algorithm = implicit_gemm, tile = [32, 32, 16], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync, fold = [1]>

// CHECK-LABEL: func @filters
// CHECK-SAME:    %[[X:.*]]: tensor<2x9x24xf16>, %[[DY:.*]]: tensor<2x7x11xf16>, %[[W:.*]]: tensor<11x3x24xf16>
// CHECK:         %[[FILTER:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<16x3x24xf16>)
// CHECK:         tensor.collapse_shape %[[DY]]
// CHECK:         %[[PADDED:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x7x16xf16>)
// CHECK:           %[[ELEVEN:.*]] = arith.constant 11
// CHECK:           arith.cmpi ult, %{{.*}}, %[[ELEVEN]]
// CHECK:         %[[DX:.*]] = conv.dgrad ins(%[[PADDED]], %[[FILTER]] : {{.*}}) outs(%{{.*}} : tensor<2x9x24xf16>)
// CHECK:         %[[DW:.*]] = conv.wgrad ins(%[[X]], %{{.*}} : tensor<2x9x24xf16>, tensor<2x7x16xf16>) outs(%{{.*}} : tensor<16x3x24xf32>)
// CHECK:         %[[PICKED:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<11x3x24xf16>)
// CHECK:         return %[[DX]], %[[PICKED]]
func.func @filters(%x: tensor<2x9x24xf16>, %dy: tensor<2x7x11xf16>, %w: tensor<11x3x24xf16>, %dx0: tensor<2x9x24xf16>, %dw0: tensor<11x3x24xf16>) -> (tensor<2x9x24xf16>, tensor<11x3x24xf16>) {
  %dx = conv.dgrad ins(%dy, %w : tensor<2x7x11xf16>, tensor<11x3x24xf16>) outs(%dx0 : tensor<2x9x24xf16>) {conv.schedule = #filters} -> tensor<2x9x24xf16>
  %dw = conv.wgrad ins(%x, %dy : tensor<2x9x24xf16>, tensor<2x7x11xf16>) outs(%dw0 : tensor<11x3x24xf16>) {conv.schedule = #filters} -> tensor<11x3x24xf16>
  return %dx, %dw : tensor<2x9x24xf16>, tensor<11x3x24xf16>
}

// -----

// With images in nchw there is one pass, not two: the transposition is not read.
#pad = #conv.schedule<algorithm = implicit_gemm, tile = [32, 32, 16], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync, fold = [1]>

// CHECK-LABEL: func @transposed
// CHECK-SAME:    %[[X:.*]]: tensor<2x3x9xf16>
// CHECK:         %[[ROW:.*]] = tensor.collapse_shape %[[X]] {{.*}} into tensor<54xf16>
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<2x9x16xf16>)
// CHECK:           %[[NINE:.*]] = arith.constant 9
// CHECK:           %[[CHANNEL:.*]] = arith.muli %{{.*}}, %[[NINE]] overflow<nsw> : index
// CHECK:           tensor.extract %[[ROW]]
// CHECK:         conv.forward {{.*}} stride [2] pad [1]
func.func @transposed(%x: tensor<2x3x9xf16>, %w: tensor<8x2x3xf16>, %y0: tensor<2x5x8xf16>) -> tensor<2x5x8xf16> {
  %e = tensor.empty() : tensor<2x9x3xf16>
  %t = linalg.transpose ins(%x : tensor<2x3x9xf16>) outs(%e : tensor<2x9x3xf16>) permutation = [0, 2, 1]
  %y = conv.forward ins(%t, %w : tensor<2x9x3xf16>, tensor<8x2x3xf16>) outs(%y0 : tensor<2x5x8xf16>) stride [2] pad [1:1] {conv.schedule = #pad} -> tensor<2x5x8xf16>
  return %y : tensor<2x5x8xf16>
}

// -----

// Windows that tile the image: x' is a transposition, w' is w.
#tiles = #conv.schedule<algorithm = implicit_gemm, tile = [32, 32, 16], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync, fold = [4, 2]>

// CHECK-LABEL: func @tiles
// CHECK-NOT:     linalg.generic
// CHECK:         %[[TILES:.*]] = linalg.transpose ins(%{{.*}} : tensor<2x3x4x5x2x6xf16>) outs(%{{.*}} : tensor<2x3x5x4x2x6xf16>) permutation = [0, 1, 3, 2, 4, 5]
// CHECK:         conv.forward ins(%{{.*}}, %{{.*}} : tensor<2x3x5x48xf16>, tensor<8x1x1x48xf16>)
func.func @tiles(%x: tensor<2x12x10x6xf16>, %w: tensor<8x4x2x6xf16>, %y0: tensor<2x3x5x8xf16>) -> tensor<2x3x5x8xf16> {
  %y = conv.forward ins(%x, %w : tensor<2x12x10x6xf16>, tensor<8x4x2x6xf16>) outs(%y0 : tensor<2x3x5x8xf16>) stride [4, 2] {conv.schedule = #tiles} -> tensor<2x3x5x8xf16>
  return %y : tensor<2x3x5x8xf16>
}

// CHECK-LABEL: func @tiles_of_gradient
// CHECK:         conv.dgrad
// CHECK:         linalg.transpose ins(%{{.*}} : tensor<2x3x5x4x2x6xf16>) outs(%{{.*}} : tensor<2x3x4x5x2x6xf16>) permutation = [0, 1, 3, 2, 4, 5]
func.func @tiles_of_gradient(%dy: tensor<2x3x5x8xf16>, %w: tensor<8x4x2x6xf16>, %dx0: tensor<2x12x10x6xf16>) -> tensor<2x12x10x6xf16> {
  %dx = conv.dgrad ins(%dy, %w : tensor<2x3x5x8xf16>, tensor<8x4x2x6xf16>) outs(%dx0 : tensor<2x12x10x6xf16>) stride [4, 2] {conv.schedule = #tiles} -> tensor<2x12x10x6xf16>
  return %dx : tensor<2x12x10x6xf16>
}

// -----

func.func @no_multiple(%x: tensor<1x9x3xf16>, %w: tensor<8x5x3xf16>, %y0: tensor<1x2x8xf16>) -> tensor<1x2x8xf16> {
  // expected-error @below {{cannot fold taps: fold (2) along W times the dilation (1) must be a multiple of the stride (3), or all 5 taps}}
  %y = conv.forward ins(%x, %w : tensor<1x9x3xf16>, tensor<8x5x3xf16>) outs(%y0 : tensor<1x2x8xf16>) stride [3] {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 32, 16], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync, fold = [2]>} -> tensor<1x2x8xf16>
  return %y : tensor<1x2x8xf16>
}

// -----

func.func @buffers(%x: memref<1x7x8xf16>, %w: memref<8x3x8xf16>, %y: memref<1x5x8xf16>) {
  // expected-error @below {{cannot fold taps: it is on buffers, not on tensors}}
  conv.forward ins(%x, %w : memref<1x7x8xf16>, memref<8x3x8xf16>) outs(%y : memref<1x5x8xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 32, 16], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync, fold = [3]>}
  return
}

// -----

func.func @channels_first(%x: tensor<1x8x7xf16>, %w: tensor<8x8x3xf16>, %y0: tensor<1x8x5xf16>) -> tensor<1x8x5xf16> {
  // expected-error @below {{cannot fold taps: needs the layout nhwc}}
  %y = conv.forward ins(%x, %w : tensor<1x8x7xf16>, tensor<8x8x3xf16>) outs(%y0 : tensor<1x8x5xf16>) layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 32, 16], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync, fold = [3]>} -> tensor<1x8x5xf16>
  return %y : tensor<1x8x5xf16>
}
