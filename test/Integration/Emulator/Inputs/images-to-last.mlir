// Images with channels first, a result with channels last.
func.func @main(%x: tensor<5x64x10x10xbf16>, %w: tensor<64x1x1x64xbf16>) -> tensor<5x10x10x64xbf16> {
  %e = tensor.empty() : tensor<5x10x10x64xbf16>
  %t = linalg.transpose ins(%x : tensor<5x64x10x10xbf16>) outs(%e : tensor<5x10x10x64xbf16>) permutation = [0, 2, 3, 1]
  %y0 = tensor.empty() : tensor<5x10x10x64xbf16>
  %y = conv.forward ins(%t, %w : tensor<5x10x10x64xbf16>, tensor<64x1x1x64xbf16>) outs(%y0 : tensor<5x10x10x64xbf16>) -> tensor<5x10x10x64xbf16>
  return %y : tensor<5x10x10x64xbf16>
}
