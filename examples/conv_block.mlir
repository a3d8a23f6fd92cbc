// Two layers of a convolution block on an image of 427 x 640, NHWC bf16:
//
//   y = relu(conv3x3(relu(conv3x3(x, w1) + b1), w2) + b2)
//
// Every layer becomes one kernel: the bias, the relu and the rounding to bf16
// are part of the store.

#element = affine_map<(n, p, q, k) -> (n, p, q, k)>
#channel = affine_map<(n, p, q, k) -> (k)>

func.func @block(%x: tensor<1x427x640x3xbf16>, %w1: tensor<16x3x3x3xbf16>, %b1: tensor<16xf32>,
                 %w2: tensor<3x3x3x16xbf16>, %b2: tensor<3xf32>) -> tensor<1x427x640x3xbf16> {
  %zero = arith.constant 0.0 : f32

  %e1 = tensor.empty() : tensor<1x427x640x16xf32>
  %c1 = conv.forward ins(%x, %w1 : tensor<1x427x640x3xbf16>, tensor<16x3x3x3xbf16>)
                     outs(%e1 : tensor<1x427x640x16xf32>) pad [1, 1] -> tensor<1x427x640x16xf32>
  %h0 = tensor.empty() : tensor<1x427x640x16xbf16>
  %h = linalg.generic {indexing_maps = [#element, #channel, #element],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c1, %b1 : tensor<1x427x640x16xf32>, tensor<16xf32>) outs(%h0 : tensor<1x427x640x16xbf16>) {
  ^bb0(%sum: f32, %bias: f32, %out: bf16):
    %biased = arith.addf %sum, %bias : f32
    %positive = arith.maximumf %biased, %zero : f32
    %rounded = arith.truncf %positive : f32 to bf16
    linalg.yield %rounded : bf16
  } -> tensor<1x427x640x16xbf16>

  %e2 = tensor.empty() : tensor<1x427x640x3xf32>
  %c2 = conv.forward ins(%h, %w2 : tensor<1x427x640x16xbf16>, tensor<3x3x3x16xbf16>)
                     outs(%e2 : tensor<1x427x640x3xf32>) pad [1, 1] -> tensor<1x427x640x3xf32>
  %y0 = tensor.empty() : tensor<1x427x640x3xbf16>
  %y = linalg.generic {indexing_maps = [#element, #channel, #element],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c2, %b2 : tensor<1x427x640x3xf32>, tensor<3xf32>) outs(%y0 : tensor<1x427x640x3xbf16>) {
  ^bb0(%sum: f32, %bias: f32, %out: bf16):
    %biased = arith.addf %sum, %bias : f32
    %positive = arith.maximumf %biased, %zero : f32
    %rounded = arith.truncf %positive : f32 to bf16
    linalg.yield %rounded : bf16
  } -> tensor<1x427x640x3xbf16>

  return %y : tensor<1x427x640x3xbf16>
}
