func.func @main(%x: tensor<1x4x5x16xf16>, %w: tensor<16x3x3x16xf16>, %v: tensor<16x3x3x16xf16>) -> tensor<1x4x5x16xf16> {
  %e = tensor.empty() : tensor<1x4x5x16xf16>
  %a = conv.forward ins(%x, %w : tensor<1x4x5x16xf16>, tensor<16x3x3x16xf16>)
                    outs(%e : tensor<1x4x5x16xf16>) pad [1, 1] -> tensor<1x4x5x16xf16>
  %b = conv.dgrad ins(%a, %v : tensor<1x4x5x16xf16>, tensor<16x3x3x16xf16>)
                  outs(%e : tensor<1x4x5x16xf16>) pad [1, 1] -> tensor<1x4x5x16xf16>
  %c = conv.forward ins(%b, %w : tensor<1x4x5x16xf16>, tensor<16x3x3x16xf16>)
                    outs(%e : tensor<1x4x5x16xf16>) pad [1, 1] -> tensor<1x4x5x16xf16>
  return %c : tensor<1x4x5x16xf16>
}
