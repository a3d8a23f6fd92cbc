// RUN: conv-opt %s -split-input-file -verify-diagnostics

// What passes may assume of an operation with a schedule.

#schedule = #conv.schedule<algorithm = im2col, tile = [32, 32, 32], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>

func.func @misplaced() -> tensor<4xf32> {
  // expected-error @below {{'tensor.empty' op has a conv.schedule: expected a convolution, a contraction, a loop over tiles or a kernel}}
  %e = tensor.empty() {conv.schedule = #schedule} : tensor<4xf32>
  return %e : tensor<4xf32>
}

// -----

#schedule = #conv.schedule<algorithm = im2col, tile = [32, 32, 32], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @empty(%a: tensor<4x0xf16>, %b: tensor<6x0xf16>, %i: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{has a conv.schedule: expected matrices with elements, got 'tensor<4x0xf16>'}}
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x0xf16>, tensor<6x0xf16>) outs(%i : tensor<4x6xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%x: f16, %y: f16, %z: f32):
    linalg.yield %z : f32
  } -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// -----

#schedule = #conv.schedule<algorithm = im2col, tile = [32, 32, 32], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>
#mgk = affine_map<(g, m, n, k) -> (m, g, k)>
#gnk = affine_map<(g, m, n, k) -> (g, n, k)>
#mgn = affine_map<(g, m, n, k) -> (m, g, n)>

func.func @no_groups(%a: tensor<4x0x5xf16>, %b: tensor<0x6x5xf16>, %i: tensor<4x0x6xf32>) -> tensor<4x0x6xf32> {
  // expected-error @below {{has a conv.schedule: expected matrices with elements, got 'tensor<4x0x5xf16>'}}
  %r = linalg.generic {indexing_maps = [#mgk, #gnk, #mgn], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x0x5xf16>, tensor<0x6x5xf16>) outs(%i : tensor<4x0x6xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%x: f16, %y: f16, %z: f32):
    linalg.yield %z : f32
  } -> tensor<4x0x6xf32>
  return %r : tensor<4x0x6xf32>
}

// -----

#schedule = #conv.schedule<algorithm = im2col, tile = [32, 32, 32], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>

func.func @dynamic(%a: tensor<?x5xf16>, %b: tensor<6x5xf16>, %i: tensor<?x6xf32>) -> tensor<?x6xf32> {
  // expected-error @below {{has a conv.schedule: expected matrices of static shape, got 'tensor<?x5xf16>'}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x5xf16>, tensor<6x5xf16>) outs(%i : tensor<?x6xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%x: f16, %y: f16, %z: f32):
    linalg.yield %z : f32
  } -> tensor<?x6xf32>
  return %r : tensor<?x6xf32>
}

// -----

#schedule = #conv.schedule<algorithm = im2col, tile = [32, 32, 32], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>
#id = affine_map<(m, n) -> (m, n)>

func.func @no_contraction(%a: tensor<4x5xf32>, %i: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // expected-error @below {{has a conv.schedule: expected a contraction, whose last loop sums products}}
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %a : tensor<4x5xf32>, tensor<4x5xf32>) outs(%i : tensor<4x5xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%x: f32, %y: f32, %z: f32):
    linalg.yield %z : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// -----

#schedule = #conv.schedule<algorithm = im2col, tile = [32, 32, 32], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>

func.func @shifted(%a: tensor<8x5xf32>, %b: tensor<6x5xf32>, %i: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{has a conv.schedule: expected a loop for each dimension of a matrix, got affine_map<(d0, d1, d2) -> (d0 + d2, d2)>}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m + k, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<8x5xf32>, tensor<6x5xf32>) outs(%i : tensor<4x6xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%x: f32, %y: f32, %z: f32):
    linalg.yield %z : f32
  } -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// -----

#schedule = #conv.schedule<algorithm = im2col, tile = [32, 32, 32], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>

func.func @from_one(%e: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'scf.forall' op has a conv.schedule: expected a loop from 0 to constants, by steps of 1}}
  %r = scf.forall (%i) = (1) to (4) step (1) shared_outs(%o = %e) -> tensor<4xf32> {
  } {conv.schedule = #schedule}
  return %r : tensor<4xf32>
}
