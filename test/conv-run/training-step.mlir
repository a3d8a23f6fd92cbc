// A layer's output and both of its gradients in one plan.
//
// RUN: conv-run %s --target=sm_90 --device=emulator --input=integers:1 --input=integers:2 --input=integers:3 --verify=full | FileCheck %s

// CHECK: 3 convolutions
// CHECK: promise    deterministic
// CHECK: verify     full: passed, relative error 0 (

func.func @main(%x: tensor<2x9x11x16xf16>, %w: tensor<24x3x2x16xf16>, %dy: tensor<2x5x10x24xf16>)
    -> (tensor<2x5x10x24xf16>, tensor<2x9x11x16xf16>, tensor<24x3x2x16xf32>) {
  %y0 = tensor.empty() : tensor<2x5x10x24xf16>
  %y = conv.forward ins(%x, %w : tensor<2x9x11x16xf16>, tensor<24x3x2x16xf16>) outs(%y0 : tensor<2x5x10x24xf16>) stride [2, 1] pad [1, 0] -> tensor<2x5x10x24xf16>
  %dx0 = tensor.empty() : tensor<2x9x11x16xf16>
  %dx = conv.dgrad ins(%dy, %w : tensor<2x5x10x24xf16>, tensor<24x3x2x16xf16>) outs(%dx0 : tensor<2x9x11x16xf16>) stride [2, 1] pad [1, 0] -> tensor<2x9x11x16xf16>
  %dw0 = tensor.empty() : tensor<24x3x2x16xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<2x9x11x16xf16>, tensor<2x5x10x24xf16>) outs(%dw0 : tensor<24x3x2x16xf32>) stride [2, 1] pad [1, 0] -> tensor<24x3x2x16xf32>
  return %y, %dx, %dw : tensor<2x5x10x24xf16>, tensor<2x9x11x16xf16>, tensor<24x3x2x16xf32>
}
