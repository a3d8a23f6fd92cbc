// RUN: conv-opt %s -pass-pipeline="builtin.module(gpu.module(conv-map-to-wgmma))" -split-input-file -verify-diagnostics

gpu.module @kernels {
  // expected-error @below {{'gpu.func' op needs a schedule in 'conv.schedule'}}
  gpu.func @schedule() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    gpu.return
  }
}

// -----

// A warpgroup multiplies 64 rows at once.

gpu.module @kernels {
  // expected-error @below {{the tile's gemm-m (96)}}
  gpu.func @tile() kernel attributes {
      conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [96, 64, 64], warps = [4, 1], stages = 2, copy = tma, mma = wgmma>,
      known_block_size = array<i32: 256, 1, 1>} {
    gpu.return
  }
}

// -----

// The producer has a warpgroup of its own.

gpu.module @kernels {
  // expected-error @below {{'known_block_size' must be the schedule's 256 threads, but is 128}}
  gpu.func @threads() kernel attributes {
      conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 64], warps = [4, 1], stages = 2, copy = tma, mma = wgmma>,
      known_block_size = array<i32: 128, 1, 1>} {
    gpu.return
  }
}
