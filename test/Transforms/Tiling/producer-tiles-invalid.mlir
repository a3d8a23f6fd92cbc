// RUN: conv-opt %s -conv-tile-to-workgroups -split-input-file -verify-diagnostics

// A pair of engines that is a form of its own has limits of its own.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 48, 32], warps = [4, 1], stages = 3, copy = tma, mma = mma_sync>
#mk = affine_map<(m, n, t, k) -> (m, t, k)>
#nk = affine_map<(m, n, t, k) -> (n, t, k)>
#mn = affine_map<(m, n, t, k) -> (m, n)>

func.func @producer(%x: tensor<1x8x8x32xf16>, %w: tensor<48x9x32xf16>, %i: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %X = conv.im2col %x view <rows = [8, 8], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1> : tensor<1x8x8x32xf16> -> tensor<64x9x32xf16>
  // expected-error @below {{cannot run: copy=tma goes with mma=mma_sync where an operand is MN-major}}
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%X, %w : tensor<64x9x32xf16>, tensor<48x9x32xf16>) outs(%i : tensor<64x48xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%a: f16, %b: f16, %c: f32):
    linalg.yield %c : f32
  } -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}

