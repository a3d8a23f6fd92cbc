// RUN: conv-opt %s --convert-conv-to-loops --verify-diagnostics

func.func @tensors(%x: tensor<2x7x4xf32>, %w: tensor<6x3x4xf32>, %y: tensor<2x5x6xf32>) -> tensor<2x5x6xf32> {
  // expected-error @below {{'conv.forward' op must be on buffers to become loops; run -one-shot-bufferize first}}
  %0 = conv.forward ins(%x, %w : tensor<2x7x4xf32>, tensor<6x3x4xf32>) outs(%y : tensor<2x5x6xf32>) -> tensor<2x5x6xf32>
  return %0 : tensor<2x5x6xf32>
}
