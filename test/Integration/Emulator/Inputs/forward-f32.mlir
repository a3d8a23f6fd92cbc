func.func @main(%x: tensor<3x7x7x16xbf16>, %w: tensor<40x1x1x16xbf16>) -> tensor<3x7x7x40xf32> {
  %e = tensor.empty() : tensor<3x7x7x40xf32>
  %y = conv.forward ins(%x, %w : tensor<3x7x7x16xbf16>, tensor<40x1x1x16xbf16>) outs(%e : tensor<3x7x7x40xf32>) -> tensor<3x7x7x40xf32>
  return %y : tensor<3x7x7x40xf32>
}
