// RUN: conv-opt %s -split-input-file -conv-map-to-mma-sync -verify-diagnostics

// What a kernel of bands must look like.

#view = #conv.view<rows = [3, 3], taps = [9, 8], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>
#schedule = #conv.schedule<algorithm = loops, tile = [5, 16, 8], warps = [1, 4], stages = 3, copy = cp_async, mma = mma_sync, split = 2>
gpu.module @kernels {
  // expected-error @below {{'known_block_size' must be the schedule's 128 threads, but is 64}}
  gpu.func @wgrad(%x: memref<20x9x8x48xbf16>, %dy: memref<20x72x48xbf16>, %sums: memref<2x3x3x48xf32>) kernel attributes {conv.loops = #schedule, known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %part = gpu.block_id x
    %v = conv.depthwise %x, %dy[%part, %c0, %c0, %c0] view #view schedule #schedule : memref<20x9x8x48xbf16>, memref<20x72x48xbf16> -> vector<1x3x3x16xf32>
    vector.transfer_write %v, %sums[%part, %c0, %c0, %c0] {in_bounds = [true, true, true, true]} : vector<1x3x3x16xf32>, memref<2x3x3x48xf32>
    gpu.return
  }
}

// -----

#view = #conv.view<rows = [3, 3], taps = [9, 8], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>
#schedule = #conv.schedule<algorithm = loops, tile = [5, 16, 8], warps = [1, 4], stages = 3, copy = cp_async, mma = mma_sync, split = 2>
gpu.module @kernels {
  gpu.func @wgrad(%x: memref<20x9x8x48xbf16>, %dy: memref<20x72x48xbf16>, %sums: memref<2x3x3x48xf32>) kernel attributes {conv.loops = #schedule, known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %part = gpu.block_id x
    // expected-error @below {{must be a part of the sums of 16 channels}}
    %v = conv.depthwise %x, %dy[%part, %c0, %c0, %c0] view #view schedule #schedule : memref<20x9x8x48xbf16>, memref<20x72x48xbf16> -> vector<1x3x3x8xf32>
    vector.transfer_write %v, %sums[%part, %c0, %c0, %c0] {in_bounds = [true, true, true, true]} : vector<1x3x3x8xf32>, memref<2x3x3x48xf32>
    gpu.return
  }
}

// -----

#view = #conv.view<rows = [3, 3], taps = [9, 8], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>
#schedule = #conv.schedule<algorithm = loops, tile = [5, 16, 8], warps = [1, 4], stages = 3, copy = cp_async, mma = mma_sync, split = 2>
gpu.module @kernels {
  gpu.func @wgrad(%x: memref<20x9x8x48xbf16>, %dy: memref<20x72x48xbf16>, %sums: memref<2x3x3x48xf32>) kernel attributes {conv.loops = #schedule, known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %part = gpu.block_id x
    // expected-error @below {{must have sums that a vector.transfer_write stores as they are}}
    %v = conv.depthwise %x, %dy[%part, %c0, %c0, %c0] view #view schedule #schedule : memref<20x9x8x48xbf16>, memref<20x72x48xbf16> -> vector<1x3x3x16xf32>
    %d = arith.addf %v, %v : vector<1x3x3x16xf32>
    vector.transfer_write %d, %sums[%part, %c0, %c0, %c0] {in_bounds = [true, true, true, true]} : vector<1x3x3x16xf32>, memref<2x3x3x48xf32>
    gpu.return
  }
}
