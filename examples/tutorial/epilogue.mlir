// A bias and a leaky relu behind a convolution, of docs/tutorial/3-epilogue.md.

#element = affine_map<(n, h, w, k) -> (n, h, w, k)>
#channel = affine_map<(n, h, w, k) -> (k)>

// Nothing else reads the sums: one kernel.
func.func @fused(%x: tensor<1x14x14x32xf16>, %w: tensor<32x3x3x32xf16>, %bias: tensor<32xf32>)
    -> tensor<1x14x14x32xf16> {
  %zero = arith.constant 0.0 : f32
  %slope = arith.constant 0.125 : f32
  %s = tensor.empty() : tensor<1x14x14x32xf32>
  %sums = conv.forward ins(%x, %w : tensor<1x14x14x32xf16>, tensor<32x3x3x32xf16>)
                       outs(%s : tensor<1x14x14x32xf32>) pad [1, 1] -> tensor<1x14x14x32xf32>
  %y = tensor.empty() : tensor<1x14x14x32xf16>
  %r = linalg.generic {indexing_maps = [#element, #channel, #element],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
         ins(%sums, %bias : tensor<1x14x14x32xf32>, tensor<32xf32>) outs(%y : tensor<1x14x14x32xf16>) {
  ^bb0(%sum: f32, %b: f32, %out: f16):
    %biased = arith.addf %sum, %b : f32
    %positive = arith.cmpf ogt, %biased, %zero : f32
    %less = arith.mulf %biased, %slope : f32
    %leaky = arith.select %positive, %biased, %less : f32
    %rounded = arith.truncf %leaky : f32 to f16
    linalg.yield %rounded : f16
  } -> tensor<1x14x14x32xf16>
  return %r : tensor<1x14x14x32xf16>
}

// The caller wants the sums as well: two kernels.
func.func @apart(%x: tensor<1x14x14x32xf16>, %w: tensor<32x3x3x32xf16>, %bias: tensor<32xf32>)
    -> (tensor<1x14x14x32xf16>, tensor<1x14x14x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %slope = arith.constant 0.125 : f32
  %s = tensor.empty() : tensor<1x14x14x32xf32>
  %sums = conv.forward ins(%x, %w : tensor<1x14x14x32xf16>, tensor<32x3x3x32xf16>)
                       outs(%s : tensor<1x14x14x32xf32>) pad [1, 1] -> tensor<1x14x14x32xf32>
  %y = tensor.empty() : tensor<1x14x14x32xf16>
  %r = linalg.generic {indexing_maps = [#element, #channel, #element],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
         ins(%sums, %bias : tensor<1x14x14x32xf32>, tensor<32xf32>) outs(%y : tensor<1x14x14x32xf16>) {
  ^bb0(%sum: f32, %b: f32, %out: f16):
    %biased = arith.addf %sum, %b : f32
    %positive = arith.cmpf ogt, %biased, %zero : f32
    %less = arith.mulf %biased, %slope : f32
    %leaky = arith.select %positive, %biased, %less : f32
    %rounded = arith.truncf %leaky : f32 to f16
    linalg.yield %rounded : f16
  } -> tensor<1x14x14x32xf16>
  return %r, %sums : tensor<1x14x14x32xf16>, tensor<1x14x14x32xf32>
}
