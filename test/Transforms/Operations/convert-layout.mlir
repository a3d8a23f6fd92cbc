// RUN: conv-opt %s -conv-convert-layout -split-input-file | FileCheck %s
// RUN: conv-opt %s -conv-convert-layout -split-input-file --remarks-filter=conv-convert-layout -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Missed] layout-converted | Category:conv-convert-layout | {{.*}}nhwc, between transpositions

// Operands and result of every operation; the window stays what it is.

// CHECK-LABEL: @operands
// CHECK-SAME:    %[[DY:.*]]: tensor<2x6x5x7xbf16>, %[[W:.*]]: tensor<6x4x3x2xbf16>, %[[DX0:.*]]: tensor<2x4x9x8xbf16>
// CHECK:         %[[DYT:.*]] = linalg.transpose ins(%[[DY]] : {{.*}}) outs(%{{.*}} : tensor<2x5x7x6xbf16>) permutation = [0, 2, 3, 1]{{ *$}}
// CHECK:         %[[WT:.*]] = linalg.transpose ins(%[[W]] : {{.*}}) outs(%{{.*}} : tensor<6x3x2x4xbf16>) permutation = [0, 2, 3, 1]{{ *$}}
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<2x9x8x4xbf16>
// CHECK:         %[[DXT:.*]] = conv.dgrad ins(%[[DYT]], %[[WT]] : {{.*}}) outs(%[[E]] : tensor<2x9x8x4xbf16>) stride [2, 1] pad [1, 0] -> tensor<2x9x8x4xbf16>
// CHECK:         %[[DX:.*]] = linalg.transpose ins(%[[DXT]] : {{.*}}) outs(%{{.*}} : tensor<2x4x9x8xbf16>) permutation = [0, 3, 1, 2]{{ *$}}
// CHECK:         return %[[DX]]
func.func @operands(%dy: tensor<2x6x5x7xbf16>, %w: tensor<6x4x3x2xbf16>, %dx0: tensor<2x4x9x8xbf16>) -> tensor<2x4x9x8xbf16> {
  %dx = conv.dgrad ins(%dy, %w : tensor<2x6x5x7xbf16>, tensor<6x4x3x2xbf16>) outs(%dx0 : tensor<2x4x9x8xbf16>) stride [2, 1] pad [1, 0] layout nchw -> tensor<2x4x9x8xbf16>
  return %dx : tensor<2x4x9x8xbf16>
}

// -----

// What follows a result is computed on it before it is transposed, in 1-D too,
// where there and back are the same permutation; a residual is transposed.

// CHECK-DAG:   #[[ID:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG:   #[[CHANNEL:.*]] = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-LABEL: @epilogue
// CHECK-SAME:    %{{.*}}: tensor<2x4x9xbf16>, %{{.*}}: tensor<6x4x2xbf16>, %[[BIAS:.*]]: tensor<6xf32>, %[[R:.*]]: tensor<2x6x8xbf16>
// CHECK:         %[[SUM:.*]] = conv.forward {{.*}} -> tensor<2x8x6xf32>
// CHECK:         %[[RT:.*]] = linalg.transpose ins(%[[R]] : {{.*}}) outs(%{{.*}} : tensor<2x8x6xbf16>) permutation = [0, 2, 1]
// CHECK:         %[[Y:.*]] = linalg.generic {indexing_maps = [#[[ID]], #[[CHANNEL]], #[[ID]], #[[ID]]], {{.*}} ins(%[[SUM]], %[[BIAS]], %[[RT]] : {{.*}}) outs(%{{.*}} : tensor<2x8x6xbf16>)
// CHECK:         %[[YT:.*]] = linalg.transpose ins(%[[Y]] : {{.*}}) outs(%{{.*}} : tensor<2x6x8xbf16>) permutation = [0, 2, 1]
// CHECK-NOT:     linalg.transpose
// CHECK:         return %[[YT]]
func.func @epilogue(%x: tensor<2x4x9xbf16>, %w: tensor<6x4x2xbf16>, %bias: tensor<6xf32>, %r: tensor<2x6x8xbf16>) -> tensor<2x6x8xbf16> {
  %e = tensor.empty() : tensor<2x6x8xf32>
  %s = conv.forward ins(%x, %w : tensor<2x4x9xbf16>, tensor<6x4x2xbf16>) outs(%e : tensor<2x6x8xf32>) layout nchw -> tensor<2x6x8xf32>
  %f = tensor.empty() : tensor<2x6x8xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(n, k, q) -> (n, k, q)>, affine_map<(n, k, q) -> (k)>, affine_map<(n, k, q) -> (n, k, q)>, affine_map<(n, k, q) -> (n, k, q)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
         ins(%s, %bias, %r : tensor<2x6x8xf32>, tensor<6xf32>, tensor<2x6x8xbf16>) outs(%f : tensor<2x6x8xbf16>) {
  ^bb0(%sum: f32, %b: f32, %old: bf16, %out: bf16):
    %0 = arith.addf %sum, %b : f32
    %1 = arith.extf %old : bf16 to f32
    %2 = arith.addf %0, %1 : f32
    %3 = arith.truncf %2 : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<2x6x8xbf16>
  return %y : tensor<2x6x8xbf16>
}

// -----

// A result that the next convolution reads stays as it is. Filters of 1x1 and
// one channel are reshaped; the user's own transposition is not touched.

// CHECK-LABEL: @two
// CHECK-SAME:    %[[X:.*]]: tensor<2x1x5x9xbf16>, %[[W0:.*]]: tensor<6x1x2x2xbf16>, %[[W1:.*]]: tensor<8x6x1x1xbf16>
// CHECK:         %[[ROW:.*]] = tensor.collapse_shape %[[X]] {{\[}}[0, 1, 2, 3]] : tensor<2x1x5x9xbf16> into tensor<90xbf16>
// CHECK:         %[[XR:.*]] = tensor.expand_shape %[[ROW]] {{.*}} into tensor<2x5x9x1xbf16>
// CHECK:         %[[MID:.*]] = conv.forward ins(%[[XR]], %{{.*}} : tensor<2x5x9x1xbf16>, tensor<6x2x2x1xbf16>)
// CHECK-NOT:     linalg.transpose
// CHECK:         conv.forward ins(%[[MID]], %{{.*}} : tensor<2x4x8x6xbf16>, tensor<8x1x1x6xbf16>)
// CHECK:         linalg.transpose {{.*}} permutation = [0, 3, 1, 2]
// CHECK:         linalg.transpose {{.*}} permutation = [3, 2, 1, 0]
func.func @two(%x: tensor<2x1x5x9xbf16>, %w0: tensor<6x1x2x2xbf16>, %w1: tensor<8x6x1x1xbf16>) -> tensor<8x4x8x2xbf16> {
  %e0 = tensor.empty() : tensor<2x6x4x8xbf16>
  %m = conv.forward ins(%x, %w0 : tensor<2x1x5x9xbf16>, tensor<6x1x2x2xbf16>) outs(%e0 : tensor<2x6x4x8xbf16>) layout nchw -> tensor<2x6x4x8xbf16>
  %e1 = tensor.empty() : tensor<2x8x4x8xbf16>
  %y = conv.forward ins(%m, %w1 : tensor<2x6x4x8xbf16>, tensor<8x6x1x1xbf16>) outs(%e1 : tensor<2x8x4x8xbf16>) layout nchw -> tensor<2x8x4x8xbf16>
  %e2 = tensor.empty() : tensor<8x4x8x2xbf16>
  %t = linalg.transpose ins(%y : tensor<2x8x4x8xbf16>) outs(%e2 : tensor<8x4x8x2xbf16>) permutation = [3, 2, 1, 0]
  return %t : tensor<8x4x8x2xbf16>
}
