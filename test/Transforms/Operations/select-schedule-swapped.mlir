// RUN: conv-opt %s -split-input-file -conv-select-schedule=chip=sm_90a | FileCheck %s

// 64 filters are the rows of wgmma (warps along gemm-n): 4 rows of 56 positions
// are one instruction. 128 filters are the columns of larger tiles.

// CHECK-LABEL: func.func @few
// CHECK:         conv.forward
// CHECK-SAME:    tile=224x64x64 warps=1x4 stages=9 copy=tma mma=wgmma split-k=1 teams=2 window=true>
func.func @few(%x: tensor<256x56x56x64xbf16>, %w: tensor<64x3x3x64xbf16>, %y0: tensor<256x56x56x64xbf16>) -> tensor<256x56x56x64xbf16> {
  %y = conv.forward ins(%x, %w : tensor<256x56x56x64xbf16>, tensor<64x3x3x64xbf16>) outs(%y0 : tensor<256x56x56x64xbf16>) pad [1, 1] -> tensor<256x56x56x64xbf16>
  return %y : tensor<256x56x56x64xbf16>
}

// -----

// CHECK-LABEL: func.func @gradient
// CHECK:         conv.dgrad
// CHECK-SAME:    tile=224x64x64 warps=1x4 stages=9 copy=tma mma=wgmma split-k=1 teams=2 window=true>
func.func @gradient(%w: tensor<64x3x3x64xbf16>, %dy: tensor<256x56x56x64xbf16>, %dx0: tensor<256x56x56x64xbf16>) -> tensor<256x56x56x64xbf16> {
  %dx = conv.dgrad ins(%dy, %w : tensor<256x56x56x64xbf16>, tensor<64x3x3x64xbf16>) outs(%dx0 : tensor<256x56x56x64xbf16>) pad [1, 1] -> tensor<256x56x56x64xbf16>
  return %dx : tensor<256x56x56x64xbf16>
}

// -----

// CHECK-LABEL: func.func @more
// CHECK:         conv.forward
// CHECK-SAME:    tile=128x128x64 warps=4x1
func.func @more(%x: tensor<256x28x28x128xbf16>, %w: tensor<128x3x3x128xbf16>, %y0: tensor<256x28x28x128xbf16>) -> tensor<256x28x28x128xbf16> {
  %y = conv.forward ins(%x, %w : tensor<256x28x28x128xbf16>, tensor<128x3x3x128xbf16>) outs(%y0 : tensor<256x28x28x128xbf16>) pad [1, 1] -> tensor<256x28x28x128xbf16>
  return %y : tensor<256x28x28x128xbf16>
}

// -----

// Four images of 7x7 are read as they lie.

// CHECK-LABEL: func.func @images
// CHECK:         conv.forward
// CHECK-SAME:    tile=196x256x32 warps=1x8 stages=4 copy=tma mma=wgmma split-k=1 staging=64 gather=true>
func.func @images(%x: tensor<256x2048x7x7xbf16>, %w: tensor<512x1x1x2048xbf16>, %y0: tensor<256x7x7x512xbf16>, %r0: tensor<256x512x7x7xbf16>) -> tensor<256x512x7x7xbf16> {
  %e = tensor.empty() : tensor<256x7x7x2048xbf16>
  %t = linalg.transpose ins(%x : tensor<256x2048x7x7xbf16>) outs(%e : tensor<256x7x7x2048xbf16>) permutation = [0, 2, 3, 1]
  %y = conv.forward ins(%t, %w : tensor<256x7x7x2048xbf16>, tensor<512x1x1x2048xbf16>) outs(%y0 : tensor<256x7x7x512xbf16>) -> tensor<256x7x7x512xbf16>
  %r = linalg.transpose ins(%y : tensor<256x7x7x512xbf16>) outs(%r0 : tensor<256x512x7x7xbf16>) permutation = [0, 3, 1, 2]
  return %r : tensor<256x512x7x7xbf16>
}
