#element = affine_map<(n, p, q, k) -> (n, p, q, k)>
func.func @layer(%x: tensor<1x1x1x4xf32>) -> tensor<1x1x1x2xf32> {
  %w = arith.constant dense_resource<filter> : tensor<2x1x1x4xf32>
  %b = arith.constant dense_resource<"a row"> : tensor<2xf32>
  %e = tensor.empty() : tensor<1x1x1x2xf32>
  %y = conv.forward ins(%x, %w : tensor<1x1x1x4xf32>, tensor<2x1x1x4xf32>)
                    outs(%e : tensor<1x1x1x2xf32>) -> tensor<1x1x1x2xf32>
  %r = linalg.generic {indexing_maps = [#element, affine_map<(n, p, q, k) -> (k)>, #element],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y, %b : tensor<1x1x1x2xf32>, tensor<2xf32>) outs(%e : tensor<1x1x1x2xf32>) {
  ^bb0(%sum: f32, %bias: f32, %out: f32):
    %0 = arith.addf %sum, %bias : f32
    linalg.yield %0 : f32
  } -> tensor<1x1x1x2xf32>
  return %r : tensor<1x1x1x2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      filter: "0x040000000000803F000000400000404000008040000080BF000000C0000040C0000080C0",
      "a row": "0x040000000000003F00000041"
    }
  }
#-}
