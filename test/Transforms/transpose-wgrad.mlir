// RUN: conv-opt %s -conv-transpose-wgrad | FileCheck %s

#tf32 = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 32], warps = [4, 1], stages = 4, copy = tma, mma = wgmma>
#sync = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 32], warps = [2, 2], stages = 3, copy = cp_async, mma = mma_sync>

// wgrad as forward of transposed copies. Columns of x are gathered for each of three taps, those of dy
// are as they are: 8 images of 14 columns are 112 channels.

// CHECK-LABEL: func.func @taps
// CHECK-SAME:    (%[[X:.*]]: tensor<8x15x14x30xi8>, %[[DY:.*]]: tensor<8x7x14x48xi8>)
// CHECK:         %[[WS:.*]] = tensor.empty() : tensor<1680x3x30xi8>
// CHECK:         %[[G:.*]] = conv.im2col %[[X]] into %[[WS]] view <rows = [15, 14], taps = [1, 3], stride = [1, 1], step = [1, 1], offset = [0, -1], groups = 1>
// CHECK:         %[[XG:.*]] = tensor.expand_shape %{{.*}} into tensor<8x15x14x3x30xi8>
// CHECK:         %[[XT:.*]] = linalg.transpose ins(%[[XG]] {{.*}} permutation = [4, 3, 1, 0, 2]
// CHECK:         %[[XF:.*]] = tensor.expand_shape %{{.*}} into tensor<90x15x112xi8>
// CHECK:         %[[DT:.*]] = linalg.transpose ins(%[[DY]] {{.*}} permutation = [3, 1, 0, 2]
// CHECK:         %[[DF:.*]] = tensor.expand_shape %{{.*}} into tensor<48x7x112xi8>
// The stride of 2 is a dilation; what it leaves over is cropped.
// CHECK:         %[[Y:.*]] = conv.forward ins(%[[XF]], %[[DF]] : {{.*}}) outs(%{{.*}} : tensor<90x3x48xi32>)
// CHECK-SAME:      pad [1:-1] dilation [2] {conv.schedule =
// CHECK:         %[[YS:.*]] = tensor.expand_shape %{{.*}} into tensor<30x3x3x48xi32>
// CHECK:         %[[DW:.*]] = linalg.transpose ins(%[[YS]] {{.*}} permutation = [3, 2, 1, 0]
// CHECK:         return %[[DW]] : tensor<48x3x3x30xi32>
func.func @taps(%x: tensor<8x15x14x30xi8>, %dy: tensor<8x7x14x48xi8>) -> tensor<48x3x3x30xi32> {
  %dw0 = tensor.empty() : tensor<48x3x3x30xi32>
  %dw = conv.wgrad ins(%x, %dy : tensor<8x15x14x30xi8>, tensor<8x7x14x48xi8>) outs(%dw0 : tensor<48x3x3x30xi32>)
    {stride = array<i64: 2, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 0, 1>, conv.schedule = #tf32} -> tensor<48x3x3x30xi32>
  return %dw : tensor<48x3x3x30xi32>
}

// 1 x 1: only transpositions. A wider result is converted behind its own.

// CHECK-LABEL: func.func @plain
// CHECK-NOT:     conv.im2col
// CHECK:         conv.forward {{.*}} tensor<64x8x32xf32>, tensor<48x8x32xf32>) outs(%{{.*}} : tensor<64x1x48xf32>) precision tf32
// CHECK:         %[[DW:.*]] = linalg.transpose {{.*}} permutation = [3, 2, 1, 0]
// CHECK:         linalg.generic {{.*}} ins(%[[DW]] : tensor<48x1x1x64xf32>)
// CHECK:           arith.extf
func.func @plain(%x: tensor<4x8x8x64xf32>, %dy: tensor<4x8x8x48xf32>) -> tensor<48x1x1x64xf64> {
  %dw0 = tensor.empty() : tensor<48x1x1x64xf64>
  %dw = conv.wgrad ins(%x, %dy : tensor<4x8x8x64xf32>, tensor<4x8x8x48xf32>) outs(%dw0 : tensor<48x1x1x64xf64>) precision tf32
    {conv.schedule = #tf32} -> tensor<48x1x1x64xf64>
  return %dw : tensor<48x1x1x64xf64>
}

// 3 images of 7 columns are no multiple of 16 bytes: columns are padded, of dy with zeros. One
// spatial dimension: a forward convolution of one position.

// CHECK-LABEL: func.func @padded
// CHECK:         conv.im2col %{{.*}} into %{{.*}} view <rows = [8], taps = [1], {{.*}}> : tensor<3x7x64xf32> into tensor<24x1x64xf32>
// CHECK:         conv.im2col %{{.*}} into %{{.*}} view <rows = [8], taps = [1], {{.*}}> : tensor<3x7x48xf32> into tensor<24x1x48xf32>
// CHECK:         conv.forward {{.*}} tensor<64x1x24xf32>, tensor<48x1x24xf32>
func.func @padded(%x: tensor<3x7x64xf32>, %dy: tensor<3x7x48xf32>) -> tensor<48x1x64xf32> {
  %dw0 = tensor.empty() : tensor<48x1x64xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<3x7x64xf32>, tensor<3x7x48xf32>) outs(%dw0 : tensor<48x1x64xf32>) precision tf32
    {conv.schedule = #tf32} -> tensor<48x1x64xf32>
  return %dw : tensor<48x1x64xf32>
}

// Other instructions, and operands of 16 bits, take what there is.

// CHECK-LABEL: func.func @sync
// CHECK:         conv.wgrad
// CHECK:         conv.wgrad
func.func @sync(%x: tensor<4x8x8x64xi8>, %dy: tensor<4x8x8x48xi8>, %h: tensor<4x8x8x64xf16>, %dh: tensor<4x8x8x48xf16>) -> (tensor<48x1x1x64xi32>, tensor<48x1x1x64xf32>) {
  %dw0 = tensor.empty() : tensor<48x1x1x64xi32>
  %dw = conv.wgrad ins(%x, %dy : tensor<4x8x8x64xi8>, tensor<4x8x8x48xi8>) outs(%dw0 : tensor<48x1x1x64xi32>)
    {conv.schedule = #sync} -> tensor<48x1x1x64xi32>
  %dv0 = tensor.empty() : tensor<48x1x1x64xf32>
  %dv = conv.wgrad ins(%h, %dh : tensor<4x8x8x64xf16>, tensor<4x8x8x48xf16>) outs(%dv0 : tensor<48x1x1x64xf32>)
    {conv.schedule = #tf32} -> tensor<48x1x1x64xf32>
  return %dw, %dv : tensor<48x1x1x64xi32>, tensor<48x1x1x64xf32>
}
