// RUN: conv-opt %s --convert-conv-to-gemm --conv-tile-to-workgroups --verify-diagnostics

func.func @part_of_line(%x: tensor<2x32x4x24xbf16>, %w: tensor<64x32x3x3xbf16>, %y0: tensor<2x64x4x24xf32>) -> tensor<2x64x4x24xf32> {
  // expected-error @below {{'conv.add_taps' op has tiles of whole blocks of 64 rows and lines of 24 positions, not of 64x64}}
  %y = conv.forward ins(%x, %w : tensor<2x32x4x24xbf16>, tensor<64x32x3x3xbf16>) outs(%y0 : tensor<2x64x4x24xf32>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, kn2row = true>} -> tensor<2x64x4x24xf32>
  return %y : tensor<2x64x4x24xf32>
}
