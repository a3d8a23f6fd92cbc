// RUN: conv-opt %s -split-input-file -conv-convert-layout -conv-select-schedule=chip=sm_90a | FileCheck %s

// Images with their channels first stay as they are where lines begin at
// multiples of 16 bytes: sums of their own for taps along a line take less time
// than a transposition. Of 64 channels the filters stay.

// CHECK-LABEL: func.func @narrow
// CHECK:         conv.forward
// CHECK-SAME:    tile=64x112x64 warps=4x1 stages=3 copy=tma mma=wgmma split-k=1 teams=2 kn2row=true>
func.func @narrow(%x: tensor<256x64x56x56xbf16>, %w: tensor<64x64x3x3xbf16>, %y0: tensor<256x64x56x56xbf16>) -> tensor<256x64x56x56xbf16> {
  %y = conv.forward ins(%x, %w : tensor<256x64x56x56xbf16>, tensor<64x64x3x3xbf16>) outs(%y0 : tensor<256x64x56x56xbf16>) pad [1, 1] layout nchw -> tensor<256x64x56x56xbf16>
  return %y : tensor<256x64x56x56xbf16>
}

// -----

// Of more channels as many positions as sums have room for, or two workgroups
// share filters where lines leave room.

// CHECK-LABEL: func.func @wide
// CHECK:         conv.dgrad
// CHECK-SAME:    tile=64x128x64 warps=4x1 stages=5 copy=tma mma=wgmma split-k=1 teams=2 staging=32 kn2row=true>
func.func @wide(%x: tensor<16x256x64x64xbf16>, %w: tensor<256x256x3x3xbf16>, %y0: tensor<16x256x64x64xbf16>) -> tensor<16x256x64x64xbf16> {
  %y = conv.dgrad ins(%x, %w : tensor<16x256x64x64xbf16>, tensor<256x256x3x3xbf16>) outs(%y0 : tensor<16x256x64x64xbf16>) pad [1, 1] layout nchw -> tensor<16x256x64x64xbf16>
  return %y : tensor<16x256x64x64xbf16>
}

// -----

// CHECK-LABEL: func.func @shared
// CHECK:         conv.forward
// CHECK-SAME:    tile=64x112x64 warps=4x1 stages=4 copy=tma mma=wgmma split-k=1 cluster=1x2 teams=2 kn2row=true>
func.func @shared(%x: tensor<64x256x56x56xbf16>, %w: tensor<256x256x3x3xbf16>, %y0: tensor<64x256x56x56xbf16>) -> tensor<64x256x56x56xbf16> {
  %y = conv.forward ins(%x, %w : tensor<64x256x56x56xbf16>, tensor<256x256x3x3xbf16>) outs(%y0 : tensor<64x256x56x56xbf16>) pad [1, 1] layout nchw -> tensor<64x256x56x56xbf16>
  return %y : tensor<64x256x56x56xbf16>
}

// -----

// Few large tiles leave multiprocessors idle. Lines of 28 positions begin
// between such multiples.

// CHECK-LABEL: func.func @few
// CHECK:         conv.forward
// CHECK-NOT:     kn2row
func.func @few(%x: tensor<8x1280x16x16xbf16>, %w: tensor<1280x1280x3x3xbf16>, %y0: tensor<8x1280x16x16xbf16>) -> tensor<8x1280x16x16xbf16> {
  %y = conv.forward ins(%x, %w : tensor<8x1280x16x16xbf16>, tensor<1280x1280x3x3xbf16>) outs(%y0 : tensor<8x1280x16x16xbf16>) pad [1, 1] layout nchw -> tensor<8x1280x16x16xbf16>
  return %y : tensor<8x1280x16x16xbf16>
}

// -----

// CHECK-LABEL: func.func @lines
// CHECK:         conv.forward
// CHECK-NOT:     kn2row
func.func @lines(%x: tensor<256x256x28x28xbf16>, %w: tensor<256x256x3x3xbf16>, %y0: tensor<256x256x28x28xbf16>) -> tensor<256x256x28x28xbf16> {
  %y = conv.forward ins(%x, %w : tensor<256x256x28x28xbf16>, tensor<256x256x3x3xbf16>) outs(%y0 : tensor<256x256x28x28xbf16>) pad [1, 1] layout nchw -> tensor<256x256x28x28xbf16>
  return %y : tensor<256x256x28x28xbf16>
}
