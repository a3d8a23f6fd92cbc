// RUN: conv-opt %s -conv-select-schedule="chip=sm_90a" | FileCheck %s
// RUN: conv-opt %s -conv-select-schedule="chip=sm_90a schedule=split-k=2" | FileCheck %s --check-prefix=SPLIT

// 144 tiles of 128x128 on 132 workgroups: those that are left are made in parts. To split gemm-k of all takes the parts of the last away.

// CHECK-LABEL: @few_left
// CHECK:       conv.wgrad
// CHECK-SAME:  tail={{[0-9]+}}
// SPLIT-LABEL: @few_left
// SPLIT:       conv.wgrad
// SPLIT-SAME:  split-k=2
// SPLIT-NOT:   tail
// SPLIT:       return
func.func @few_left(%x: tensor<256x7x7x512xbf16>, %dy: tensor<256x7x7x512xbf16>, %dw0: tensor<512x3x3x512xbf16>) -> tensor<512x3x3x512xbf16> {
  %dw = conv.wgrad ins(%x, %dy : tensor<256x7x7x512xbf16>, tensor<256x7x7x512xbf16>) outs(%dw0 : tensor<512x3x3x512xbf16>) pad [1, 1] -> tensor<512x3x3x512xbf16>
  return %dw : tensor<512x3x3x512xbf16>
}

// 128 tiles of 256x128: nothing is left.

// CHECK-LABEL: @none_left
// CHECK:       conv.forward
// CHECK-NOT:   tail
// CHECK:       return
func.func @none_left(%x: tensor<16x32x32x1024xbf16>, %w: tensor<256x1x1x1024xbf16>, %y0: tensor<16x32x32x256xbf16>) -> tensor<16x32x32x256xbf16> {
  %y = conv.forward ins(%x, %w : tensor<16x32x32x1024xbf16>, tensor<256x1x1x1024xbf16>) outs(%y0 : tensor<16x32x32x256xbf16>) -> tensor<16x32x32x256xbf16>
  return %y : tensor<16x32x32x256xbf16>
}

// 36 tiles of 128x128 in three parts leave 24 workgroups without any: even parts give them the last blocks of gemm-k.

// CHECK-LABEL: @even
// CHECK:       conv.wgrad
// CHECK-SAME:  tail=even
// SPLIT-LABEL: @even
// SPLIT:       conv.wgrad
// SPLIT-SAME:  split-k=2
// SPLIT-NOT:   tail
// SPLIT:       return
func.func @even(%x: tensor<256x14x14x256xbf16>, %dy: tensor<256x14x14x256xbf16>, %dw0: tensor<256x3x3x256xbf16>) -> tensor<256x3x3x256xbf16> {
  %dw = conv.wgrad ins(%x, %dy : tensor<256x14x14x256xbf16>, tensor<256x14x14x256xbf16>) outs(%dw0 : tensor<256x3x3x256xbf16>) pad [1, 1] -> tensor<256x3x3x256xbf16>
  return %dw : tensor<256x3x3x256xbf16>
}
