// RUN: conv-opt %s --convert-conv-to-gemm --conv-fuse-epilogue --split-input-file | FileCheck %s

// Images with their channels first are matrices, each a group of rows: the
// filter is the left operand, and what a bias adds to are rows.

// CHECK-DAG:   #[[W:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
// CHECK-DAG:   #[[X:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
// CHECK-DAG:   #[[Y:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-DAG:   #[[ROW:.*]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-LABEL: @forward
// CHECK-DAG:     %[[WM:.*]] = conv.im2col %{{.*}} view <rows = [1], {{.*}}> : tensor<48x1x32xbf16> -> tensor<48x32xbf16>
// CHECK-DAG:     %[[XM:.*]] = conv.im2col %{{.*}} view <rows = [32], taps = [1], stride = [1], step = [1], offset = [0], groups = 1, row_groups = 2> : tensor<2x32x72xbf16> -> tensor<2x32x72xbf16>
// CHECK:         %[[S:.*]] = linalg.generic {indexing_maps = [#[[W]], #[[X]], #[[Y]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%[[WM]], %[[XM]]
// CHECK:         %[[B:.*]] = linalg.generic {indexing_maps = [{{.*}}, #[[ROW]], {{.*}}]
// CHECK:         conv.scatter %[[B]] into %{{.*}} view <rows = [48], {{.*}}, row_groups = 2> : tensor<2x48x72xf32>
func.func @forward(%x: tensor<2x32x72xbf16>, %w: tensor<48x32x1xbf16>, %bias: tensor<48xf32>) -> tensor<2x48x72xf32> {
  %e = tensor.empty() : tensor<2x48x72xf32>
  %s = conv.forward ins(%x, %w : tensor<2x32x72xbf16>, tensor<48x32x1xbf16>) outs(%e : tensor<2x48x72xf32>) layout nchw -> tensor<2x48x72xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, k, p) -> (n, k, p)>, affine_map<(n, k, p) -> (k)>, affine_map<(n, k, p) -> (n, k, p)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
         ins(%s, %bias : tensor<2x48x72xf32>, tensor<48xf32>) outs(%e : tensor<2x48x72xf32>) {
  ^bb0(%sum: f32, %b: f32, %out: f32):
    %0 = arith.addf %sum, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2x48x72xf32>
  return %y : tensor<2x48x72xf32>
}

// -----

// The left operand of dgrad is the filter, transposed; one image is no group.

// CHECK-DAG:   #[[W:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG:   #[[DY:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-LABEL: @dgrad
// CHECK:         linalg.generic {indexing_maps = [#[[W]], #[[DY]], {{.*}}], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME:      ins(%{{.*}} : tensor<48x32xbf16>, tensor<48x72xbf16>) outs(%{{.*}} : tensor<32x72xf32>)
func.func @dgrad(%dy: tensor<1x48x72xbf16>, %w: tensor<48x32x1xbf16>, %dx0: tensor<1x32x72xbf16>) -> tensor<1x32x72xbf16> {
  %dx = conv.dgrad ins(%dy, %w : tensor<1x48x72xbf16>, tensor<48x32x1xbf16>) outs(%dx0 : tensor<1x32x72xbf16>) layout nchw -> tensor<1x32x72xbf16>
  return %dx : tensor<1x32x72xbf16>
}

// -----

// wgrad reduces over images and positions. What follows has the shape of the
// matrix, not of the filter.

// CHECK-DAG:   #[[DY:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>
// CHECK-DAG:   #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2, d4)>
// CHECK-LABEL: @wgrad
// CHECK:         %[[S:.*]] = linalg.generic {indexing_maps = [#[[DY]], #[[X]], {{.*}}], iterator_types = ["reduction", "parallel", "parallel", "parallel", "reduction"]}
// CHECK:         %[[T:.*]] = linalg.generic {{.*}} ins(%[[S]] : tensor<48x1x32xf32>)
// CHECK:         %[[DW:.*]] = conv.scatter %[[T]] into %{{.*}} : tensor<48x1x32xbf16> into tensor<48x1x32xbf16>
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @wgrad(%x: tensor<2x32x72xbf16>, %dy: tensor<2x48x72xbf16>) -> tensor<48x32x1xbf16> {
  %e = tensor.empty() : tensor<48x32x1xf32>
  %s = conv.wgrad ins(%x, %dy : tensor<2x32x72xbf16>, tensor<2x48x72xbf16>) outs(%e : tensor<48x32x1xf32>) layout nchw -> tensor<48x32x1xf32>
  %f = tensor.empty() : tensor<48x32x1xbf16>
  %dw = linalg.generic {indexing_maps = [affine_map<(k, c, r) -> (k, c, r)>, affine_map<(k, c, r) -> (k, c, r)>],
                        iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<48x32x1xf32>) outs(%f : tensor<48x32x1xbf16>) {
  ^bb0(%sum: f32, %out: bf16):
    %0 = arith.truncf %sum : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<48x32x1xbf16>
  return %dw : tensor<48x32x1xbf16>
}
