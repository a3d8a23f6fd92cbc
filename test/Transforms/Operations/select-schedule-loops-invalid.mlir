// RUN: conv-opt %s -split-input-file -conv-select-schedule=chip=sm_90a -verify-diagnostics

// Why a depthwise convolution cannot run with a schedule without matrices.

func.func @line(%x: tensor<2x12x16xbf16>, %w: tensor<16x3x1xbf16>, %y0: tensor<2x12x16xbf16>) -> tensor<2x12x16xbf16> {
  // expected-error @below {{tile gemm-m (5) of algorithm loops must divide the 12 positions of a line}}
  %y = conv.forward ins(%x, %w : tensor<2x12x16xbf16>, tensor<16x3x1xbf16>) outs(%y0 : tensor<2x12x16xbf16>) pad [1] groups 16 {conv.schedule = #conv.schedule<algorithm = loops, tile = [5, 8, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma>} -> tensor<2x12x16xbf16>
  return %y : tensor<2x12x16xbf16>
}

// -----

func.func @strided(%dy: tensor<2x6x16xbf16>, %w: tensor<16x3x1xbf16>, %dx0: tensor<2x12x16xbf16>) -> tensor<2x12x16xbf16> {
  // expected-error @below {{tile gemm-m (3) of algorithm loops must be the 12 positions of a line, or end where an element of a dilated operand (of dy, by the stride) does}}
  %dx = conv.dgrad ins(%dy, %w : tensor<2x6x16xbf16>, tensor<16x3x1xbf16>) outs(%dx0 : tensor<2x12x16xbf16>) stride [2] pad [1:0] groups 16 {conv.schedule = #conv.schedule<algorithm = loops, tile = [3, 8, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma>} -> tensor<2x12x16xbf16>
  return %dx : tensor<2x12x16xbf16>
}

// -----

func.func @dilated_block(%x: tensor<2x4x16xbf16>, %dy: tensor<2x6x16xbf16>, %dw0: tensor<16x2x1xf32>) -> tensor<16x2x1xf32> {
  // expected-error @below {{tile gemm-k (3) of algorithm loops must be the 6 positions of a line of dy, or end where an element of a dilated x does}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x4x16xbf16>, tensor<2x6x16xbf16>) outs(%dw0 : tensor<16x2x1xf32>) input_dilation [2] groups 16 {conv.schedule = #conv.schedule<algorithm = loops, tile = [2, 8, 3], warps = [1, 1], stages = 1, copy = cp_async, mma = fma>} -> tensor<16x2x1xf32>
  return %dw : tensor<16x2x1xf32>
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
  // expected-error @below {{algorithm loops has a tile with gemm-k of 1, split-k=1 warps=1x1 stages=1 copy=cp_async mma=fma, perhaps gather, and no other keys}}
  %y = conv.forward ins(%x, %w : tensor<2x12x16xbf16>, tensor<16x3x1xbf16>) outs(%y0 : tensor<2x12x16xbf16>) pad [1] groups 16 {conv.schedule = #conv.schedule<algorithm = loops, tile = [4, 8, 1], warps = [1, 1], stages = 2, copy = cp_async, mma = fma>} -> tensor<2x12x16xbf16>
  return %y : tensor<2x12x16xbf16>
}

// -----

func.func @wgrad_taps(%x: tensor<2x8x10x16xbf16>, %dy: tensor<2x6x8x16xbf16>, %dw0: tensor<16x3x3x1xf32>) -> tensor<16x3x3x1xf32> {
  // expected-error @below {{tile gemm-m (2) of algorithm loops must divide the 3 taps of a line}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x8x10x16xbf16>, tensor<2x6x8x16xbf16>) outs(%dw0 : tensor<16x3x3x1xf32>) groups 16 {conv.schedule = #conv.schedule<algorithm = loops, tile = [2, 8, 4], warps = [1, 1], stages = 1, copy = cp_async, mma = fma, split = 1>} -> tensor<16x3x3x1xf32>
  return %dw : tensor<16x3x3x1xf32>
}

// -----

func.func @wgrad_block(%x: tensor<2x8x10x16xbf16>, %dy: tensor<2x6x8x16xbf16>, %dw0: tensor<16x3x3x1xf32>) -> tensor<16x3x3x1xf32> {
  // expected-error @below {{tile gemm-k (3) of algorithm loops must be more than 1 and divide the 8 positions of a line of dy}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x8x10x16xbf16>, tensor<2x6x8x16xbf16>) outs(%dw0 : tensor<16x3x3x1xf32>) groups 16 {conv.schedule = #conv.schedule<algorithm = loops, tile = [3, 8, 3], warps = [1, 1], stages = 1, copy = cp_async, mma = fma, split = 1>} -> tensor<16x3x3x1xf32>
  return %dw : tensor<16x3x3x1xf32>
}

// -----

func.func @wgrad_whole(%x: tensor<2x8x10x16xbf16>, %dy: tensor<2x6x8x16xbf16>, %dw0: tensor<16x3x3x1xf32>) -> tensor<16x3x3x1xf32> {
  // expected-error @below {{tile gemm-k (1) of algorithm loops must be more than 1 and divide the 8 positions of a line of dy}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x8x10x16xbf16>, tensor<2x6x8x16xbf16>) outs(%dw0 : tensor<16x3x3x1xf32>) groups 16 {conv.schedule = #conv.schedule<algorithm = loops, tile = [3, 8, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma, split = 1>} -> tensor<16x3x3x1xf32>
  return %dw : tensor<16x3x3x1xf32>
}

// -----

func.func @wgrad_split(%x: tensor<2x8x10x16xbf16>, %dy: tensor<2x6x8x16xbf16>, %dw0: tensor<16x3x3x1xf32>) -> tensor<16x3x3x1xf32> {
  // expected-error @below {{split-k (5) of algorithm loops must divide the 12 blocks of 4 positions that an image has}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x8x10x16xbf16>, tensor<2x6x8x16xbf16>) outs(%dw0 : tensor<16x3x3x1xf32>) groups 16 {conv.schedule = #conv.schedule<algorithm = loops, tile = [3, 8, 4], warps = [1, 1], stages = 1, copy = cp_async, mma = fma, split = 5>} -> tensor<16x3x3x1xf32>
  return %dw : tensor<16x3x3x1xf32>
}

// -----

func.func @wgrad_keys(%x: tensor<2x8x10x16xbf16>, %dy: tensor<2x6x8x16xbf16>, %dw0: tensor<16x3x3x1xf32>) -> tensor<16x3x3x1xf32> {
  // expected-error @below {{algorithm loops has warps=1x1 stages=1 copy=cp_async mma=fma, perhaps gather, and no other keys}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x8x10x16xbf16>, tensor<2x6x8x16xbf16>) outs(%dw0 : tensor<16x3x3x1xf32>) groups 16 {conv.schedule = #conv.schedule<algorithm = loops, tile = [3, 8, 4], warps = [1, 1], stages = 2, copy = cp_async, mma = fma, split = 1>} -> tensor<16x3x3x1xf32>
  return %dw : tensor<16x3x3x1xf32>
}

// -----

func.func @wgrad_factors(%x: tensor<2x8x34x16xbf16>, %dy: tensor<2x6x32x16xbf16>, %dw0: tensor<16x3x3x1xf32>) -> tensor<16x3x3x1xf32> {
  // expected-error @below {{a thread of algorithm loops has up to 128 elements of dy, but the tile has 8x32}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x8x34x16xbf16>, tensor<2x6x32x16xbf16>) outs(%dw0 : tensor<16x3x3x1xf32>) groups 16 {conv.schedule = #conv.schedule<algorithm = loops, tile = [3, 8, 32], warps = [1, 1], stages = 1, copy = cp_async, mma = fma>} -> tensor<16x3x3x1xf32>
  return %dw : tensor<16x3x3x1xf32>
}

// -----

func.func @wgrad_sums(%x: tensor<2x64x16xbf16>, %dy: tensor<2x34x16xbf16>, %dw0: tensor<16x31x1xf32>) -> tensor<16x31x1xf32> {
  // expected-error @below {{a thread of algorithm loops has up to 64 sums of wgrad, but the tile has 31x4}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x16xbf16>, tensor<2x34x16xbf16>) outs(%dw0 : tensor<16x31x1xf32>) groups 16 {conv.schedule = #conv.schedule<algorithm = loops, tile = [31, 4, 2], warps = [1, 1], stages = 1, copy = cp_async, mma = fma>} -> tensor<16x31x1xf32>
  return %dw : tensor<16x31x1xf32>
}

// -----

func.func @gather_last(%x: tensor<2x12x16xbf16>, %w: tensor<16x3x1xbf16>, %y0: tensor<2x12x16xbf16>) -> tensor<2x12x16xbf16> {
  // expected-error @below {{gather with algorithm loops is for x and y with their channels first, but x has them last here, as all tensors between convolutions do}}
  %y = conv.forward ins(%x, %w : tensor<2x12x16xbf16>, tensor<16x3x1xbf16>) outs(%y0 : tensor<2x12x16xbf16>) pad [1] groups 16 {conv.schedule = #conv.schedule<algorithm = loops, tile = [4, 1, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma, gather = true>} -> tensor<2x12x16xbf16>
  return %y : tensor<2x12x16xbf16>
}

// -----

func.func @gather_channels(%x: tensor<2x16x12xbf16>, %w: tensor<16x1x3xbf16>, %y0: tensor<2x16x12xbf16>) -> tensor<2x16x12xbf16> {
  // expected-error @below {{tile gemm-n (8) of algorithm loops must be 1 where it gathers: neighbours are positions of one channel}}
  %y = conv.forward ins(%x, %w : tensor<2x16x12xbf16>, tensor<16x1x3xbf16>) outs(%y0 : tensor<2x16x12xbf16>) pad [1] groups 16 layout nchw {conv.schedule = #conv.schedule<algorithm = loops, tile = [4, 8, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma, gather = true>} -> tensor<2x16x12xbf16>
  return %y : tensor<2x16x12xbf16>
}

// -----

func.func @gather_split(%x: tensor<2x16x8x10xbf16>, %dy: tensor<2x16x6x8xbf16>, %dw0: tensor<16x1x3x3xf32>) -> tensor<16x1x3x3xf32> {
  // expected-error @below {{split-k (5) of algorithm loops must divide the 12 blocks of 4 positions that an image has}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x16x8x10xbf16>, tensor<2x16x6x8xbf16>) outs(%dw0 : tensor<16x1x3x3xf32>) groups 16 layout nchw {conv.schedule = #conv.schedule<algorithm = loops, tile = [3, 1, 4], warps = [1, 1], stages = 1, copy = cp_async, mma = fma, split = 5, gather = true>} -> tensor<16x1x3x3xf32>
  return %dw : tensor<16x1x3x3xf32>
}
