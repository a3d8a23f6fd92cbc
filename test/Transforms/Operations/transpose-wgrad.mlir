// RUN: conv-opt %s -conv-transpose-wgrad | FileCheck %s

#tf32 = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 32], warps = [4, 1], stages = 4, copy = tma, mma = wgmma>
#sync = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 32], warps = [2, 2], stages = 3, copy = cp_async, mma = mma_sync>

// wgrad as forward of transposed copies: images are channels, channels images, positions of dy taps.

// CHECK-LABEL: func.func @images
// CHECK-SAME:    (%[[X:.*]]: tensor<128x15x14x30xi8>, %[[DY:.*]]: tensor<128x7x14x48xi8>)
// CHECK-NOT:     conv.im2col
// CHECK:         %[[XM:.*]] = tensor.expand_shape %{{.*}} into tensor<128x210x30xi8>
// CHECK:         %[[XT:.*]] = linalg.transpose ins(%[[XM]] {{.*}} permutation = [2, 1, 0]
// CHECK:         %[[XF:.*]] = tensor.expand_shape %{{.*}} into tensor<30x15x14x128xi8>
// CHECK:         %[[DM:.*]] = tensor.expand_shape %{{.*}} into tensor<128x98x48xi8>
// CHECK:         %[[DT:.*]] = linalg.transpose ins(%[[DM]] {{.*}} permutation = [2, 1, 0]
// CHECK:         %[[DF:.*]] = tensor.expand_shape %{{.*}} into tensor<48x7x14x128xi8>
// The stride of 2 is a dilation; what it leaves over is cropped.
// CHECK:         %[[Y:.*]] = conv.forward ins(%[[XF]], %[[DF]] : {{.*}}) outs(%{{.*}} : tensor<30x3x3x48xi32>)
// CHECK-SAME:      pad [1:-1, 1] dilation [2, 1] {conv.schedule =
// CHECK:         %[[DW:.*]] = linalg.transpose ins(%[[Y]] {{.*}} permutation = [3, 1, 2, 0]
// CHECK:         return %[[DW]] : tensor<48x3x3x30xi32>
func.func @images(%x: tensor<128x15x14x30xi8>, %dy: tensor<128x7x14x48xi8>) -> tensor<48x3x3x30xi32> {
  %dw0 = tensor.empty() : tensor<48x3x3x30xi32>
  %dw = conv.wgrad ins(%x, %dy : tensor<128x15x14x30xi8>, tensor<128x7x14x48xi8>) outs(%dw0 : tensor<48x3x3x30xi32>)
    {stride = array<i64: 2, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 0, 1>, conv.schedule = #tf32} -> tensor<48x3x3x30xi32>
  return %dw : tensor<48x3x3x30xi32>
}

// 8 images are 32 bytes: they are cut into 4 patches of 4 rows, for which 6 of x are read. Those of dy are as they are.

// CHECK-LABEL: func.func @patches
// CHECK:         conv.im2col %{{.*}} into %{{.*}} view <rows = [4, 1], taps = [6, 16], stride = [4, 1], step = [1, 1], offset = [-1, 0], groups = 1> : tensor<8x16x16x64xf32> into tensor<32x96x64xf32>
// CHECK-NOT:     conv.im2col
// CHECK:         conv.forward {{.*}} tensor<64x6x16x32xf32>, tensor<48x4x16x32xf32>) outs(%{{.*}} : tensor<64x3x3x48xf32>) pad [0, 1] precision tf32
func.func @patches(%x: tensor<8x16x16x64xf32>, %dy: tensor<8x16x16x48xf32>) -> tensor<48x3x3x64xf32> {
  %dw0 = tensor.empty() : tensor<48x3x3x64xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<8x16x16x64xf32>, tensor<8x16x16x48xf32>) outs(%dw0 : tensor<48x3x3x64xf32>) precision tf32
    {pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, conv.schedule = #tf32} -> tensor<48x3x3x64xf32>
  return %dw : tensor<48x3x3x64xf32>
}

// Three spatial dimensions: patches of one position of the last have a tap of the filter each, and are images of two dimensions.

// CHECK-LABEL: func.func @taps
// CHECK:         conv.im2col %{{.*}} into %{{.*}} view <rows = [1, 1, 16], taps = [40, 2, 3], stride = [1, 1, 1], step = [1, 1, 1], offset = [0, 0, -1], groups = 1>
// CHECK:         linalg.transpose ins(%{{.*}} : tensor<64x80x3x16xf32>) outs(%{{.*}} : tensor<16x3x80x64xf32>) permutation = [3, 2, 1, 0]
// CHECK:         conv.forward {{.*}} tensor<48x40x2x64xf32>, tensor<48x40x2x64xf32>) outs(%{{.*}} : tensor<48x1x1x48xf32>) precision tf32
// CHECK:         linalg.transpose ins(%{{.*}} : tensor<16x3x1x1x48xf32>) outs(%{{.*}} : tensor<48x1x1x3x16xf32>) permutation = [4, 2, 3, 1, 0]
func.func @taps(%x: tensor<4x40x2x16x16xf32>, %dy: tensor<4x40x2x16x48xf32>) -> tensor<48x1x1x3x16xf32> {
  %dw0 = tensor.empty() : tensor<48x1x1x3x16xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<4x40x2x16x16xf32>, tensor<4x40x2x16x48xf32>) outs(%dw0 : tensor<48x1x1x3x16xf32>) precision tf32
    {pad_low = array<i64: 0, 0, 1>, pad_high = array<i64: 0, 0, 1>, conv.schedule = #tf32} -> tensor<48x1x1x3x16xf32>
  return %dw : tensor<48x1x1x3x16xf32>
}

// 1 x 1: only transpositions, of rows as they are. A wider result is converted behind its own.

// CHECK-LABEL: func.func @plain
// CHECK-NOT:     conv.im2col
// CHECK:         conv.forward {{.*}} tensor<64x1x8x32xf32>, tensor<48x1x8x32xf32>) outs(%{{.*}} : tensor<64x1x1x48xf32>) precision tf32
// CHECK:         %[[DW:.*]] = linalg.transpose {{.*}} permutation = [3, 1, 2, 0]
// CHECK:         linalg.generic {{.*}} ins(%[[DW]] : tensor<48x1x1x64xf32>)
// CHECK:           arith.extf
func.func @plain(%x: tensor<4x8x8x64xf32>, %dy: tensor<4x8x8x48xf32>) -> tensor<48x1x1x64xf64> {
  %dw0 = tensor.empty() : tensor<48x1x1x64xf64>
  %dw = conv.wgrad ins(%x, %dy : tensor<4x8x8x64xf32>, tensor<4x8x8x48xf32>) outs(%dw0 : tensor<48x1x1x64xf64>) precision tf32
    {conv.schedule = #tf32} -> tensor<48x1x1x64xf64>
  return %dw : tensor<48x1x1x64xf64>
}

// 3 images of 7 positions are no multiple of 16 bytes: there is one position more, zero in dy. One
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
