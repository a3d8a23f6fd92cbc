// RUN: conv-opt %s -split-input-file -verify-diagnostics -pass-pipeline="builtin.module(gpu.module(conv-plan-stores))"

// A plan of stores is of memory whose bytes are known.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 16, 16], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>
#y = #conv.view<rows = [8, 8], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>

gpu.module @bits {
  // expected-error @below {{has no plan as it is given: tiles are read and stored in memory of a static shape, with elements of whole bytes, but here in memref<2x8x8x16xi1>}}
  gpu.func @f(%y: memref<2x8x8x16xi1>) kernel attributes {conv.schedule = #schedule, known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %v = arith.constant dense<true> : vector<32x16xi1>
    conv.scatter %v into %y[%c0, %c0, %c0] view #y : vector<32x16xi1> into memref<2x8x8x16xi1>
    gpu.return
  }
}

// -----

// A schedule that no pass maps is refused here already.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 12, 16], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>

gpu.module @tile {
  // expected-error @below {{the tile's gemm-n (12) must be a multiple of 8}}
  gpu.func @f() kernel attributes {conv.schedule = #schedule, known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
}
