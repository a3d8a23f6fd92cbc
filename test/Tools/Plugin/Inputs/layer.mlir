func.func @main(%x: tensor<2x9x7x16xf16>, %w: tensor<24x3x2x16xf16>, %y: tensor<2x7x6x24xf16>) -> tensor<2x7x6x24xf16> {
  %r = conv.forward ins(%x, %w : tensor<2x9x7x16xf16>, tensor<24x3x2x16xf16>)
                    outs(%y : tensor<2x7x6x24xf16>) -> tensor<2x7x6x24xf16>
  return %r : tensor<2x7x6x24xf16>
}
