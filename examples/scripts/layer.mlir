// One small 3x3 convolution, for sweep.py.
func.func @layer(%x: tensor<2x12x10x32xbf16>, %w: tensor<64x3x3x32xbf16>) -> tensor<2x12x10x64xbf16> {
  %e = tensor.empty() : tensor<2x12x10x64xbf16>
  %y = conv.forward ins(%x, %w : tensor<2x12x10x32xbf16>, tensor<64x3x3x32xbf16>)
                    outs(%e : tensor<2x12x10x64xbf16>) pad [1, 1] -> tensor<2x12x10x64xbf16>
  return %y : tensor<2x12x10x64xbf16>
}
