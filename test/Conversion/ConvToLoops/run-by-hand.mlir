// REQUIRES: mlir
// RUN: conv-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --convert-conv-to-loops --convert-linalg-to-loops --expand-strided-metadata --lower-affine \
// RUN:   --convert-scf-to-cf --convert-to-llvm --reconcile-unrealized-casts \
// RUN: | mlir-runner -e main -entry-point-result=void \
// RUN:     -shared-libs=%mlir_lib_dir/libmlir_runner_utils.so,%mlir_lib_dir/libmlir_c_runner_utils.so \
// RUN: | FileCheck %s

// Results that can be computed by hand.

func.func private @printMemrefF32(tensor<*xf32>)

// A dot product, with a position of padding at either end.
func.func @forward() {
  %x = arith.constant dense<[[[1.0], [2.0], [3.0], [4.0]]]> : tensor<1x4x1xf32>
  %w = arith.constant dense<[[[1.0], [10.0], [100.0]]]> : tensor<1x3x1xf32>
  %e = tensor.empty() : tensor<1x4x1xf32>
  %y = conv.forward ins(%x, %w : tensor<1x4x1xf32>, tensor<1x3x1xf32>) outs(%e : tensor<1x4x1xf32>) pad [1] -> tensor<1x4x1xf32>
  %f = tensor.collapse_shape %y [[0, 1, 2]] : tensor<1x4x1xf32> into tensor<4xf32>
  %u = tensor.cast %f : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}

// Cropped by one position in front, x spread by 2, filter dilated by 2: taps see
// positions 1 and 3 of 1 0 2 0 3, which are zeros, then 2 and 4.
func.func @forward_dilated() {
  %x = arith.constant dense<[[[1.0], [2.0], [3.0]]]> : tensor<1x3x1xf32>
  %w = arith.constant dense<[[[1.0], [10.0]]]> : tensor<1x2x1xf32>
  %e = tensor.empty() : tensor<1x2x1xf32>
  %y = conv.forward ins(%x, %w : tensor<1x3x1xf32>, tensor<1x2x1xf32>) outs(%e : tensor<1x2x1xf32>)
         pad [-1:0] dilation [2] input_dilation [2] -> tensor<1x2x1xf32>
  %f = tensor.collapse_shape %y [[0, 1, 2]] : tensor<1x2x1xf32> into tensor<2xf32>
  %u = tensor.cast %f : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}

// Two groups of two input channels and one output channel, channels first.
func.func @forward_groups_nchw() {
  %x = arith.constant dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]]> : tensor<1x4x2xf32>
  %w = arith.constant dense<[[[1.0], [10.0]], [[100.0], [1000.0]]]> : tensor<2x2x1xf32>
  %e = tensor.empty() : tensor<1x2x2xf32>
  %y = conv.forward ins(%x, %w : tensor<1x4x2xf32>, tensor<2x2x1xf32>) outs(%e : tensor<1x2x2xf32>)
         groups 2 layout nchw -> tensor<1x2x2xf32>
  %f = tensor.collapse_shape %y [[0, 1, 2]] : tensor<1x2x2xf32> into tensor<4xf32>
  %u = tensor.cast %f : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}

// C = K = 16, all ones: every second input position is in two windows, and the
// last one in none. It is zero, though the destination holds something else.
func.func @dgrad() {
  %dy = arith.constant dense<1.0> : tensor<1x7x16xf32>
  %w = arith.constant dense<1.0> : tensor<16x3x16xf32>
  %d = arith.constant dense<7.0> : tensor<1x16x16xf32>
  %dx = conv.dgrad ins(%dy, %w : tensor<1x7x16xf32>, tensor<16x3x16xf32>) outs(%d : tensor<1x16x16xf32>) stride [2] -> tensor<1x16x16xf32>
  %f = tensor.extract_slice %dx[0, 0, 5] [1, 16, 1] [1, 1, 1] : tensor<1x16x16xf32> to tensor<16xf32>
  %u = tensor.cast %f : tensor<16xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}

// All ones, padding 2 at the high end: how often each tap is used.
func.func @wgrad() {
  %x = arith.constant dense<1.0> : tensor<1x8x1xf32>
  %dy = arith.constant dense<1.0> : tensor<1x8x1xf32>
  %e = tensor.empty() : tensor<1x3x1xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<1x8x1xf32>, tensor<1x8x1xf32>) outs(%e : tensor<1x3x1xf32>) pad [0:2] -> tensor<1x3x1xf32>
  %f = tensor.collapse_shape %dw [[0, 1, 2]] : tensor<1x3x1xf32> into tensor<3xf32>
  %u = tensor.cast %f : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}

// An empty batch adds nothing up.
func.func @wgrad_empty_batch() {
  %x = tensor.empty() : tensor<0x8x1xf32>
  %dy = tensor.empty() : tensor<0x6x1xf32>
  %d = arith.constant dense<7.0> : tensor<1x3x1xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<0x8x1xf32>, tensor<0x6x1xf32>) outs(%d : tensor<1x3x1xf32>) -> tensor<1x3x1xf32>
  %f = tensor.collapse_shape %dw [[0, 1, 2]] : tensor<1x3x1xf32> into tensor<3xf32>
  %u = tensor.cast %f : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}

func.func @main() {
  // CHECK: {{\[}}210, 321, 432, 43]
  call @forward() : () -> ()
  // CHECK: {{\[}}0, 32]
  call @forward_dilated() : () -> ()
  // CHECK: {{\[}}31, 42, 7500, 8600]
  call @forward_groups_nchw() : () -> ()
  // CHECK: {{\[}}16, 16, 32, 16, 32, 16, 32, 16, 32, 16, 32, 16, 32, 16, 16, 0]
  call @dgrad() : () -> ()
  // CHECK: {{\[}}8, 7, 6]
  call @wgrad() : () -> ()
  // CHECK: {{\[}}0, 0, 0]
  call @wgrad_empty_batch() : () -> ()
  return
}
