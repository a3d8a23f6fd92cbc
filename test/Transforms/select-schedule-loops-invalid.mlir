// RUN: conv-opt %s -split-input-file -conv-select-schedule=chip=sm_90a -verify-diagnostics

// Why a depthwise convolution cannot run with a schedule without matrices.

func.func @line(%x: tensor<2x12x16xbf16>, %w: tensor<16x3x1xbf16>, %y0: tensor<2x12x16xbf16>) -> tensor<2x12x16xbf16> {
  // expected-error @below {{tile gemm-m (5) of algorithm loops must divide the 12 positions of a line}}
  %y = conv.forward ins(%x, %w : tensor<2x12x16xbf16>, tensor<16x3x1xbf16>) outs(%y0 : tensor<2x12x16xbf16>) pad [1] groups 16 {conv.schedule = #conv.schedule<algorithm = loops, tile = [5, 8, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma>} -> tensor<2x12x16xbf16>
  return %y : tensor<2x12x16xbf16>
}

// -----

func.func @channels(%x: tensor<2x12x12xbf16>, %w: tensor<12x3x1xbf16>, %y0: tensor<2x12x12xbf16>) -> tensor<2x12x12xbf16> {
  // expected-error @below {{tile gemm-n (8) of algorithm loops must be a power of two up to 8 that divides the 12 channels}}
  %y = conv.forward ins(%x, %w : tensor<2x12x12xbf16>, tensor<12x3x1xbf16>) outs(%y0 : tensor<2x12x12xbf16>) pad [1] groups 12 {conv.schedule = #conv.schedule<algorithm = loops, tile = [4, 8, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma>} -> tensor<2x12x12xbf16>
  return %y : tensor<2x12x12xbf16>
}

// -----

func.func @width(%x: tensor<2x12x16xf32>, %w: tensor<16x3x1xf32>, %y0: tensor<2x12x16xf32>) -> tensor<2x12x16xf32> {
  // expected-error @below {{tile gemm-n (8) of algorithm loops must be a power of two up to 4 that divides the 16 channels}}
  %y = conv.forward ins(%x, %w : tensor<2x12x16xf32>, tensor<16x3x1xf32>) outs(%y0 : tensor<2x12x16xf32>) pad [1] groups 16 {conv.schedule = #conv.schedule<algorithm = loops, tile = [4, 8, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma>} -> tensor<2x12x16xf32>
  return %y : tensor<2x12x16xf32>
}

// -----

func.func @sums(%x: tensor<2x24x16xbf16>, %w: tensor<16x3x1xbf16>, %y0: tensor<2x24x16xbf16>) -> tensor<2x24x16xbf16> {
  // expected-error @below {{a thread of algorithm loops has up to 128 sums, but the tile has 24x8}}
  %y = conv.forward ins(%x, %w : tensor<2x24x16xbf16>, tensor<16x3x1xbf16>) outs(%y0 : tensor<2x24x16xbf16>) pad [1] groups 16 {conv.schedule = #conv.schedule<algorithm = loops, tile = [24, 8, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma>} -> tensor<2x24x16xbf16>
  return %y : tensor<2x24x16xbf16>
}

// -----

func.func @products(%x: tensor<2x12x16xbf16>, %w: tensor<16x151x1xbf16>, %y0: tensor<2x12x16xbf16>) -> tensor<2x12x16xbf16> {
  // expected-error @below {{a thread of algorithm loops has up to 4096 products of one line of the filter, but 151 taps and a tile of 4x8 make 4832}}
  %y = conv.forward ins(%x, %w : tensor<2x12x16xbf16>, tensor<16x151x1xbf16>) outs(%y0 : tensor<2x12x16xbf16>) pad [75] groups 16 {conv.schedule = #conv.schedule<algorithm = loops, tile = [4, 8, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma>} -> tensor<2x12x16xbf16>
  return %y : tensor<2x12x16xbf16>
}

// -----

func.func @keys(%x: tensor<2x12x16xbf16>, %w: tensor<16x3x1xbf16>, %y0: tensor<2x12x16xbf16>) -> tensor<2x12x16xbf16> {
  // expected-error @below {{algorithm loops has a tile with gemm-k of 1, warps=1x1 stages=1 copy=cp_async mma=fma, and no other keys}}
  %y = conv.forward ins(%x, %w : tensor<2x12x16xbf16>, tensor<16x3x1xbf16>) outs(%y0 : tensor<2x12x16xbf16>) pad [1] groups 16 {conv.schedule = #conv.schedule<algorithm = loops, tile = [4, 8, 1], warps = [1, 1], stages = 2, copy = cp_async, mma = fma>} -> tensor<2x12x16xbf16>
  return %y : tensor<2x12x16xbf16>
}
