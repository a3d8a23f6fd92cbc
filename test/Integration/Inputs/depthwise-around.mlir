// Depthwise convolutions without matrices, whose sums several operations read,
// also in another order or shape, or none.

#id = affine_map<(n, p, q, c) -> (n, p, q, c)>
func.func @several(%x: tensor<2x6x8x16xbf16>, %w: tensor<16x3x3x1xbf16>, %k: tensor<24x1x1x16xbf16>, %w2: tensor<24x3x3x1xbf16>, %r: tensor<2x6x8x16xbf16>) -> (tensor<2x6x8x16xbf16>, tensor<2x6x8x16xf32>, tensor<2x16x6x8xbf16>, tensor<2x16xf32>, tensor<2x6x8x24xbf16>) {
  %e = tensor.empty() : tensor<2x6x8x16xbf16>
  %ef = tensor.empty() : tensor<2x6x8x16xf32>
  %y = conv.forward ins(%x, %w : tensor<2x6x8x16xbf16>, tensor<16x3x3x1xbf16>) outs(%e : tensor<2x6x8x16xbf16>) pad [1, 1] groups 16 {conv.schedule = #conv.schedule<algorithm = loops, tile = [4, 8, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma>} -> tensor<2x6x8x16xbf16>
  %relu = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%y, %r : tensor<2x6x8x16xbf16>, tensor<2x6x8x16xbf16>) outs(%ef : tensor<2x6x8x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %s = arith.mulf %a, %b : bf16
    %f = arith.extf %s : bf16 to f32
    linalg.yield %f : f32
  } -> tensor<2x6x8x16xf32>
  %et = tensor.empty() : tensor<2x16x6x8xbf16>
  %t = linalg.transpose ins(%y : tensor<2x6x8x16xbf16>) outs(%et : tensor<2x16x6x8xbf16>) permutation = [0, 3, 1, 2]
  %z = arith.constant 0.0 : f32
  %em = tensor.empty() : tensor<2x16xf32>
  %fm = linalg.fill ins(%z : f32) outs(%em : tensor<2x16xf32>) -> tensor<2x16xf32>
  %m = linalg.generic {indexing_maps = [#id, affine_map<(n, p, q, c) -> (n, c)>], iterator_types = ["parallel", "reduction", "reduction", "parallel"]} ins(%y : tensor<2x6x8x16xbf16>) outs(%fm : tensor<2x16xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %f = arith.extf %a : bf16 to f32
    %s = arith.addf %o, %f : f32
    linalg.yield %s : f32
  } -> tensor<2x16xf32>
  %e24 = tensor.empty() : tensor<2x6x8x24xbf16>
  %p = conv.forward ins(%y, %k : tensor<2x6x8x16xbf16>, tensor<24x1x1x16xbf16>) outs(%e24 : tensor<2x6x8x24xbf16>) -> tensor<2x6x8x24xbf16>
  %d = conv.forward ins(%p, %w2 : tensor<2x6x8x24xbf16>, tensor<24x3x3x1xbf16>) outs(%e24 : tensor<2x6x8x24xbf16>) pad [1, 1] groups 24 {conv.schedule = #conv.schedule<algorithm = loops, tile = [4, 8, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma>} -> tensor<2x6x8x24xbf16>
  return %y, %relu, %t, %m, %d : tensor<2x6x8x16xbf16>, tensor<2x6x8x16xf32>, tensor<2x16x6x8xbf16>, tensor<2x16xf32>, tensor<2x6x8x24xbf16>
}
func.func @transposed(%x: tensor<2x6x8x16xf32>, %w: tensor<16x3x3x1xf32>) -> (tensor<2x16x6x8xf32>) {
  %e = tensor.empty() : tensor<2x6x8x16xf32>
  %y = conv.forward ins(%x, %w : tensor<2x6x8x16xf32>, tensor<16x3x3x1xf32>) outs(%e : tensor<2x6x8x16xf32>) pad [1, 1] groups 16 {conv.schedule = #conv.schedule<algorithm = loops, tile = [4, 4, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma>} -> tensor<2x6x8x16xf32>
  %et = tensor.empty() : tensor<2x16x6x8xf32>
  %t = linalg.transpose ins(%y : tensor<2x6x8x16xf32>) outs(%et : tensor<2x16x6x8xf32>) permutation = [0, 3, 1, 2]
  return %t : tensor<2x16x6x8xf32>
}
func.func @reshaped(%x: tensor<2x6x8x16xf32>, %w: tensor<16x3x3x1xf32>) -> (tensor<96x16xf32>, tensor<2x6x8xf32>) {
  %e = tensor.empty() : tensor<2x6x8x16xf32>
  %y = conv.forward ins(%x, %w : tensor<2x6x8x16xf32>, tensor<16x3x3x1xf32>) outs(%e : tensor<2x6x8x16xf32>) pad [1, 1] groups 16 {conv.schedule = #conv.schedule<algorithm = loops, tile = [4, 4, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma>} -> tensor<2x6x8x16xf32>
  %c = tensor.collapse_shape %y [[0, 1, 2], [3]] : tensor<2x6x8x16xf32> into tensor<96x16xf32>
  %e2 = tensor.empty() : tensor<96x16xf32>
  %exp = linalg.exp ins(%c : tensor<96x16xf32>) outs(%e2 : tensor<96x16xf32>) -> tensor<96x16xf32>
  %z = arith.constant 0.0 : f32
  %em = tensor.empty() : tensor<2x6x8xf32>
  %fm = linalg.fill ins(%z : f32) outs(%em : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
  %m = linalg.reduce {arith.addf} ins(%y : tensor<2x6x8x16xf32>) outs(%fm : tensor<2x6x8xf32>) dimensions = [3]
  return %exp, %m : tensor<96x16xf32>, tensor<2x6x8xf32>
}
