// RUN: conv-opt %s -split-input-file -conv-select-schedule=chip=sm_90a | FileCheck %s

// Choices that follow from one cost of the model each, with what an H200 took
// (docs/Performance.md).

// Two fifths of x are padding, whose rows cost more to copy: tiles with more
// products for a row, 109 us in place of 150 with 128x128.
// CHECK-LABEL: func.func @padding
// CHECK:         conv.wgrad
// CHECK-SAME:    tile=256x128x64 warps=8x1
func.func @padding(%x: tensor<8x33x33x2048xbf16>, %dy: tensor<8x33x33x256xbf16>, %dw0: tensor<256x3x3x2048xbf16>) -> tensor<256x3x3x2048xbf16> {
  %dw = conv.wgrad ins(%x, %dy : tensor<8x33x33x2048xbf16>, tensor<8x33x33x256xbf16>) outs(%dw0 : tensor<256x3x3x2048xbf16>) pad [12, 12] dilation [12, 12] -> tensor<256x3x3x2048xbf16>
  return %dw : tensor<256x3x3x2048xbf16>
}

// -----

// Results of 59 MB: tiles that are staged whole, 50 us in place of 71 to 80 in
// parts.
// CHECK-LABEL: func.func @staging
// CHECK:         conv.wgrad
// CHECK-SAME:    tile=128x256x64 warps=8x1 stages=3 copy=tma mma=wgmma split-k=1>
func.func @staging(%x: tensor<8x8x8x2560xbf16>, %dy: tensor<8x8x8x1280xbf16>, %dw0: tensor<1280x3x3x2560xbf16>) -> tensor<1280x3x3x2560xbf16> {
  %dw = conv.wgrad ins(%x, %dy : tensor<8x8x8x2560xbf16>, tensor<8x8x8x1280xbf16>) outs(%dw0 : tensor<1280x3x3x2560xbf16>) pad [1, 1] -> tensor<1280x3x3x2560xbf16>
  return %dw : tensor<1280x3x3x2560xbf16>
}

// -----

// Narrow rows of a filter that all workgroups read: clusters read them once,
// 35 us in place of 43.
// CHECK-LABEL: func.func @shared
// CHECK:         conv.dgrad
// CHECK-SAME:    tile=128x160x32 {{.*}} cluster=2x1 teams=2>
func.func @shared(%dy: tensor<64x28x28x160xbf16>, %w: tensor<160x3x3x160xbf16>, %dx0: tensor<64x28x28x160xbf16>) -> tensor<64x28x28x160xbf16> {
  %dx = conv.dgrad ins(%dy, %w : tensor<64x28x28x160xbf16>, tensor<160x3x3x160xbf16>) outs(%dx0 : tensor<64x28x28x160xbf16>) pad [1, 1] -> tensor<64x28x28x160xbf16>
  return %dx : tensor<64x28x28x160xbf16>
}

// -----

// One round of tiles: two warpgroups for one, 15.0 us in place of 18.2 for one
// by a team.
// CHECK-LABEL: func.func @round
// CHECK:         conv.wgrad
// CHECK-SAME:    tile=128x96x64 warps=8x1 stages=7 copy=tma mma=wgmma split-k=1>
func.func @round(%x: tensor<64x14x14x384xbf16>, %dy: tensor<64x7x7x768xbf16>, %dw0: tensor<768x2x2x384xbf16>) -> tensor<768x2x2x384xbf16> {
  %dw = conv.wgrad ins(%x, %dy : tensor<64x14x14x384xbf16>, tensor<64x7x7x768xbf16>) outs(%dw0 : tensor<768x2x2x384xbf16>) stride [2, 2] -> tensor<768x2x2x384xbf16>
  return %dw : tensor<768x2x2x384xbf16>
}
