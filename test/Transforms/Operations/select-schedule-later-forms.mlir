// RUN: conv-opt %s -conv-select-schedule=chip=sm_80 -split-input-file -verify-diagnostics
// RUN: conv-opt %s -conv-to-blocks=chip=sm_80 -split-input-file -verify-diagnostics

// A schedule that stands on a contraction, a loop over tiles or a kernel is
// checked against the target, too.

#tma = #conv.schedule<algorithm = implicit_gemm, tile = [64, 16, 16], warps = [4, 1], stages = 3, copy = tma, mma = wgmma>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @engine(%a: tensor<64x32xf16>, %b: tensor<48x32xf16>, %i: tensor<64x48xf32>) -> tensor<64x48xf32> {
  // expected-error @below {{cannot run: TMA and wgmma are on sm_90a, not on sm_80}}
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x32xf16>, tensor<48x32xf16>) outs(%i : tensor<64x48xf32>) attrs = {conv.schedule = #tma} {
  ^bb0(%x: f16, %y: f16, %z: f32):
    linalg.yield %z : f32
  } -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}

// -----

#deep = #conv.schedule<algorithm = implicit_gemm, tile = [128, 128, 64], warps = [2, 2], stages = 6, copy = cp_async, mma = mma_sync>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @shared_memory(%a: tensor<64x32xf16>, %b: tensor<48x32xf16>, %i: tensor<64x48xf32>) -> tensor<64x48xf32> {
  // expected-error @below {{cannot run: 196608 bytes of shared memory, but sm_80 has 166912 for a workgroup}}
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x32xf16>, tensor<48x32xf16>) outs(%i : tensor<64x48xf32>) attrs = {conv.schedule = #deep} {
  ^bb0(%x: f16, %y: f16, %z: f32):
    linalg.yield %z : f32
  } -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}

// -----

#parts = #conv.schedule<algorithm = implicit_gemm, tile = [32, 32, 32], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync, split = 3>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @extents(%a: tensor<64x40xf16>, %b: tensor<48x40xf16>, %i: tensor<64x48xf32>) -> tensor<64x48xf32> {
  // expected-error @below {{cannot run: split-k is 3, but gemm-k has 2 blocks of 32}}
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x40xf16>, tensor<48x40xf16>) outs(%i : tensor<64x48xf32>) attrs = {conv.schedule = #parts} {
  ^bb0(%x: f16, %y: f16, %z: f32):
    linalg.yield %z : f32
  } -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}

// -----

#half = #conv.schedule<algorithm = implicit_gemm, tile = [32, 32, 32], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @type(%a: tensor<64x40xi32>, %b: tensor<48x40xi32>, %i: tensor<64x48xi32>) -> tensor<64x48xi32> {
  // expected-error @below {{cannot run: matrices of s32 are multiplied by no kernel}}
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x40xi32>, tensor<48x40xi32>) outs(%i : tensor<64x48xi32>) attrs = {conv.schedule = #half} {
  ^bb0(%x: i32, %y: i32, %z: i32):
    linalg.yield %z : i32
  } -> tensor<64x48xi32>
  return %r : tensor<64x48xi32>
}

// -----

#tma = #conv.schedule<algorithm = implicit_gemm, tile = [64, 16, 16], warps = [4, 1], stages = 3, copy = tma, mma = wgmma>

func.func @tiles(%e: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{cannot run: TMA and wgmma are on sm_90a, not on sm_80}}
  %r = scf.forall (%i) in (4) shared_outs(%o = %e) -> tensor<4xf32> {
  } {conv.schedule = #tma}
  return %r : tensor<4xf32>
}
