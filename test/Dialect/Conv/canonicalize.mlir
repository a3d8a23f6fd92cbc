// RUN: conv-opt %s --canonicalize --split-input-file | FileCheck %s

// Zeros around x become padding of the window, also where the window has
// padding of its own.

// CHECK-LABEL: func @fold_pad_forward
// CHECK-SAME: (%[[X:.*]]: tensor<2x6x6x4xf32>, %[[W:[^:]*]]
// CHECK-NOT: tensor.pad
// CHECK: conv.forward ins(%[[X]], %[[W]] : tensor<2x6x6x4xf32>,
// CHECK-SAME: stride [2, 2] pad [1:0, 2:0]
func.func @fold_pad_forward(%x: tensor<2x6x6x4xf32>, %w: tensor<6x3x3x4xf32>, %y: tensor<2x3x3x6xf32>) -> tensor<2x3x3x6xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 2, 0] high[0, 0, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<2x6x6x4xf32> to tensor<2x7x9x4xf32>
  %0 = conv.forward ins(%p, %w : tensor<2x7x9x4xf32>, tensor<6x3x3x4xf32>) outs(%y : tensor<2x3x3x6xf32>)
         stride [2, 2] pad [0, 0:-1] -> tensor<2x3x3x6xf32>
  return %0 : tensor<2x3x3x6xf32>
}

// -----

// One position of padding is input_dilation positions of the spread input.
// CHECK-LABEL: func @fold_pad_wgrad
// CHECK-SAME: (%[[X:.*]]: tensor<2x4x6xi8>, %[[DY:[^:]*]]
// CHECK: conv.wgrad ins(%[[X]], %[[DY]] : tensor<2x4x6xi8>,
// CHECK-SAME: pad [3:6] input_dilation [3] layout nchw
func.func @fold_pad_wgrad(%x: tensor<2x4x6xi8>, %dy: tensor<2x5x22xi8>, %dw: tensor<5x4x4xi32>) -> tensor<5x4x4xi32> {
  %zero = arith.constant 0 : i8
  %p = tensor.pad %x low[0, 0, 1] high[0, 0, 2] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %zero : i8
  } : tensor<2x4x6xi8> to tensor<2x4x9xi8>
  %0 = conv.wgrad ins(%p, %dy : tensor<2x4x9xi8>, tensor<2x5x22xi8>) outs(%dw : tensor<5x4x4xi32>)
         input_dilation [3] layout nchw -> tensor<5x4x4xi32>
  return %0 : tensor<5x4x4xi32>
}

// -----

// CHECK-LABEL: func @keep_pad_of_ones
// CHECK: tensor.pad
func.func @keep_pad_of_ones(%x: tensor<2x6x4xf32>, %w: tensor<6x3x4xf32>, %y: tensor<2x5x6xf32>) -> tensor<2x5x6xf32> {
  %one = arith.constant 1.0 : f32
  %p = tensor.pad %x low[0, 1, 0] high[0, 0, 0] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %one : f32
  } : tensor<2x6x4xf32> to tensor<2x7x4xf32>
  %0 = conv.forward ins(%p, %w : tensor<2x7x4xf32>, tensor<6x3x4xf32>) outs(%y : tensor<2x5x6xf32>) -> tensor<2x5x6xf32>
  return %0 : tensor<2x5x6xf32>
}

// -----

// CHECK-LABEL: func @keep_pad_of_channels
// CHECK: tensor.pad
func.func @keep_pad_of_channels(%x: tensor<2x7x3xf32>, %w: tensor<6x3x4xf32>, %y: tensor<2x5x6xf32>) -> tensor<2x5x6xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 0] high[0, 0, 1] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<2x7x3xf32> to tensor<2x7x4xf32>
  %0 = conv.forward ins(%p, %w : tensor<2x7x4xf32>, tensor<6x3x4xf32>) outs(%y : tensor<2x5x6xf32>) -> tensor<2x5x6xf32>
  return %0 : tensor<2x5x6xf32>
}

// -----

// Only padding is left to read: without the pad there would be no x.
// CHECK-LABEL: func @keep_pad_that_is_cropped
// CHECK: tensor.pad
func.func @keep_pad_that_is_cropped(%x: tensor<2x1x4xf32>, %w: tensor<6x1x4xf32>, %y: tensor<2x5x6xf32>) -> tensor<2x5x6xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 5, 0] high[0, 0, 0] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<2x1x4xf32> to tensor<2x6x4xf32>
  %0 = conv.forward ins(%p, %w : tensor<2x6x4xf32>, tensor<6x1x4xf32>) outs(%y : tensor<2x5x6xf32>) pad [0:-1] -> tensor<2x5x6xf32>
  return %0 : tensor<2x5x6xf32>
}

// -----

// CHECK-LABEL: func @fold_memref_cast
// CHECK-NOT: memref.cast
// CHECK: conv.forward ins(%{{.*}}, %{{.*}} : memref<2x7x4xf32>, memref<6x3x4xf32>) outs(%{{.*}} : memref<2x5x6xf32>)
func.func @fold_memref_cast(%x: memref<2x7x4xf32>, %w: memref<6x3x4xf32>, %y: memref<2x5x6xf32>) {
  %a = memref.cast %x : memref<2x7x4xf32> to memref<2x7x4xf32, strided<[?, ?, ?], offset: ?>>
  %b = memref.cast %y : memref<2x5x6xf32> to memref<2x5x6xf32, strided<[?, ?, ?], offset: ?>>
  conv.forward ins(%a, %w : memref<2x7x4xf32, strided<[?, ?, ?], offset: ?>>, memref<6x3x4xf32>)
               outs(%b : memref<2x5x6xf32, strided<[?, ?, ?], offset: ?>>)
  return
}

// -----

// The shapes of operands are static: a cast that makes them so stays.
// CHECK-LABEL: func @keep_memref_cast_of_dynamic
// CHECK: memref.cast
func.func @keep_memref_cast_of_dynamic(%x: memref<?x7x4xf32>, %w: memref<6x3x4xf32>, %y: memref<2x5x6xf32>) {
  %a = memref.cast %x : memref<?x7x4xf32> to memref<2x7x4xf32>
  conv.forward ins(%a, %w : memref<2x7x4xf32>, memref<6x3x4xf32>) outs(%y : memref<2x5x6xf32>)
  return
}

// -----

// CHECK-LABEL: func @steps_without_effect
// CHECK: conv.forward {{.*}} stride [1, 1, 2] pad
// CHECK-NOT: dilation
func.func @steps_without_effect(%x: tensor<2x1x3x8x4xf32>, %w: tensor<6x1x3x1x4xf32>, %y: tensor<2x1x1x4x6xf32>) -> tensor<2x1x1x4x6xf32> {
  %0 = conv.forward ins(%x, %w : tensor<2x1x3x8x4xf32>, tensor<6x1x3x1x4xf32>) outs(%y : tensor<2x1x1x4x6xf32>)
         stride [3, 2, 2] pad [0, 0, 1:-1] dilation [5, 1, 3] input_dilation [4, 1, 1] -> tensor<2x1x1x4x6xf32>
  return %0 : tensor<2x1x1x4x6xf32>
}

// -----

// The second window at stride 1 would fit: the stride matters.
// CHECK-LABEL: func @stride_that_skips
// CHECK: conv.dgrad {{.*}} stride [3]
func.func @stride_that_skips(%dy: tensor<2x1x6xf32>, %w: tensor<6x3x4xf32>, %dx: tensor<2x5x4xf32>) -> tensor<2x5x4xf32> {
  %0 = conv.dgrad ins(%dy, %w : tensor<2x1x6xf32>, tensor<6x3x4xf32>) outs(%dx : tensor<2x5x4xf32>)
         stride [3] -> tensor<2x5x4xf32>
  return %0 : tensor<2x5x4xf32>
}
