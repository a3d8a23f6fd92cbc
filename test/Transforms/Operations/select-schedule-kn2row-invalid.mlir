// RUN: conv-opt %s -split-input-file -conv-convert-layout -conv-select-schedule=chip=sm_90a -verify-diagnostics

// Why a schedule with sums of their own for taps along a line cannot run.

func.func @lines(%x: tensor<2x64x16x28xbf16>, %w: tensor<64x64x3x3xbf16>, %y0: tensor<2x64x16x28xbf16>) -> tensor<2x64x16x28xbf16> {
  // expected-error @below {{kn2row wants lines of a multiple of 8 positions, but they have 28}}
  %y = conv.forward ins(%x, %w : tensor<2x64x16x28xbf16>, tensor<64x64x3x3xbf16>) outs(%y0 : tensor<2x64x16x28xbf16>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 112, 64], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, kn2row = true>} -> tensor<2x64x16x28xbf16>
  return %y : tensor<2x64x16x28xbf16>
}

// -----

func.func @taps(%x: tensor<2x64x16x16xbf16>, %w: tensor<64x64x3x5xbf16>, %y0: tensor<2x64x16x16xbf16>) -> tensor<2x64x16x16xbf16> {
  // expected-error @below {{kn2row is for filters of 2 to 4 taps along the innermost dimension, but there are 5}}
  %y = conv.forward ins(%x, %w : tensor<2x64x16x16xbf16>, tensor<64x64x3x5xbf16>) outs(%y0 : tensor<2x64x16x16xbf16>) pad [1, 2] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 128, 64], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, kn2row = true>} -> tensor<2x64x16x16xbf16>
  return %y : tensor<2x64x16x16xbf16>
}

// -----

func.func @filters(%x: tensor<2x64x16x16xbf16>, %w: tensor<96x64x3x3xbf16>, %y0: tensor<2x96x16x16xbf16>) -> tensor<2x96x16x16xbf16> {
  // expected-error @below {{kn2row wants channels of the result in multiples of 64, but there are 96}}
  %y = conv.forward ins(%x, %w : tensor<2x64x16x16xbf16>, tensor<96x64x3x3xbf16>) outs(%y0 : tensor<2x96x16x16xbf16>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 128, 64], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, kn2row = true>} -> tensor<2x96x16x16xbf16>
  return %y : tensor<2x96x16x16xbf16>
}

// -----

func.func @tile(%x: tensor<2x64x16x16xbf16>, %w: tensor<128x64x3x3xbf16>, %y0: tensor<2x128x16x16xbf16>) -> tensor<2x128x16x16xbf16> {
  // expected-error @below {{kn2row has tiles of 64 filters by 4x1 warps, but the schedule has 128 by 8x1}}
  %y = conv.forward ins(%x, %w : tensor<2x64x16x16xbf16>, tensor<128x64x3x3xbf16>) outs(%y0 : tensor<2x128x16x16xbf16>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 128, 64], warps = [8, 1], stages = 3, copy = tma, mma = wgmma, kn2row = true>} -> tensor<2x128x16x16xbf16>
  return %y : tensor<2x128x16x16xbf16>
}

// -----

func.func @columns(%x: tensor<2x64x16x32xbf16>, %w: tensor<128x64x3x3xbf16>, %y0: tensor<2x128x16x32xbf16>) -> tensor<2x128x16x32xbf16> {
  // expected-error @below {{kn2row wants tiles of whole lines of 32 positions, but gemm-n is 80}}
  %y = conv.forward ins(%x, %w : tensor<2x64x16x32xbf16>, tensor<128x64x3x3xbf16>) outs(%y0 : tensor<2x128x16x32xbf16>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 80, 64], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, kn2row = true>} -> tensor<2x128x16x32xbf16>
  return %y : tensor<2x128x16x32xbf16>
}

// -----

func.func @sums(%x: tensor<2x64x16x16xbf16>, %w: tensor<128x64x3x3xbf16>, %y0: tensor<2x128x16x16xbf16>) -> tensor<2x128x16x16xbf16> {
  // expected-error @below {{384 registers of sums a thread, but at most 192 leave room for the rest}}
  %y = conv.forward ins(%x, %w : tensor<2x64x16x16xbf16>, tensor<128x64x3x3xbf16>) outs(%y0 : tensor<2x128x16x16xbf16>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 256, 64], warps = [4, 1], stages = 2, copy = tma, mma = wgmma, kn2row = true>} -> tensor<2x128x16x16xbf16>
  return %y : tensor<2x128x16x16xbf16>
}

// -----

func.func @memory(%x: tensor<2x256x16x16xbf16>, %w: tensor<128x256x3x3xbf16>, %y0: tensor<2x128x16x16xbf16>) -> tensor<2x128x16x16xbf16> {
  // expected-error @below {{of shared memory, what is staged of the result among them, but sm_90a has 232448 for a workgroup}}
  %y = conv.forward ins(%x, %w : tensor<2x256x16x16xbf16>, tensor<128x256x3x3xbf16>) outs(%y0 : tensor<2x128x16x16xbf16>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 128, 64], warps = [4, 1], stages = 6, copy = tma, mma = wgmma, kn2row = true>} -> tensor<2x128x16x16xbf16>
  return %y : tensor<2x128x16x16xbf16>
}

// -----

func.func @stay(%x: tensor<2x192x16x16xbf16>, %w: tensor<128x192x3x3xbf16>, %y0: tensor<2x128x16x16xbf16>) -> tensor<2x128x16x16xbf16> {
  // expected-error @below {{kn2row with as many stages as gemm-k has blocks, 9, keeps all filters, which leaves room for 0 slots of positions, but 3 are needed}}
  %y = conv.forward ins(%x, %w : tensor<2x192x16x16xbf16>, tensor<128x192x3x3xbf16>) outs(%y0 : tensor<2x128x16x16xbf16>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 128, 64], warps = [4, 1], stages = 9, copy = tma, mma = wgmma, kn2row = true>} -> tensor<2x128x16x16xbf16>
  return %y : tensor<2x128x16x16xbf16>
}

// -----

func.func @cluster(%x: tensor<2x64x16x16xbf16>, %w: tensor<128x64x3x3xbf16>, %y0: tensor<2x128x16x16xbf16>) -> tensor<2x128x16x16xbf16> {
  // expected-error @below {{kn2row has clusters along gemm-n, whose workgroups share filters, but the schedule has 2x1}}
  %y = conv.forward ins(%x, %w : tensor<2x64x16x16xbf16>, tensor<128x64x3x3xbf16>) outs(%y0 : tensor<2x128x16x16xbf16>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 128, 64], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, cluster = [2, 1], kn2row = true>} -> tensor<2x128x16x16xbf16>
  return %y : tensor<2x128x16x16xbf16>
}

// -----

func.func @split(%x: tensor<2x64x16x16xbf16>, %w: tensor<128x64x3x3xbf16>, %y0: tensor<2x128x16x16xbf16>) -> tensor<2x128x16x16xbf16> {
  // expected-error @below {{split-k=2 has no kernel with kn2row=true, a form that goes with cluster, teams and staging}}
  %y = conv.forward ins(%x, %w : tensor<2x64x16x16xbf16>, tensor<128x64x3x3xbf16>) outs(%y0 : tensor<2x128x16x16xbf16>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 128, 64], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, split = 2, kn2row = true>} -> tensor<2x128x16x16xbf16>
  return %y : tensor<2x128x16x16xbf16>
}

// -----

func.func @stride(%x: tensor<2x64x16x16xbf16>, %w: tensor<64x64x3x3xbf16>, %y0: tensor<2x64x8x16xbf16>) -> tensor<2x64x8x16xbf16> {
  // expected-error @below {{kn2row has no stride, and no input dilation}}
  %y = conv.forward ins(%x, %w : tensor<2x64x16x16xbf16>, tensor<64x64x3x3xbf16>) outs(%y0 : tensor<2x64x8x16xbf16>) stride [2, 1] pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 128, 64], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, kn2row = true>} -> tensor<2x64x8x16xbf16>
  return %y : tensor<2x64x8x16xbf16>
}

// -----

func.func @padding(%x: tensor<2x64x16x16xbf16>, %w: tensor<64x64x3x3xbf16>, %y0: tensor<2x64x14x14xbf16>) -> tensor<2x64x14x14xbf16> {
  // expected-error @below {{kn2row wants lines of the input and of the result that are as long, but they have 16 and 14 positions}}
  %y = conv.forward ins(%x, %w : tensor<2x64x16x16xbf16>, tensor<64x64x3x3xbf16>) outs(%y0 : tensor<2x64x14x14xbf16>) layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 128, 64], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, kn2row = true>} -> tensor<2x64x14x14xbf16>
  return %y : tensor<2x64x14x14xbf16>
}

// -----

func.func @type(%x: tensor<2x64x16x16xf32>, %w: tensor<64x64x3x3xf32>, %y0: tensor<2x64x16x16xf32>) -> tensor<2x64x16x16xf32> {
  // expected-error @below {{kn2row is for f16 and bf16}}
  %y = conv.forward ins(%x, %w : tensor<2x64x16x16xf32>, tensor<64x64x3x3xf32>) outs(%y0 : tensor<2x64x16x16xf32>) pad [1, 1] layout nchw precision tf32 {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 128, 64], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, kn2row = true>} -> tensor<2x64x16x16xf32>
  return %y : tensor<2x64x16x16xf32>
}

// -----

func.func @channels_last(%x: tensor<2x16x16x64xbf16>, %w: tensor<64x3x3x64xbf16>, %y0: tensor<2x16x16x64xbf16>) -> tensor<2x16x16x64xbf16> {
  // expected-error @below {{kn2row is for x and y with their channels first}}
  %y = conv.forward ins(%x, %w : tensor<2x16x16x64xbf16>, tensor<64x3x3x64xbf16>) outs(%y0 : tensor<2x16x16x64xbf16>) pad [1, 1] {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 128, 64], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, kn2row = true>} -> tensor<2x16x16x64xbf16>
  return %y : tensor<2x16x16x64xbf16>
}
