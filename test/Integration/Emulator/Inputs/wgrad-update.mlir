// A gradient that updates a filter, each channel by a factor of its own.
func.func @main(%x: tensor<2x8x16x64xbf16>, %dy: tensor<2x8x16x72xbf16>, %w: tensor<72x3x3x64xf32>, %scale: tensor<64xf32>) -> tensor<72x3x3x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<72x3x3x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<72x3x3x64xf32>) -> tensor<72x3x3x64xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<2x8x16x64xbf16>, tensor<2x8x16x72xbf16>) outs(%init : tensor<72x3x3x64xf32>) pad [1, 1] -> tensor<72x3x3x64xf32>
  %rate = arith.constant 0.125 : f32
  %new = linalg.generic {indexing_maps = [affine_map<(k, r, s, c) -> (k, r, s, c)>, affine_map<(k, r, s, c) -> (k, r, s, c)>, affine_map<(k, r, s, c) -> (c)>, affine_map<(k, r, s, c) -> (k, r, s, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%w, %dw, %scale : tensor<72x3x3x64xf32>, tensor<72x3x3x64xf32>, tensor<64xf32>) outs(%empty : tensor<72x3x3x64xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32, %o: f32):
    %m = arith.mulf %b, %rate : f32
    %d = arith.subf %a, %m : f32
    %e = arith.mulf %d, %s : f32
    linalg.yield %e : f32
  } -> tensor<72x3x3x64xf32>
  return %new : tensor<72x3x3x64xf32>
}
