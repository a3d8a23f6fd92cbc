// RUN: conv-opt %s -conv-select-schedule=chip=sm_90a -split-input-file -verify-diagnostics

// What schedules with TMA and wgmma can break, beyond their shape.

func.func @staging(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x6x7x64xf16>) -> tensor<1x6x7x64xf16> {
  // expected-error @below {{staging (96) must be a multiple of 64 rows that divides the 128 of a warpgroup}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x6x7x64xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [256, 64, 64], warps = [8, 1], stages = 3, copy = tma, mma = wgmma, staging = 96>} -> tensor<1x6x7x64xf16>
  return %y : tensor<1x6x7x64xf16>
}

// -----

func.func @shared(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x6x7x64xf16>) -> tensor<1x6x7x64xf16> {
  // expected-error @below {{132096 bytes of shared memory, what is staged of the result among them, but sm_90a has 115712 for each of 2 workgroups}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x6x7x64xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 128, 64], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, resident = 2>} -> tensor<1x6x7x64xf16>
  return %y : tensor<1x6x7x64xf16>
}

// -----

func.func @accumulators(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x6x7x64xf16>) -> tensor<1x6x7x64xf16> {
  // expected-error @below {{64 accumulators a thread, but at most 32 leave room for the rest}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x6x7x64xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [256, 64, 64], warps = [8, 1], stages = 2, copy = tma, mma = wgmma, resident = 2, staging = 64>} -> tensor<1x6x7x64xf16>
  return %y : tensor<1x6x7x64xf16>
}

// -----

func.func @instruction(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x6x7x64xf16>) -> tensor<1x6x7x64xf16> {
  // expected-error @below {{wgmma of 256 columns takes 154 registers, but a thread begins with 128}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x6x7x64xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 256, 64], warps = [4, 1], stages = 2, copy = tma, mma = wgmma, resident = 2>} -> tensor<1x6x7x64xf16>
  return %y : tensor<1x6x7x64xf16>
}
