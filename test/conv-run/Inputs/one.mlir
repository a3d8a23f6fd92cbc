func.func @f(%x: tensor<1x4x5x16xbf16>, %w: tensor<8x1x1x16xbf16>) -> tensor<1x4x5x8xbf16> {
  %y = tensor.empty() : tensor<1x4x5x8xbf16>
  %r = conv.forward ins(%x, %w : tensor<1x4x5x16xbf16>, tensor<8x1x1x16xbf16>)
                    outs(%y : tensor<1x4x5x8xbf16>) -> tensor<1x4x5x8xbf16>
  return %r : tensor<1x4x5x8xbf16>
}
