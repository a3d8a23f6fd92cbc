// Three convolutions with one product each, of which two are the same problem.
func.func @main(%x: tensor<1x1x1x1xbf16>, %w: tensor<1x1x1x1xbf16>)
    -> (tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>) {
  %e = tensor.empty() : tensor<1x1x1x1xf32>
  %a = conv.forward ins(%x, %w : tensor<1x1x1x1xbf16>, tensor<1x1x1x1xbf16>)
         outs(%e : tensor<1x1x1x1xf32>) -> tensor<1x1x1x1xf32>
  %b = conv.forward ins(%w, %x : tensor<1x1x1x1xbf16>, tensor<1x1x1x1xbf16>)
         outs(%e : tensor<1x1x1x1xf32>) -> tensor<1x1x1x1xf32>
  %c = conv.forward ins(%x, %w : tensor<1x1x1x1xbf16>, tensor<1x1x1x1xbf16>)
         outs(%e : tensor<1x1x1x1xf32>) dilation [2, 2] -> tensor<1x1x1x1xf32>
  return %a, %b, %c : tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>
}
