// Two convolutions, 3x3 and 1x1, for the scripts beside this file.
func.func @layers(%x: tensor<1x12x10x32xbf16>, %w0: tensor<64x3x3x32xbf16>,
                  %w1: tensor<32x1x1x64xbf16>) -> tensor<1x12x10x32xbf16> {
  %e0 = tensor.empty() : tensor<1x12x10x64xbf16>
  %y0 = conv.forward ins(%x, %w0 : tensor<1x12x10x32xbf16>, tensor<64x3x3x32xbf16>)
                     outs(%e0 : tensor<1x12x10x64xbf16>) pad [1, 1] -> tensor<1x12x10x64xbf16>
  %e1 = tensor.empty() : tensor<1x12x10x32xbf16>
  %y1 = conv.forward ins(%y0, %w1 : tensor<1x12x10x64xbf16>, tensor<32x1x1x64xbf16>)
                     outs(%e1 : tensor<1x12x10x32xbf16>) -> tensor<1x12x10x32xbf16>
  return %y1 : tensor<1x12x10x32xbf16>
}
