// A convolution of linalg, with its padding: imported as conv.forward.
//
// RUN: conv-run %s --device=emulator --input=integers:1 --input=integers:2 --verify=full | FileCheck %s

// CHECK: 1 convolution
// CHECK: kernel     conv_forward_f16_64x32x16_tma_wgmma:
// CHECK: verify     full: passed, relative error 0 (

func.func @main(%x: tensor<1x11x13x16xf16>, %w: tensor<24x3x3x16xf16>) -> tensor<1x11x13x24xf32> {
  %z = arith.constant 0.0 : f16
  %zf = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : f16
  } : tensor<1x11x13x16xf16> to tensor<1x13x15x16xf16>
  %e = tensor.empty() : tensor<1x11x13x24xf32>
  %i = linalg.fill ins(%zf : f32) outs(%e : tensor<1x11x13x24xf32>) -> tensor<1x11x13x24xf32>
  %y = linalg.conv_2d_nhwc_fhwc {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%p, %w : tensor<1x13x15x16xf16>, tensor<24x3x3x16xf16>) outs(%i : tensor<1x11x13x24xf32>) -> tensor<1x11x13x24xf32>
  return %y : tensor<1x11x13x24xf32>
}
