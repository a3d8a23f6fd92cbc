// RUN: conv-opt %s -conv-to-matrices=chip=sm_90a -split-input-file -verify-diagnostics

// What schedules of wgrad that read x as it lies can break.

func.func @warps_along_m(%x: tensor<2x64x8x28xbf16>, %dy: tensor<2x64x8x28xbf16>, %dw0: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
  // expected-error @below {{images in registers want 1 by 4, 8 or 12 warps, each four with 64 channels, but the schedule has 2 by 4}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x8x28xbf16>, tensor<2x64x8x28xbf16>) outs(%dw0 : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 192, 112], warps = [2, 4], stages = 2, copy = tma, mma = wgmma, window = true, gather = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// -----

func.func @warps(%x: tensor<2x64x8x28xbf16>, %dy: tensor<2x64x8x28xbf16>, %dw0: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
  // expected-error @below {{images in registers want 1 by 4, 8 or 12 warps, each four with 64 channels, but the schedule has 1 by 16}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x8x28xbf16>, tensor<2x64x8x28xbf16>) outs(%dw0 : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [8, 768, 112], warps = [1, 16], stages = 2, copy = tma, mma = wgmma, window = true, gather = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// -----

func.func @filters(%x: tensor<2x64x8x28xbf16>, %dy: tensor<2x64x8x28xbf16>, %dw0: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
  // expected-error @below {{tile gemm-m (60) must be a multiple of 8 filters up to 256 with images in registers}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x8x28xbf16>, tensor<2x64x8x28xbf16>) outs(%dw0 : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [60, 192, 112], warps = [1, 4], stages = 2, copy = tma, mma = wgmma, window = true, gather = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// -----

func.func @many_filters(%x: tensor<2x64x8x28xbf16>, %dy: tensor<2x64x8x28xbf16>, %dw0: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
  // expected-error @below {{tile gemm-m (264) must be a multiple of 8 filters up to 256 with images in registers}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x8x28xbf16>, tensor<2x64x8x28xbf16>) outs(%dw0 : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [264, 192, 112], warps = [1, 4], stages = 2, copy = tma, mma = wgmma, window = true, gather = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// -----

func.func @channels(%x: tensor<2x64x8x28xbf16>, %dy: tensor<2x64x8x28xbf16>, %dw0: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
  // expected-error @below {{tile gemm-n (96) must be 64 channels of each of two or more taps with images in registers}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x8x28xbf16>, tensor<2x64x8x28xbf16>) outs(%dw0 : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 96, 112], warps = [1, 4], stages = 2, copy = tma, mma = wgmma, window = true, gather = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// -----

func.func @channels_of_warpgroups(%x: tensor<2x64x8x28xbf16>, %dy: tensor<2x64x8x28xbf16>, %dw0: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
  // expected-error @below {{tile gemm-n (192) must be 128 channels of each of two or more taps with images in registers}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x8x28xbf16>, tensor<2x64x8x28xbf16>) outs(%dw0 : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 192, 112], warps = [1, 8], stages = 2, copy = tma, mma = wgmma, window = true, gather = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// -----

func.func @positions(%x: tensor<2x64x8x28xbf16>, %dy: tensor<2x64x8x28xbf16>, %dw0: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
  // expected-error @below {{tile gemm-k (56) must be a multiple of 16 positions up to 256 with images in registers}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x8x28xbf16>, tensor<2x64x8x28xbf16>) outs(%dw0 : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 192, 56], warps = [1, 4], stages = 2, copy = tma, mma = wgmma, window = true, gather = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// -----

func.func @many_positions(%x: tensor<2x64x8x28xbf16>, %dy: tensor<2x64x8x28xbf16>, %dw0: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
  // expected-error @below {{tile gemm-k (336) must be a multiple of 16 positions up to 256 with images in registers}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x8x28xbf16>, tensor<2x64x8x28xbf16>) outs(%dw0 : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 192, 336], warps = [1, 4], stages = 2, copy = tma, mma = wgmma, window = true, gather = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// -----

func.func @other_taps(%x: tensor<2x64x8x28xbf16>, %dy: tensor<2x64x8x28xbf16>, %dw0: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
  // expected-error @below {{images in registers: 2 taps one after the other are no box of the filter}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x8x28xbf16>, tensor<2x64x8x28xbf16>) outs(%dw0 : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 128, 112], warps = [1, 4], stages = 2, copy = tma, mma = wgmma, window = true, gather = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// -----

func.func @one_tap(%x: tensor<2x64x8x28xbf16>, %dy: tensor<2x64x8x28xbf16>, %dw0: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
  // expected-error @below {{tile gemm-n (64) must be 64 channels of each of two or more taps with images in registers}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x8x28xbf16>, tensor<2x64x8x28xbf16>) outs(%dw0 : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 112], warps = [1, 4], stages = 2, copy = tma, mma = wgmma, window = true, gather = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// -----

func.func @no_rows(%x: tensor<2x64x8x28xbf16>, %dy: tensor<2x64x8x28xbf16>, %dw0: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
  // expected-error @below {{images in registers: blocks of 64 positions must be whole rows of 28, or equal parts of one}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x8x28xbf16>, tensor<2x64x8x28xbf16>) outs(%dw0 : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 192, 64], warps = [1, 4], stages = 2, copy = tma, mma = wgmma, window = true, gather = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// -----

func.func @anywhere(%x: tensor<2x64x24x28xbf16>, %dy: tensor<2x64x8x28xbf16>, %dw0: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
  // expected-error @below {{images in registers: rows of 28 positions begin anywhere, so a block must fit into}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x24x28xbf16>, tensor<2x64x8x28xbf16>) outs(%dw0 : tensor<64x64x3x3xf32>) stride [3, 1] pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 192, 112], warps = [1, 4], stages = 2, copy = tma, mma = wgmma, window = true, gather = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// -----

func.func @odd_rows(%x: tensor<2x64x8x17xbf16>, %dy: tensor<2x64x8x17xbf16>, %dw0: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
  // expected-error @below {{images in registers: rows must have an even number of positions, but have 17 and 17}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x8x17xbf16>, tensor<2x64x8x17xbf16>) outs(%dw0 : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 192, 16], warps = [1, 4], stages = 2, copy = tma, mma = wgmma, window = true, gather = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// -----

func.func @images(%x: tensor<2x64x14x30xbf16>, %dy: tensor<2x64x12x28xbf16>, %dw0: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
  // expected-error @below {{images in registers: images must have a multiple of 8 positions, but they have 420}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x14x30xbf16>, tensor<2x64x12x28xbf16>) outs(%dw0 : tensor<64x64x3x3xf32>) layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 192, 16], warps = [1, 4], stages = 2, copy = tma, mma = wgmma, window = true, gather = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// -----

func.func @parts_of_rows(%x: tensor<2x64x12x34xbf16>, %dy: tensor<2x64x10x32xbf16>, %dw0: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
  // expected-error @below {{images in registers: parts of rows are of rows of a multiple of 8 positions, not of 34}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x12x34xbf16>, tensor<2x64x10x32xbf16>) outs(%dw0 : tensor<64x64x3x3xf32>) layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 192, 16], warps = [1, 4], stages = 2, copy = tma, mma = wgmma, window = true, gather = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// -----

func.func @long_part(%x: tensor<1x64x4x512xbf16>, %dy: tensor<1x64x4x512xbf16>, %dw0: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
  // expected-error @below {{images in registers: a part of a row must fit into}}
  %dw = conv.wgrad ins(%x, %dy : tensor<1x64x4x512xbf16>, tensor<1x64x4x512xbf16>) outs(%dw0 : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 192, 256], warps = [1, 4], stages = 2, copy = tma, mma = wgmma, window = true, gather = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// -----

func.func @volume(%x: tensor<1x64x4x4x16xbf16>, %dy: tensor<1x64x4x4x16xbf16>, %dw0: tensor<64x64x1x1x3xf32>) -> tensor<64x64x1x1x3xf32> {
  // expected-error @below {{images with three dimensions are not read as they lie}}
  %dw = conv.wgrad ins(%x, %dy : tensor<1x64x4x4x16xbf16>, tensor<1x64x4x4x16xbf16>) outs(%dw0 : tensor<64x64x1x1x3xf32>) pad [0, 0, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 192, 16], warps = [1, 4], stages = 2, copy = tma, mma = wgmma, window = true, gather = true, k_major = true>} -> tensor<64x64x1x1x3xf32>
  return %dw : tensor<64x64x1x1x3xf32>
}

// -----

func.func @line(%x: tensor<2x64x64xbf16>, %dy: tensor<2x64x64xbf16>, %dw0: tensor<64x64x3xf32>) -> tensor<64x64x3xf32> {
  // expected-error @below {{images in registers: blocks of 128 positions must be whole rows of 64, or equal parts of one}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x64xbf16>, tensor<2x64x64xbf16>) outs(%dw0 : tensor<64x64x3xf32>) pad [1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 192, 128], warps = [1, 4], stages = 2, copy = tma, mma = wgmma, window = true, gather = true, k_major = true>} -> tensor<64x64x3xf32>
  return %dw : tensor<64x64x3xf32>
}

// -----

func.func @not_gathered(%x: tensor<2x64x8x28xbf16>, %dy: tensor<2x64x8x28xbf16>, %dw0: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
  // expected-error @below {{warps along gemm-n of wgrad take images with their channels first into registers, with window, gather and k-major}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x8x28xbf16>, tensor<2x64x8x28xbf16>) outs(%dw0 : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 192, 112], warps = [1, 4], stages = 2, copy = tma, mma = wgmma, window = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// -----

func.func @one_stage(%x: tensor<2x64x8x28xbf16>, %dy: tensor<2x64x8x28xbf16>, %dw0: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
  // expected-error @below {{stages must be 2 to 12, but is 1}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x8x28xbf16>, tensor<2x64x8x28xbf16>) outs(%dw0 : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 192, 112], warps = [1, 4], stages = 1, copy = tma, mma = wgmma, window = true, gather = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// -----

func.func @stages(%x: tensor<2x64x8x32xbf16>, %dy: tensor<2x64x8x32xbf16>, %dw0: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
  // expected-error @below {{stages must be 2 to 12, but is 13}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x8x32xbf16>, tensor<2x64x8x32xbf16>) outs(%dw0 : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [8, 192, 16], warps = [1, 4], stages = 13, copy = tma, mma = wgmma, window = true, gather = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// -----

func.func @teams(%x: tensor<2x64x8x28xbf16>, %dy: tensor<2x64x8x28xbf16>, %dw0: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
  // expected-error @below {{teams=2 has no kernel with images in registers (warps along gemm-n, window=true and k-major=true), a form that goes with split-k, resident, tail, merge, fold and gather}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x8x28xbf16>, tensor<2x64x8x28xbf16>) outs(%dw0 : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 192, 112], warps = [1, 4], stages = 2, copy = tma, mma = wgmma, teams = 2, window = true, gather = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// -----

func.func @cluster(%x: tensor<2x64x8x28xbf16>, %dy: tensor<2x64x8x28xbf16>, %dw0: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
  // expected-error @below {{cluster=2x1 has no kernel with images in registers (warps along gemm-n, window=true and k-major=true), a form that goes with split-k, resident, tail, merge, fold and gather}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x8x28xbf16>, tensor<2x64x8x28xbf16>) outs(%dw0 : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 192, 112], warps = [1, 4], stages = 2, copy = tma, mma = wgmma, cluster = [2, 1], window = true, gather = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// -----

func.func @staging(%x: tensor<2x64x8x28xbf16>, %dy: tensor<2x64x8x28xbf16>, %dw0: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
  // expected-error @below {{staging=64 has no kernel with images in registers (warps along gemm-n, window=true and k-major=true), a form that goes with split-k, resident, tail, merge, fold and gather}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x8x28xbf16>, tensor<2x64x8x28xbf16>) outs(%dw0 : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 192, 112], warps = [1, 4], stages = 2, copy = tma, mma = wgmma, window = true, staging = 64, gather = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// -----

func.func @split(%x: tensor<2x64x8x28xbf16>, %dy: tensor<2x64x8x28xbf16>, %dw0: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
  // expected-error @below {{split-k is 5, but gemm-k has 4 blocks of 112}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x8x28xbf16>, tensor<2x64x8x28xbf16>) outs(%dw0 : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 192, 112], warps = [1, 4], stages = 2, copy = tma, mma = wgmma, split = 5, window = true, gather = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// -----

func.func @tail_of_few(%x: tensor<2x64x8x28xbf16>, %dy: tensor<2x64x8x28xbf16>, %dw0: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
  // expected-error @below {{tail divides tiles that are left after whole rounds of 132, but there are 3; split-k divides all}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x8x28xbf16>, tensor<2x64x8x28xbf16>) outs(%dw0 : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 192, 112], warps = [1, 4], stages = 2, copy = tma, mma = wgmma, window = true, tail = 2, gather = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// -----

func.func @tail(%x: tensor<2x64x8x28xbf16>, %dy: tensor<2x64x8x28xbf16>, %dw0: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
  // expected-error @below {{tail is 5, but gemm-k has 4 blocks of 112}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x8x28xbf16>, tensor<2x64x8x28xbf16>) outs(%dw0 : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 192, 112], warps = [1, 4], stages = 2, copy = tma, mma = wgmma, window = true, tail = 5, gather = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// -----

func.func @flipped(%x: tensor<2x64x8x28xbf16>, %dy: tensor<2x64x8x28xbf16>, %dw0: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
  // expected-error @below {{input dilation and flipped filters have no images in registers}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x8x28xbf16>, tensor<2x64x8x28xbf16>) outs(%dw0 : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw flip {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 192, 112], warps = [1, 4], stages = 2, copy = tma, mma = wgmma, window = true, gather = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// -----

func.func @channels_last(%x: tensor<2x8x28x64xbf16>, %dy: tensor<2x8x28x64xbf16>, %dw0: tensor<64x3x3x64xf32>) -> tensor<64x3x3x64xf32> {
  // expected-error @below {{k-major reads a dy with channels first, but none is transposed here}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x8x28x64xbf16>, tensor<2x8x28x64xbf16>) outs(%dw0 : tensor<64x3x3x64xf32>) pad [1, 1] layout nhwc {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 192, 112], warps = [1, 4], stages = 2, copy = tma, mma = wgmma, window = true, gather = true, k_major = true>} -> tensor<64x3x3x64xf32>
  return %dw : tensor<64x3x3x64xf32>
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 192, 112], warps = [1, 4], stages = 2, copy = tma, mma = wgmma, window = true, gather = true, k_major = true>
func.func @bias(%x: tensor<2x64x8x28xbf16>, %dy: tensor<2x64x8x28xbf16>, %dw0: tensor<64x64x3x3xf32>) -> (tensor<64x64x3x3xf32>, tensor<64xf32>) {
  // expected-error @below {{images in registers have no sums of rows of dy, the gradient of a bias}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x8x28xbf16>, tensor<2x64x8x28xbf16>) outs(%dw0 : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw {conv.schedule = #schedule} -> tensor<64x64x3x3xf32>
  %e = tensor.empty() : tensor<64xf32>
  %db = linalg.generic {indexing_maps = [affine_map<(k, n, p, q) -> (n, k, p, q)>, affine_map<(k, n, p, q) -> (k)>], iterator_types = ["parallel", "reduction", "reduction", "reduction"]} ins(%dy : tensor<2x64x8x28xbf16>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: bf16, %s: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  return %dw, %db : tensor<64x64x3x3xf32>, tensor<64xf32>
}
