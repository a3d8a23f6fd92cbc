// RUN: conv-opt %s -conv-to-matrices='chip=sm_90a schedule="copy=tma,mma=wgmma,merge=1"' | FileCheck %s

// wgmma of other widths than 16 bits wants gemm-k contiguous in both operands: dgrad reads a
// transposed filter, once for all phases. Views are those of the filter itself.

// CHECK-DAG:   #[[W:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>
// CHECK-LABEL: func.func @phases
// CHECK:         %[[T:.*]] = linalg.transpose ins(%{{.*}} : tensor<48x3x2x64xf32>) outs(%{{.*}} : tensor<64x3x2x48xf32>) permutation = [3, 1, 2, 0]
// CHECK-NOT:     linalg.transpose
// CHECK:         conv.im2col %[[T]] view <rows = [1, 1], taps = [2, 1], {{.*}}> : tensor<64x3x2x48xf32> -> tensor<64x2x48xf32>
// CHECK:         linalg.generic {indexing_maps = [#{{.*}}, #[[W]], #{{.*}}]
// CHECK:         conv.im2col %[[T]] view <rows = [1, 1], taps = [1, 1], {{.*}}> : tensor<64x3x2x48xf32> -> tensor<64x1x48xf32>
func.func @phases(%dy: tensor<2x9x9x48xf32>, %w: tensor<48x3x2x64xf32>) -> tensor<2x19x18x64xf32> {
  %dx0 = tensor.empty() : tensor<2x19x18x64xf32>
  %dx = conv.dgrad ins(%dy, %w : tensor<2x9x9x48xf32>, tensor<48x3x2x64xf32>) outs(%dx0 : tensor<2x19x18x64xf32>) precision tf32
    {stride = array<i64: 2, 2>} -> tensor<2x19x18x64xf32>
  return %dx : tensor<2x19x18x64xf32>
}

// Within groups: filters change places with the channels of their own group.

// CHECK-LABEL: func.func @groups
// CHECK:         %[[W:.*]] = tensor.expand_shape %{{.*}} {{\[}}[0, 1], [2], [3], [4]] {{.*}} : tensor<128x3x3x32xi8> into tensor<2x64x3x3x32xi8>
// CHECK:         %[[T:.*]] = linalg.transpose ins(%[[W]] : {{.*}}) outs(%{{.*}} : tensor<2x32x3x3x64xi8>) permutation = [0, 4, 2, 3, 1]
// CHECK:         tensor.collapse_shape %[[T]] {{.*}} into tensor<64x3x3x64xi8>
// CHECK:         conv.im2col {{.*}} row_groups = 2> : tensor<64x3x3x64xi8> -> tensor<2x32x9x64xi8>
func.func @groups(%dy: tensor<2x8x8x128xi8>, %w: tensor<128x3x3x32xi8>) -> tensor<2x8x8x64xi32> {
  %dx0 = tensor.empty() : tensor<2x8x8x64xi32>
  %dx = conv.dgrad ins(%dy, %w : tensor<2x8x8x128xi8>, tensor<128x3x3x32xi8>) outs(%dx0 : tensor<2x8x8x64xi32>) groups 2
    {pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>} -> tensor<2x8x8x64xi32>
  return %dx : tensor<2x8x8x64xi32>
}

// Operands of 16 bits are multiplied as they are.

// CHECK-LABEL: func.func @halves
// CHECK-NOT:     linalg.transpose
// CHECK:         return
func.func @halves(%dy: tensor<2x9x9x48xf16>, %w: tensor<48x3x2x64xf16>) -> tensor<2x11x10x64xf16> {
  %dx0 = tensor.empty() : tensor<2x11x10x64xf16>
  %dx = conv.dgrad ins(%dy, %w : tensor<2x9x9x48xf16>, tensor<48x3x2x64xf16>) outs(%dx0 : tensor<2x11x10x64xf16>) -> tensor<2x11x10x64xf16>
  return %dx : tensor<2x11x10x64xf16>
}
