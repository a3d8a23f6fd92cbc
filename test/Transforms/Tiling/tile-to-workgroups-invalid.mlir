// RUN: conv-opt %s -conv-tile-to-workgroups -split-input-file -verify-diagnostics

// The second phase reads another tensor: no kernel could be both.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 16, 16], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>
#mtk = affine_map<(m, n, t, k) -> (m, t, k)>
#ktn = affine_map<(m, n, t, k) -> (k, t, n)>
#mn = affine_map<(m, n, t, k) -> (m, n)>
#dy = #conv.view<rows = [4], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#w = #conv.view<rows = [1], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>

func.func @unlike_phases(%dy: tensor<1x4x16xf16>, %other: tensor<1x4x16xf16>, %w: tensor<16x1x16xf16>, %dx: tensor<1x8x16xf32>) -> tensor<1x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %W = conv.im2col %w view #w : tensor<16x1x16xf16> -> tensor<16x1x16xf16>
  %e = tensor.empty() : tensor<4x16xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %DY0 = conv.im2col %dy view #dy : tensor<1x4x16xf16> -> tensor<4x1x16xf16>
  %a0 = linalg.generic {indexing_maps = [#mtk, #ktn, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%DY0, %W : tensor<4x1x16xf16>, tensor<16x1x16xf16>) outs(%i : tensor<4x16xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %b : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %c, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<4x16xf32>
  %s0 = conv.scatter %a0 into %dx view <rows = [4], taps = [1], stride = [2], step = [1], offset = [0], groups = 1> : tensor<4x16xf32> into tensor<1x8x16xf32> -> tensor<1x8x16xf32>
  // expected-error @below {{the stride phases of a result must differ in the views of their matrices only}}
  %DY1 = conv.im2col %other view #dy : tensor<1x4x16xf16> -> tensor<4x1x16xf16>
  %a1 = linalg.generic {indexing_maps = [#mtk, #ktn, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%DY1, %W : tensor<4x1x16xf16>, tensor<16x1x16xf16>) outs(%i : tensor<4x16xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %b : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %c, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<4x16xf32>
  %s1 = conv.scatter %a1 into %s0 view <rows = [4], taps = [1], stride = [2], step = [1], offset = [1], groups = 1> : tensor<4x16xf32> into tensor<1x8x16xf32> -> tensor<1x8x16xf32>
  return %s1 : tensor<1x8x16xf32>
}

// -----

// Without a loop over taps, a phase that no tap reaches could not be skipped.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 16, 16], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>
#dy = #conv.view<rows = [4], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#w = #conv.view<rows = [1], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>

func.func @no_taps_to_skip(%dy: tensor<1x4x16xf16>, %w: tensor<16x1x16xf16>, %dx: tensor<1x8x16xf32>) -> tensor<1x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %DY = conv.im2col %dy view #dy : tensor<1x4x16xf16> -> tensor<4x16xf16>
  %W = conv.im2col %w view #w : tensor<16x1x16xf16> -> tensor<16x16xf16>
  %e = tensor.empty() : tensor<4x16xf32>
  // expected-error @below {{the stride phases of a result must differ in the views of their matrices only}}
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%DY, %W : tensor<4x16xf16>, tensor<16x16xf16>) outs(%i : tensor<4x16xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%p: f16, %q: f16, %c: f32):
    %0 = arith.extf %p : f16 to f32
    %1 = arith.extf %q : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %c, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<4x16xf32>
  %s0 = conv.scatter %a into %dx view <rows = [4], taps = [1], stride = [2], step = [1], offset = [0], groups = 1> : tensor<4x16xf32> into tensor<1x8x16xf32> -> tensor<1x8x16xf32>
  %s1 = conv.scatter %i into %s0 view <rows = [4], taps = [1], stride = [2], step = [1], offset = [1], groups = 1> : tensor<4x16xf32> into tensor<1x8x16xf32> -> tensor<1x8x16xf32>
  return %s1 : tensor<1x8x16xf32>
}

// -----

// A residual that is no matrix of the result's view cannot follow the sum of
// parts.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 16, 16], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync, split = 2>
#y = #conv.view<rows = [4], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>

func.func @shifted_residual(%x: tensor<1x4x32xf16>, %w: tensor<16x1x32xf16>, %r: tensor<1x4x16xf32>, %y0: tensor<1x4x16xf32>) -> tensor<1x4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %X = conv.im2col %x view #y : tensor<1x4x32xf16> -> tensor<4x1x32xf16>
  %W = conv.im2col %w view <rows = [1], taps = [1], stride = [1], step = [1], offset = [0], groups = 1> : tensor<16x1x32xf16> -> tensor<16x1x32xf16>
  %e = tensor.empty() : tensor<4x16xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(m, n, t, k) -> (m, t, k)>, affine_map<(m, n, t, k) -> (n, t, k)>, affine_map<(m, n, t, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%X, %W : tensor<4x1x32xf16>, tensor<16x1x32xf16>) outs(%i : tensor<4x16xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%p: f16, %q: f16, %c: f32):
    %0 = arith.extf %p : f16 to f32
    %1 = arith.extf %q : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %c, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<4x16xf32>
  // expected-error @below {{an epilogue operand must be a row of channels or a conv.im2col through the result's view, but is 'tensor<4x16xf32>'}}
  %R = conv.im2col %r view <rows = [4], taps = [1], stride = [1], step = [1], offset = [1], groups = 1> : tensor<1x4x16xf32> -> tensor<4x16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%a, %R : tensor<4x16xf32>, tensor<4x16xf32>) outs(%e : tensor<4x16xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.addf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<4x16xf32>
  %y = conv.scatter %s into %y0 view #y : tensor<4x16xf32> into tensor<1x4x16xf32> -> tensor<1x4x16xf32>
  return %y : tensor<1x4x16xf32>
}

// -----

// A schedule that somebody has written is checked before anything is tiled:
// against the widest limits of all targets, since this pass knows none.

#deep = #conv.schedule<algorithm = implicit_gemm, tile = [256, 128, 64], warps = [4, 2], stages = 5, copy = cp_async, mma = mma_sync>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @shared_memory(%a: tensor<64x32xf16>, %b: tensor<48x32xf16>, %i: tensor<64x48xf32>) -> tensor<64x48xf32> {
  // expected-error @below {{cannot run: 245760 bytes of shared memory, but sm_90a has 232448 for a workgroup}}
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x32xf16>, tensor<48x32xf16>) outs(%i : tensor<64x48xf32>) attrs = {conv.schedule = #deep} {
  ^bb0(%x: f16, %y: f16, %z: f32):
    linalg.yield %z : f32
  } -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}

// -----

#narrow = #conv.schedule<algorithm = implicit_gemm, tile = [32, 32, 24], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @tile(%a: tensor<64x32xf16>, %b: tensor<48x32xf16>, %i: tensor<64x48xf32>) -> tensor<64x48xf32> {
  // expected-error @below {{cannot run: tile gemm-k (24) must be 32, 64 or 128 bytes, but is 48}}
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x32xf16>, tensor<48x32xf16>) outs(%i : tensor<64x48xf32>) attrs = {conv.schedule = #narrow} {
  ^bb0(%x: f16, %y: f16, %z: f32):
    linalg.yield %z : f32
  } -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}
