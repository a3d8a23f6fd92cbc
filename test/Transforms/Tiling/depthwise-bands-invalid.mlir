// RUN: conv-opt %s -split-input-file -conv-tile-to-workgroups -verify-diagnostics

// Schedules that somebody wrote on sums of F2 are held to the same limits.

#view = #conv.view<rows = [3, 3], taps = [9, 8], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>
#schedule = #conv.schedule<algorithm = loops, tile = [5, 32, 8], warps = [1, 4], stages = 2, copy = cp_async, mma = mma_sync, split = 2>
func.func @channels(%x: tensor<20x9x8x48xbf16>, %dy: tensor<20x72x48xbf16>) -> tensor<2x3x3x48xf32> {
  // expected-error @below {{tile gemm-n (32) of algorithm=loops with mma=mma_sync must divide the 48 channels}}
  %s = conv.depthwise %x, %dy view #view schedule #schedule : tensor<20x9x8x48xbf16>, tensor<20x72x48xbf16> -> tensor<2x3x3x48xf32>
  return %s : tensor<2x3x3x48xf32>
}

// -----

#view = #conv.view<rows = [9, 8], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>
#schedule = #conv.schedule<algorithm = loops, tile = [10, 8, 8], warps = [1, 2], stages = 2, copy = cp_async, mma = mma_sync, split = 1>
func.func @forward_lines(%x: tensor<20x9x8x48xbf16>, %w: tensor<48x9xbf16>) -> tensor<20x9x8x48xf32> {
  // expected-error @below {{tile gemm-m (10) of algorithm=loops with mma=mma_sync is up to the 9 lines of the result}}
  %s = conv.depthwise %x, %w view #view schedule #schedule : tensor<20x9x8x48xbf16>, tensor<48x9xbf16> -> tensor<20x9x8x48xf32>
  return %s : tensor<20x9x8x48xf32>
}

// -----

#view = #conv.view<rows = [9, 8], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>
#schedule = #conv.schedule<algorithm = loops, tile = [9, 8, 8], warps = [1, 2], stages = 2, copy = cp_async, mma = mma_sync, split = 1>
func.func @forward_sums(%x: tensor<20x9x8x48xbf16>, %w: tensor<48x9xbf16>) -> tensor<20x9x8x48xf64> {
  // expected-error @below {{algorithm=loops with mma=mma_sync has sums in f32, not f64}}
  %s = conv.depthwise %x, %w view #view schedule #schedule : tensor<20x9x8x48xbf16>, tensor<48x9xbf16> -> tensor<20x9x8x48xf64>
  return %s : tensor<20x9x8x48xf64>
}

// -----

#view = #conv.view<rows = [9, 8], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>
#schedule = #conv.schedule<algorithm = loops, tile = [9, 8, 8], warps = [1, 2], stages = 2, copy = cp_async, mma = mma_sync, split = 1>
func.func @forward_channels(%x: tensor<20x9x8x44xbf16>, %w: tensor<44x9xbf16>) -> tensor<20x9x8x44xf32> {
  // expected-error @below {{algorithm=loops with mma=mma_sync copies 8 channels at a time, which do not divide 44}}
  %s = conv.depthwise %x, %w view #view schedule #schedule : tensor<20x9x8x44xbf16>, tensor<44x9xbf16> -> tensor<20x9x8x44xf32>
  return %s : tensor<20x9x8x44xf32>
}
