// RUN: conv-opt %s --convert-conv-to-gemm --split-input-file --verify-diagnostics

func.func @buffers(%x: memref<1x5x4xf32>, %w: memref<6x2x4xf32>, %y: memref<1x4x6xf32>) {
  // expected-error @below {{'conv.forward' op implicit GEMM works on tensors, but the operation is on buffers}}
  conv.forward ins(%x, %w : memref<1x5x4xf32>, memref<6x2x4xf32>) outs(%y : memref<1x4x6xf32>)
  return
}

// -----

func.func @nchw(%x: tensor<1x4x5xf32>, %w: tensor<6x4x2xf32>, %y0: tensor<1x6x4xf32>) -> tensor<1x6x4xf32> {
  // expected-error @below {{'conv.forward' op implicit GEMM needs the layout nhwc, or nchw with 1x1 filters of 1-D images (conv-convert-layout)}}
  %y = conv.forward ins(%x, %w : tensor<1x4x5xf32>, tensor<6x4x2xf32>) outs(%y0 : tensor<1x6x4xf32>) layout nchw -> tensor<1x6x4xf32>
  return %y : tensor<1x6x4xf32>
}

// -----

func.func @accumulate(%dy: tensor<1x4x6xf32>, %w: tensor<6x2x4xf32>, %dx0: tensor<1x5x4xf32>) -> tensor<1x5x4xf32> {
  // expected-error @below {{'conv.dgrad' op implicit GEMM needs conv-expand-accumulation first}}
  %dx = conv.dgrad ins(%dy, %w : tensor<1x4x6xf32>, tensor<6x2x4xf32>) outs(%dx0 : tensor<1x5x4xf32>) accumulate -> tensor<1x5x4xf32>
  return %dx : tensor<1x5x4xf32>
}

// -----

func.func @window(%x: tensor<1x9x64xbf16>, %w: tensor<64x2x64xbf16>, %y0: tensor<1x4x64xbf16>) -> tensor<1x4x64xbf16> {
  // expected-error @below {{'conv.forward' op implicit GEMM has no window: a window needs stride 1, but spatial dimension 0 has 2}}
  %y = conv.forward ins(%x, %w : tensor<1x9x64xbf16>, tensor<64x2x64xbf16>) outs(%y0 : tensor<1x4x64xbf16>) {stride = array<i64: 2>, conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 64], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, window = true>} -> tensor<1x4x64xbf16>
  return %y : tensor<1x4x64xbf16>
}

// -----

func.func @window_rows(%x: tensor<1x8x9x64xbf16>, %w: tensor<64x3x3x64xbf16>, %y0: tensor<1x6x7x64xbf16>) -> tensor<1x6x7x64xbf16> {
  // expected-error @below {{'conv.forward' op implicit GEMM has no window: a window is of a tile of whole rows of 64 positions, but the tile has 32 positions}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xbf16>, tensor<64x3x3x64xbf16>) outs(%y0 : tensor<1x6x7x64xbf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 64, 64], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, window = true>} -> tensor<1x6x7x64xbf16>
  return %y : tensor<1x6x7x64xbf16>
}

// -----

func.func @kn2row(%x: tensor<1x8x16x32xbf16>, %w: tensor<64x1x3x32xbf16>, %y0: tensor<1x8x16x64xbf16>) -> tensor<1x8x16x64xbf16> {
  // expected-error @below {{'conv.forward' op implicit GEMM reads images with their channels first where taps have sums of their own (conv-restore-layout)}}
  %y = conv.forward ins(%x, %w : tensor<1x8x16x32xbf16>, tensor<64x1x3x32xbf16>) outs(%y0 : tensor<1x8x16x64xbf16>) pad [0, 1] {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, kn2row = true>} -> tensor<1x8x16x64xbf16>
  return %y : tensor<1x8x16x64xbf16>
}

// -----

func.func @kn2row_line(%x: tensor<1x32x8x12xbf16>, %w: tensor<64x32x1x3xbf16>, %y0: tensor<1x64x8x12xbf16>) -> tensor<1x64x8x12xbf16> {
  // expected-error @below {{'conv.forward' op implicit GEMM cannot be computed so: kn2row wants lines of a multiple of 8 positions, but they have 12}}
  %y = conv.forward ins(%x, %w : tensor<1x32x8x12xbf16>, tensor<64x32x1x3xbf16>) outs(%y0 : tensor<1x64x8x12xbf16>) pad [0, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 96, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, kn2row = true>} -> tensor<1x64x8x12xbf16>
  return %y : tensor<1x64x8x12xbf16>
}
