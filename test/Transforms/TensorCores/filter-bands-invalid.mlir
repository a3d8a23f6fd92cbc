// RUN: conv-opt %s -split-input-file -conv-map-to-mma-sync -verify-diagnostics

// What a kernel of a forward or dgrad in bands must look like.

#view = #conv.view<rows = [9, 8], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>
#schedule = #conv.schedule<algorithm = loops, tile = [9, 16, 8], warps = [1, 4], stages = 2, copy = cp_async, mma = mma_sync, split = 1>
gpu.module @kernels {
  gpu.func @slice(%x: memref<32x9x8x48xbf16>, %w: memref<48x9xbf16>, %larger: memref<33x9x8x48xf32>, %y: memref<32x9x8x48xf32>) kernel attributes {conv.loops = #schedule, known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %n = gpu.block_id x
    %z = memref.subview %larger[1, 0, 0, 0] [16, 9, 8, 16] [1, 1, 1, 1] : memref<33x9x8x48xf32> to memref<16x9x8x16xf32, strided<[3456, 384, 48, 1], offset: 3456>>
    %v = conv.depthwise %x, %w[%n, %c0, %c0, %c0] view #view schedule #schedule : memref<32x9x8x48xbf16>, memref<48x9xbf16> -> vector<16x9x8x16xf32>
    // expected-error @below {{must read a tensor as large as the results, or as their channels, and no slice of a larger one}}
    %r = vector.transfer_read %z[%c0, %c0, %c0, %c0], %zero {in_bounds = [true, true, true, true]} : memref<16x9x8x16xf32, strided<[3456, 384, 48, 1], offset: 3456>>, vector<16x9x8x16xf32>
    %d = arith.addf %v, %r : vector<16x9x8x16xf32>
    vector.transfer_write %d, %y[%n, %c0, %c0, %c0] {in_bounds = [true, true, true, true]} : vector<16x9x8x16xf32>, memref<32x9x8x48xf32>
    gpu.return
  }
}

// -----

#view = #conv.view<rows = [9, 8], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>
#schedule = #conv.schedule<algorithm = loops, tile = [9, 16, 8], warps = [1, 4], stages = 2, copy = cp_async, mma = mma_sync, split = 1>
gpu.module @kernels {
  gpu.func @part(%x: memref<32x9x8x48xbf16>, %w: memref<48x9xbf16>, %y: memref<32x9x8x48xf32>) kernel attributes {conv.loops = #schedule, known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %n = gpu.block_id x
    // expected-error @below {{must be a part of the result of 16 images, 9 lines, 8 columns and 16 channels}}
    %v = conv.depthwise %x, %w[%n, %c0, %c0, %c0] view #view schedule #schedule : memref<32x9x8x48xbf16>, memref<48x9xbf16> -> vector<16x9x8x8xf32>
    vector.transfer_write %v, %y[%n, %c0, %c0, %c0] {in_bounds = [true, true, true, true]} : vector<16x9x8x8xf32>, memref<32x9x8x48xf32>
    gpu.return
  }
}

// -----

#view = #conv.view<rows = [9, 8], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>
#schedule = #conv.schedule<algorithm = loops, tile = [9, 16, 8], warps = [1, 4], stages = 2, copy = cp_async, mma = mma_sync, split = 1>
gpu.module @kernels {
  // expected-error @below {{'known_block_size' must be the schedule's 128 threads, but is 64}}
  gpu.func @threads(%x: memref<32x9x8x48xbf16>, %w: memref<48x9xbf16>, %y: memref<32x9x8x48xf32>) kernel attributes {conv.loops = #schedule, known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %n = gpu.block_id x
    %v = conv.depthwise %x, %w[%n, %c0, %c0, %c0] view #view schedule #schedule : memref<32x9x8x48xbf16>, memref<48x9xbf16> -> vector<16x9x8x16xf32>
    vector.transfer_write %v, %y[%n, %c0, %c0, %c0] {in_bounds = [true, true, true, true]} : vector<16x9x8x16xf32>, memref<32x9x8x48xf32>
    gpu.return
  }
}
