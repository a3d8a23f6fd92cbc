// RUN: conv-opt %s -conv-convert-layout -split-input-file | FileCheck %s
// RUN: conv-opt %s -conv-convert-layout -split-input-file --remarks-filter=conv-convert-layout -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] layout-kept | Category:conv-convert-layout | {{.*}}nchw: 

// A filter of 1x1 multiplies images as they are: all positions become one
// dimension, and so do those of the elementwise operations that follow.

// CHECK-DAG:   #[[ID:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG:   #[[CHANNEL:.*]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-LABEL: @rows
// CHECK-SAME:    %[[X:.*]]: tensor<2x32x8x9xbf16>, %[[W:.*]]: tensor<48x32x1x1xbf16>, %[[BIAS:.*]]: tensor<48xf32>, %[[R:.*]]: tensor<2x48x8x9xbf16>
// CHECK-NOT:     linalg.transpose
// CHECK:         %[[XR:.*]] = tensor.collapse_shape %[[X]] {{\[}}[0], [1], [2, 3]] : tensor<2x32x8x9xbf16> into tensor<2x32x72xbf16>
// CHECK:         %[[WR:.*]] = tensor.collapse_shape %[[W]] {{\[}}[0], [1], [2, 3]] : tensor<48x32x1x1xbf16> into tensor<48x32x1xbf16>
// CHECK:         %[[S:.*]] = conv.forward ins(%[[XR]], %[[WR]] : {{.*}}) outs({{.*}}) layout nchw -> tensor<2x48x72xf32>
// CHECK:         %[[RR:.*]] = tensor.collapse_shape %[[R]]
// CHECK:         %[[Y:.*]] = linalg.generic {indexing_maps = [#[[ID]], #[[CHANNEL]], #[[ID]], #[[ID]]], {{.*}} ins(%[[S]], %[[BIAS]], %[[RR]] : {{.*}})
// CHECK:         %[[E:.*]] = tensor.expand_shape %[[Y]] {{\[}}[0], [1], [2, 3]]
// CHECK:         return %[[E]]
func.func @rows(%x: tensor<2x32x8x9xbf16>, %w: tensor<48x32x1x1xbf16>, %bias: tensor<48xf32>, %r: tensor<2x48x8x9xbf16>) -> tensor<2x48x8x9xbf16> {
  %e = tensor.empty() : tensor<2x48x8x9xf32>
  %s = conv.forward ins(%x, %w : tensor<2x32x8x9xbf16>, tensor<48x32x1x1xbf16>) outs(%e : tensor<2x48x8x9xf32>) layout nchw -> tensor<2x48x8x9xf32>
  %f = tensor.empty() : tensor<2x48x8x9xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(n, k, p, q) -> (n, k, p, q)>, affine_map<(n, k, p, q) -> (k)>, affine_map<(n, k, p, q) -> (n, k, p, q)>, affine_map<(n, k, p, q) -> (n, k, p, q)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
         ins(%s, %bias, %r : tensor<2x48x8x9xf32>, tensor<48xf32>, tensor<2x48x8x9xbf16>) outs(%f : tensor<2x48x8x9xbf16>) {
  ^bb0(%sum: f32, %b: f32, %old: bf16, %out: bf16):
    %0 = arith.addf %sum, %b : f32
    %1 = arith.extf %old : bf16 to f32
    %2 = arith.addf %0, %1 : f32
    %3 = arith.truncf %2 : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<2x48x8x9xbf16>
  return %y : tensor<2x48x8x9xbf16>
}

// -----

// Not so with images that are no whole 16 bytes or few, strides, padding, taps,
// groups, elements of 8 bits, and tf32 with many channels of the result.

// CHECK-LABEL: @transposed
// CHECK-NOT:     layout nchw
// CHECK:         return
func.func @transposed(%x: tensor<2x32x7x7xbf16>, %small: tensor<2x32x7x8xbf16>, %even: tensor<2x32x8x8xbf16>, %wide: tensor<2x32x8x8xf32>, %bytes: tensor<2x32x8x8xi8>,
                      %w: tensor<48x32x1x1xbf16>, %w3: tensor<48x32x1x3xbf16>, %wg: tensor<48x16x1x1xbf16>, %wf: tensor<136x32x1x1xf32>, %wb: tensor<48x32x1x1xi8>)
    -> (tensor<2x48x7x7xbf16>, tensor<2x48x7x8xbf16>, tensor<2x48x8x4xbf16>, tensor<2x48x10x8xbf16>, tensor<2x48x8x6xbf16>, tensor<2x48x8x8xbf16>, tensor<2x136x8x8xf32>, tensor<2x48x8x8xi32>) {
  %e0 = tensor.empty() : tensor<2x48x7x7xbf16>
  %0 = conv.forward ins(%x, %w : tensor<2x32x7x7xbf16>, tensor<48x32x1x1xbf16>) outs(%e0 : tensor<2x48x7x7xbf16>) layout nchw -> tensor<2x48x7x7xbf16>
  %e1 = tensor.empty() : tensor<2x48x7x8xbf16>
  %1 = conv.forward ins(%small, %w : tensor<2x32x7x8xbf16>, tensor<48x32x1x1xbf16>) outs(%e1 : tensor<2x48x7x8xbf16>) layout nchw -> tensor<2x48x7x8xbf16>
  %e2 = tensor.empty() : tensor<2x48x8x4xbf16>
  %2 = conv.forward ins(%even, %w : tensor<2x32x8x8xbf16>, tensor<48x32x1x1xbf16>) outs(%e2 : tensor<2x48x8x4xbf16>) stride [1, 2] layout nchw -> tensor<2x48x8x4xbf16>
  %e3 = tensor.empty() : tensor<2x48x10x8xbf16>
  %3 = conv.forward ins(%even, %w : tensor<2x32x8x8xbf16>, tensor<48x32x1x1xbf16>) outs(%e3 : tensor<2x48x10x8xbf16>) pad [1, 0] layout nchw -> tensor<2x48x10x8xbf16>
  %e4 = tensor.empty() : tensor<2x48x8x6xbf16>
  %4 = conv.forward ins(%even, %w3 : tensor<2x32x8x8xbf16>, tensor<48x32x1x3xbf16>) outs(%e4 : tensor<2x48x8x6xbf16>) layout nchw -> tensor<2x48x8x6xbf16>
  %e5 = tensor.empty() : tensor<2x48x8x8xbf16>
  %5 = conv.forward ins(%even, %wg : tensor<2x32x8x8xbf16>, tensor<48x16x1x1xbf16>) outs(%e5 : tensor<2x48x8x8xbf16>) groups 2 layout nchw -> tensor<2x48x8x8xbf16>
  %e6 = tensor.empty() : tensor<2x136x8x8xf32>
  %6 = conv.forward ins(%wide, %wf : tensor<2x32x8x8xf32>, tensor<136x32x1x1xf32>) outs(%e6 : tensor<2x136x8x8xf32>) layout nchw precision tf32 -> tensor<2x136x8x8xf32>
  %e7 = tensor.empty() : tensor<2x48x8x8xi32>
  %7 = conv.forward ins(%bytes, %wb : tensor<2x32x8x8xi8>, tensor<48x32x1x1xi8>) outs(%e7 : tensor<2x48x8x8xi32>) layout nchw -> tensor<2x48x8x8xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<2x48x7x7xbf16>, tensor<2x48x7x8xbf16>, tensor<2x48x8x4xbf16>, tensor<2x48x10x8xbf16>, tensor<2x48x8x6xbf16>, tensor<2x48x8x8xbf16>, tensor<2x136x8x8xf32>, tensor<2x48x8x8xi32>
}

// -----

// Elements of other sizes: of wgrad, whose positions are gemm-k, all; tf32 with
// few channels of the result; f32.

// CHECK-LABEL: @types
// CHECK-NOT:     linalg.transpose
// CHECK:         conv.wgrad {{.*}} : tensor<2x32x64xi8>, tensor<2x136x64xi8>) {{.*}} layout nchw
// CHECK-NOT:     linalg.transpose
// CHECK:         conv.forward {{.*}} : tensor<2x32x64xf32>, tensor<136x32x1xf32>) {{.*}} layout nchw
// CHECK-NOT:     linalg.transpose
// CHECK:         conv.dgrad {{.*}} : tensor<2x136x64xf32>, tensor<136x32x1xf32>) {{.*}} layout nchw
// CHECK-NOT:     linalg.transpose
// CHECK:         return
func.func @types(%xb: tensor<2x32x8x8xi8>, %dyb: tensor<2x136x8x8xi8>, %x: tensor<2x32x8x8xf32>, %dy: tensor<2x136x8x8xf32>, %w: tensor<136x32x1x1xf32>)
    -> (tensor<136x32x1x1xi32>, tensor<2x136x8x8xf32>, tensor<2x32x8x8xf32>) {
  %e0 = tensor.empty() : tensor<136x32x1x1xi32>
  %0 = conv.wgrad ins(%xb, %dyb : tensor<2x32x8x8xi8>, tensor<2x136x8x8xi8>) outs(%e0 : tensor<136x32x1x1xi32>) layout nchw -> tensor<136x32x1x1xi32>
  %e1 = tensor.empty() : tensor<2x136x8x8xf32>
  %1 = conv.forward ins(%x, %w : tensor<2x32x8x8xf32>, tensor<136x32x1x1xf32>) outs(%e1 : tensor<2x136x8x8xf32>) layout nchw -> tensor<2x136x8x8xf32>
  %e2 = tensor.empty() : tensor<2x32x8x8xf32>
  %2 = conv.dgrad ins(%dy, %w : tensor<2x136x8x8xf32>, tensor<136x32x1x1xf32>) outs(%e2 : tensor<2x32x8x8xf32>) layout nchw precision tf32 -> tensor<2x32x8x8xf32>
  return %0, %1, %2 : tensor<136x32x1x1xi32>, tensor<2x136x8x8xf32>, tensor<2x32x8x8xf32>
}

// -----

// Positions of x that no tap reads are left out: the rest is dense, and a
// filter of one tap has stride 1 on it. Dimensions that stay are joined.

// CHECK-DAG:   #[[FIRST:.*]] = affine_map<(d0, d1) -> (d0, 0, d1, 0)>
// CHECK-LABEL: @strided
// CHECK-SAME:    %[[X:.*]]: tensor<2x32x16x24xbf16>
// CHECK:         %[[ROW:.*]] = tensor.collapse_shape %[[X]] {{\[}}[0, 1, 2, 3]]
// CHECK:         %[[GROUPS:.*]] = tensor.expand_shape %[[ROW]] {{\[}}[0, 1, 2, 3]] output_shape [512, 2, 12, 2]
// CHECK:         %[[S:.*]] = linalg.generic {indexing_maps = [#[[FIRST]], {{.*}} ins(%[[GROUPS]] : tensor<512x2x12x2xbf16>) outs(%{{.*}} : tensor<512x12xbf16>)
// CHECK:         conv.forward ins(%{{.*}}, %{{.*}} : tensor<2x32x96xbf16>, tensor<48x32x1xbf16>) outs({{.*}}) layout nchw -> tensor<2x48x96xf32>
func.func @strided(%x: tensor<2x32x16x24xbf16>, %w: tensor<48x32x1x1xbf16>) -> tensor<2x48x8x12xf32> {
  %e = tensor.empty() : tensor<2x48x8x12xf32>
  %y = conv.forward ins(%x, %w : tensor<2x32x16x24xbf16>, tensor<48x32x1x1xbf16>) outs(%e : tensor<2x48x8x12xf32>) stride [2, 2] layout nchw -> tensor<2x48x8x12xf32>
  return %y : tensor<2x48x8x12xf32>
}

// -----

// One dimension of two: what is left is transposed. Not where windows are
// wider, padded or no equal parts, and not in dgrad.

// CHECK-LABEL: @one_dimension
// CHECK:         tensor.expand_shape %{{.*}} {{\[}}[0, 1]] output_shape [4480, 2]
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<4480x2xbf16>) outs(%{{.*}} : tensor<4480xbf16>)
// CHECK:         conv.wgrad {{.*}} stride [2, 1] -> tensor<48x3x1x32xf32>
// CHECK-LABEL: @dgrad
// CHECK-NOT:     linalg.generic
func.func @one_dimension(%x: tensor<4x32x7x10xbf16>, %dy: tensor<4x48x3x5xbf16>) -> tensor<48x32x3x1xf32> {
  %e = tensor.empty() : tensor<48x32x3x1xf32>
  %y = conv.wgrad ins(%x, %dy : tensor<4x32x7x10xbf16>, tensor<4x48x3x5xbf16>) outs(%e : tensor<48x32x3x1xf32>) stride [2, 2] layout nchw -> tensor<48x32x3x1xf32>
  return %y : tensor<48x32x3x1xf32>
}
func.func @dgrad(%dy: tensor<2x48x8x12xbf16>, %w: tensor<48x32x1x1xbf16>) -> tensor<2x32x16x24xf32> {
  %e = tensor.empty() : tensor<2x32x16x24xf32>
  %y = conv.dgrad ins(%dy, %w : tensor<2x48x8x12xbf16>, tensor<48x32x1x1xbf16>) outs(%e : tensor<2x32x16x24xf32>) stride [2, 2] layout nchw -> tensor<2x32x16x24xf32>
  return %y : tensor<2x32x16x24xf32>
}
