// RUN: conv-opt %s -conv-select-schedule="chip=sm_90a" | FileCheck %s --check-prefixes=CHECK,HOPPER
// RUN: conv-opt %s -conv-select-schedule="chip=sm_80" | FileCheck %s --check-prefixes=CHECK,AMPERE
// RUN: conv-opt %s -conv-select-schedule="chip=sm_90a schedule=fold=false" | FileCheck %s --check-prefix=NONE
// RUN: conv-opt %s -conv-select-schedule="chip=sm_90a schedule=tile=64x32x16" | FileCheck %s --check-prefix=NONE
// RUN: not conv-opt %s -conv-select-schedule="chip=sm_90a schedule=fold=2" 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not conv-opt %s -conv-select-schedule="chip=sm_90a schedule=fold=2x-2" 2>&1 | FileCheck %s --check-prefix=NUMBER

// RANK: cannot run: fold has 1 entries, but there are 2 spatial dimensions
// NUMBER: schedule: expected a positive number for each spatial dimension, as in 2x2, or false, but got 'fold=2x-2'
// NONE-NOT: fold

// Three channels: space to depth.
// CHECK-LABEL: func @stem
// HOPPER:        conv.forward {{.*}}mma=wgmma {{.*}}fold=2x2>
// AMPERE:        conv.forward {{.*}}mma=mma_sync {{.*}}fold=2x2>
func.func @stem(%x: tensor<64x224x224x3xbf16>, %w: tensor<64x7x7x3xbf16>, %y0: tensor<64x112x112x64xbf16>) -> tensor<64x112x112x64xbf16> {
  %y = conv.forward ins(%x, %w : tensor<64x224x224x3xbf16>, tensor<64x7x7x3xbf16>) outs(%y0 : tensor<64x112x112x64xbf16>) stride [2, 2] pad [3:3, 3:3] -> tensor<64x112x112x64xbf16>
  return %y : tensor<64x112x112x64xbf16>
}

// Patches: a matrix product.
// CHECK-LABEL: func @patches
// HOPPER:        conv.forward {{.*}}mma=wgmma {{.*}}fold=16x16>
// AMPERE:        conv.forward {{.*}}fold=16x16>
func.func @patches(%x: tensor<64x224x224x3xbf16>, %w: tensor<768x16x16x3xbf16>, %y0: tensor<64x14x14x768xbf16>) -> tensor<64x14x14x768xbf16> {
  %y = conv.forward ins(%x, %w : tensor<64x224x224x3xbf16>, tensor<768x16x16x3xbf16>) outs(%y0 : tensor<64x14x14x768xbf16>) stride [16, 16] -> tensor<64x14x14x768xbf16>
  return %y : tensor<64x14x14x768xbf16>
}

// Many channels are read as they are.
// CHECK-LABEL: func @wide
// CHECK-NOT:     fold
func.func @wide(%x: tensor<8x56x56x64xbf16>, %w: tensor<64x3x3x64xbf16>, %y0: tensor<8x28x28x64xbf16>) -> tensor<8x28x28x64xbf16> {
  %y = conv.forward ins(%x, %w : tensor<8x56x56x64xbf16>, tensor<64x3x3x64xbf16>) outs(%y0 : tensor<8x28x28x64xbf16>) stride [2, 2] pad [1:1, 1:1] -> tensor<8x28x28x64xbf16>
  return %y : tensor<8x28x28x64xbf16>
}

// Filters that TMA cannot copy are padded where they are read: alone, where the
// channels are many.
// CHECK-LABEL: func @filters
// HOPPER:        conv.dgrad {{.*}}mma=wgmma {{.*}}fold=1x1>
// HOPPER:        conv.forward
// HOPPER-NOT:    fold
// HOPPER-SAME:   -> tensor<8x100x152x36xbf16>
func.func @filters(%dy: tensor<8x100x152x36xbf16>, %w: tensor<36x3x3x256xbf16>, %x: tensor<8x100x152x256xbf16>, %y0: tensor<8x100x152x36xbf16>) -> (tensor<8x100x152x256xbf16>, tensor<8x100x152x36xbf16>) {
  %dx = conv.dgrad ins(%dy, %w : tensor<8x100x152x36xbf16>, tensor<36x3x3x256xbf16>) outs(%x : tensor<8x100x152x256xbf16>) pad [1, 1] -> tensor<8x100x152x256xbf16>
  %y = conv.forward ins(%x, %w : tensor<8x100x152x256xbf16>, tensor<36x3x3x256xbf16>) outs(%y0 : tensor<8x100x152x36xbf16>) pad [1, 1] -> tensor<8x100x152x36xbf16>
  return %dx, %y : tensor<8x100x152x256xbf16>, tensor<8x100x152x36xbf16>
}
