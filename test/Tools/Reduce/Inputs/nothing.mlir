func.func @main(%x: tensor<0x4x5x16xf16>, %w: tensor<16x3x3x16xf16>, %y: tensor<0x2x3x16xf16>) -> tensor<0x2x3x16xf16> {
  %a = conv.forward ins(%x, %w : tensor<0x4x5x16xf16>, tensor<16x3x3x16xf16>)
                    outs(%y : tensor<0x2x3x16xf16>) -> tensor<0x2x3x16xf16>
  return %a : tensor<0x2x3x16xf16>
}
