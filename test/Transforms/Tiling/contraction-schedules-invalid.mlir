// RUN: conv-opt %s -conv-tile-to-workgroups -split-input-file -verify-diagnostics
// RUN: conv-opt %s -conv-select-schedule=chip=sm_90a -split-input-file -verify-diagnostics
// RUN: conv-opt %s -conv-to-tiles=chip=sm_90a -split-input-file -verify-diagnostics
// RUN: conv-opt %s -conv-to-nvvm=chip=sm_90a -split-input-file -verify-diagnostics

// A schedule with TMA that somebody has written on a contraction is refused by
// the rules of schedules of convolutions, by each kind of kernel that it names,
// before anything is built.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 48, 32], warps = [4, 1], stages = 3, copy = cp_async, mma = wgmma>
#mk = affine_map<(m, n, t, k) -> (m, t, k)>
#nk = affine_map<(m, n, t, k) -> (n, t, k)>
#mn = affine_map<(m, n, t, k) -> (m, n)>

func.func @engines(%x: tensor<1x8x8x32xf16>, %w: tensor<48x9x32xf16>, %i: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %X = conv.im2col %x view <rows = [8, 8], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1> : tensor<1x8x8x32xf16> -> tensor<64x9x32xf16>
  // expected-error @below {{cannot run: mma=wgmma goes with copy=tma}}
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%X, %w : tensor<64x9x32xf16>, tensor<48x9x32xf16>) outs(%i : tensor<64x48xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%a: f16, %b: f16, %c: f32):
    linalg.yield %c : f32
  } -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [512, 48, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma>
#mk = affine_map<(m, n, t, k) -> (m, t, k)>
#nk = affine_map<(m, n, t, k) -> (n, t, k)>
#mn = affine_map<(m, n, t, k) -> (m, n)>

func.func @rows(%x: tensor<1x8x8x32xf16>, %w: tensor<48x9x32xf16>, %i: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %X = conv.im2col %x view <rows = [8, 8], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1> : tensor<1x8x8x32xf16> -> tensor<64x9x32xf16>
  // expected-error @below {{cannot run: tile gemm-m (512) must be at most the 256 rows of one box}}
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%X, %w : tensor<64x9x32xf16>, tensor<48x9x32xf16>) outs(%i : tensor<64x48xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%a: f16, %b: f16, %c: f32):
    linalg.yield %c : f32
  } -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 40, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma>
#mk = affine_map<(m, n, t, k) -> (m, t, k)>
#nk = affine_map<(m, n, t, k) -> (n, t, k)>
#mn = affine_map<(m, n, t, k) -> (m, n)>

func.func @columns(%x: tensor<1x8x8x32xf16>, %w: tensor<48x9x32xf16>, %i: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %X = conv.im2col %x view <rows = [8, 8], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1> : tensor<1x8x8x32xf16> -> tensor<64x9x32xf16>
  // expected-error @below {{cannot run: tile gemm-n (40) must be 16, 32, … 256}}
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%X, %w : tensor<64x9x32xf16>, tensor<48x9x32xf16>) outs(%i : tensor<64x48xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%a: f16, %b: f16, %c: f32):
    linalg.yield %c : f32
  } -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 48, 32], warps = [4, 1], stages = 1, copy = tma, mma = wgmma>
#mk = affine_map<(m, n, t, k) -> (m, t, k)>
#nk = affine_map<(m, n, t, k) -> (n, t, k)>
#mn = affine_map<(m, n, t, k) -> (m, n)>

func.func @ring(%x: tensor<1x8x8x32xf16>, %w: tensor<48x9x32xf16>, %i: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %X = conv.im2col %x view <rows = [8, 8], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1> : tensor<1x8x8x32xf16> -> tensor<64x9x32xf16>
  // expected-error @below {{cannot run: stages must be 2 to 12, but is 1}}
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%X, %w : tensor<64x9x32xf16>, tensor<48x9x32xf16>) outs(%i : tensor<64x48xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%a: f16, %b: f16, %c: f32):
    linalg.yield %c : f32
  } -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 256, 64], warps = [8, 1], stages = 6, copy = tma, mma = wgmma>
#mk = affine_map<(m, n, t, k) -> (m, t, k)>
#nk = affine_map<(m, n, t, k) -> (n, t, k)>
#mn = affine_map<(m, n, t, k) -> (m, n)>

func.func @memory(%x: tensor<1x8x8x32xf16>, %w: tensor<48x9x32xf16>, %i: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %X = conv.im2col %x view <rows = [8, 8], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1> : tensor<1x8x8x32xf16> -> tensor<64x9x32xf16>
  // expected-error @below {{cannot run: 361472 bytes of shared memory, what is staged of the result among them, but sm_90a has 232448 for a workgroup}}
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%X, %w : tensor<64x9x32xf16>, tensor<48x9x32xf16>) outs(%i : tensor<64x48xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%a: f16, %b: f16, %c: f32):
    linalg.yield %c : f32
  } -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 48, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, split = 300>
#mk = affine_map<(m, n, t, k) -> (m, t, k)>
#nk = affine_map<(m, n, t, k) -> (n, t, k)>
#mn = affine_map<(m, n, t, k) -> (m, n)>

func.func @parts(%x: tensor<1x8x8x32xf16>, %w: tensor<48x9x32xf16>, %i: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %X = conv.im2col %x view <rows = [8, 8], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1> : tensor<1x8x8x32xf16> -> tensor<64x9x32xf16>
  // expected-error @below {{cannot run: split-k is 300, but gemm-k has 9 taps, and blocks of 32 no more}}
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%X, %w : tensor<64x9x32xf16>, tensor<48x9x32xf16>) outs(%i : tensor<64x48xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%a: f16, %b: f16, %c: f32):
    linalg.yield %c : f32
  } -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 48, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, tail = 3>
#mk = affine_map<(m, n, t, k) -> (m, t, k)>
#nk = affine_map<(m, n, t, k) -> (n, t, k)>
#mn = affine_map<(m, n, t, k) -> (m, n)>

func.func @tail(%x: tensor<1x8x8x32xf16>, %w: tensor<48x9x32xf16>, %i: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %X = conv.im2col %x view <rows = [8, 8], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1> : tensor<1x8x8x32xf16> -> tensor<64x9x32xf16>
  // expected-error @below {{cannot run: tail divides tiles that are left after whole rounds of 132, but there are 1}}
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%X, %w : tensor<64x9x32xf16>, tensor<48x9x32xf16>) outs(%i : tensor<64x48xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%a: f16, %b: f16, %c: f32):
    linalg.yield %c : f32
  } -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 48, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, cluster = [3, 1]>
#mk = affine_map<(m, n, t, k) -> (m, t, k)>
#nk = affine_map<(m, n, t, k) -> (n, t, k)>
#mn = affine_map<(m, n, t, k) -> (m, n)>

func.func @cluster(%x: tensor<1x8x8x32xf16>, %w: tensor<48x9x32xf16>, %i: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %X = conv.im2col %x view <rows = [8, 8], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1> : tensor<1x8x8x32xf16> -> tensor<64x9x32xf16>
  // expected-error @below {{cannot run: cluster 3x1 loads tiles in 3 parts of a multiple of 8 rows, but one has 64}}
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%X, %w : tensor<64x9x32xf16>, tensor<48x9x32xf16>) outs(%i : tensor<64x48xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%a: f16, %b: f16, %c: f32):
    linalg.yield %c : f32
  } -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 48, 32], warps = [8, 1], stages = 3, copy = tma, mma = wgmma, teams = 2>
#mk = affine_map<(m, n, t, k) -> (m, t, k)>
#nk = affine_map<(m, n, t, k) -> (n, t, k)>
#mn = affine_map<(m, n, t, k) -> (m, n)>

func.func @teams(%x: tensor<1x8x8x32xf16>, %w: tensor<48x9x32xf16>, %i: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %X = conv.im2col %x view <rows = [8, 8], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1> : tensor<1x8x8x32xf16> -> tensor<64x9x32xf16>
  // expected-error @below {{cannot run: one team of 4, 8 or 12 warps, or two of 4, take the tiles in turn, but the schedule has 2 teams of 8}}
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%X, %w : tensor<64x9x32xf16>, tensor<48x9x32xf16>) outs(%i : tensor<64x48xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%a: f16, %b: f16, %c: f32):
    linalg.yield %c : f32
  } -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 48, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, staging = 24>
#mk = affine_map<(m, n, t, k) -> (m, t, k)>
#nk = affine_map<(m, n, t, k) -> (n, t, k)>
#mn = affine_map<(m, n, t, k) -> (m, n)>

func.func @staging(%x: tensor<1x8x8x32xf16>, %w: tensor<48x9x32xf16>, %i: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %X = conv.im2col %x view <rows = [8, 8], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1> : tensor<1x8x8x32xf16> -> tensor<64x9x32xf16>
  // expected-error @below {{cannot run: staging (24) must be a multiple or a part of 64 rows that divides the 64 of a warpgroup}}
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%X, %w : tensor<64x9x32xf16>, tensor<48x9x32xf16>) outs(%i : tensor<64x48xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%a: f16, %b: f16, %c: f32):
    linalg.yield %c : f32
  } -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 32], warps = [1, 4], stages = 3, copy = tma, mma = wgmma, split = 3>
#mk = affine_map<(m, n, t, k) -> (m, t, k)>
#nk = affine_map<(m, n, t, k) -> (n, t, k)>
#mn = affine_map<(m, n, t, k) -> (m, n)>

func.func @filters_as_rows(%x: tensor<1x8x8x32xf16>, %w: tensor<48x9x32xf16>, %i: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %X = conv.im2col %x view <rows = [8, 8], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1> : tensor<1x8x8x32xf16> -> tensor<64x9x32xf16>
  // expected-error @below {{cannot run: split-k=3 has no kernel with filters as rows (warps along gemm-n), a form that goes with resident, teams, staging, merge, fold and gather}}
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%X, %w : tensor<64x9x32xf16>, tensor<48x9x32xf16>) outs(%i : tensor<64x48xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%a: f16, %b: f16, %c: f32):
    linalg.yield %c : f32
  } -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}

