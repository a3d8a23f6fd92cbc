// RUN: conv-opt %s -pass-pipeline="builtin.module(gpu.module(conv-pipeline-barriers))" -split-input-file -verify-diagnostics

// A field of the plan that is missing: test/Transforms/Plan.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 32], warps = [4, 1], stages = 2, copy = tma, mma = wgmma>
gpu.module @kernels {
  // expected-error @below {{must have one contraction, but has 0}}
  gpu.func @no_contraction() kernel attributes {conv.schedule = #schedule} {
    gpu.return
  }
}

// -----

// A slot is filled while the one before is read.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 32], warps = [4, 1], stages = 1, copy = tma, mma = wgmma>
gpu.module @kernels {
  // expected-error @below {{needs a ring of at least 2 stages, but its schedule has 1}}
  gpu.func @one_stage() kernel attributes {conv.schedule = #schedule} {
    gpu.return
  }
}

// -----

// What is multiplied must be copied to shared memory.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 32], warps = [4, 1], stages = 2, copy = tma, mma = wgmma>
gpu.module @kernels {
  gpu.func @no_tiles(%a: vector<64x32xf16>, %b: vector<64x32xf16>, %zero: vector<64x64xf32>) kernel attributes {conv.schedule = #schedule} {
    // expected-error @below {{must read tiles that a conv.im2col fills beside it}}
    %r = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} %a, %b, %zero : vector<64x32xf16>, vector<64x32xf16> into vector<64x64xf32>
    gpu.return
  }
}
