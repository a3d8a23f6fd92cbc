// A step of training of one 3x3 layer: forward and both gradients, for
// gradients.mlir.
func.func @step(%x: tensor<1x12x10x32xbf16>, %w: tensor<64x3x3x32xbf16>, %dy: tensor<1x12x10x64xbf16>)
    -> (tensor<1x12x10x64xbf16>, tensor<1x12x10x32xbf16>, tensor<64x3x3x32xf32>) {
  %ey = tensor.empty() : tensor<1x12x10x64xbf16>
  %y = conv.forward ins(%x, %w : tensor<1x12x10x32xbf16>, tensor<64x3x3x32xbf16>)
                    outs(%ey : tensor<1x12x10x64xbf16>) pad [1, 1] -> tensor<1x12x10x64xbf16>
  %ex = tensor.empty() : tensor<1x12x10x32xbf16>
  %dx = conv.dgrad ins(%dy, %w : tensor<1x12x10x64xbf16>, tensor<64x3x3x32xbf16>)
                   outs(%ex : tensor<1x12x10x32xbf16>) pad [1, 1] -> tensor<1x12x10x32xbf16>
  %ew = tensor.empty() : tensor<64x3x3x32xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<1x12x10x32xbf16>, tensor<1x12x10x64xbf16>)
                   outs(%ew : tensor<64x3x3x32xf32>) pad [1, 1] -> tensor<64x3x3x32xf32>
  return %y, %dx, %dw : tensor<1x12x10x64xbf16>, tensor<1x12x10x32xbf16>, tensor<64x3x3x32xf32>
}
