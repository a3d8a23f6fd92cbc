// RUN: conv-opt %s --convert-conv-to-gemm --conv-fuse-epilogue --split-input-file | FileCheck %s

// Taps along a line have sums of their own, in blocks of 64 filters; those
// across are a reduction, and shift positions by whole lines. What follows is
// computed on the matrix of what was added.

// CHECK-DAG:   #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4)>
// CHECK-DAG:   #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d3, d2)>
// CHECK-DAG:   #[[Y:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
// CHECK-LABEL: @forward
// CHECK:         %[[XR:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0], [1], [2, 3]] : tensor<2x32x9x16xbf16> into tensor<2x32x144xbf16>
// CHECK:         %[[XM:.*]] = conv.im2col %[[XR]] view <rows = [32], taps = [1], stride = [1], step = [1], offset = [0], groups = 1, row_groups = 2> tap_shift step 32 offset -32 : tensor<2x32x144xbf16> -> tensor<2x32x3x144xbf16>
// CHECK:         %[[WT:.*]] = linalg.transpose ins(%{{.*}} : tensor<2x64x32x3x3xbf16>) outs(%{{.*}} : tensor<2x3x64x3x32xbf16>) permutation = [0, 4, 1, 3, 2]
// CHECK:         %[[WR:.*]] = tensor.collapse_shape %[[WT]] {{\[}}[0, 1, 2], [3], [4]] : tensor<2x3x64x3x32xbf16> into tensor<384x3x32xbf16>
// CHECK:         %[[WM:.*]] = conv.im2col %[[WR]] view <rows = [1], taps = [3], {{.*}}> : tensor<384x3x32xbf16> -> tensor<384x3x32xbf16>
// CHECK:         %[[S:.*]] = linalg.generic {indexing_maps = [#[[W]], #[[X]], #[[Y]]], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%[[WM]], %[[XM]]
// CHECK:         %[[A:.*]] = conv.add_taps %[[S]] line 16 shifts [-1, 0, 1] : tensor<2x384x144xf32> -> tensor<2x128x144xf32>
// CHECK:         %[[B:.*]] = linalg.generic {{.*}} ins(%[[A]], %{{.*}} : tensor<2x128x144xf32>, tensor<128xf32>)
// CHECK:         %[[R:.*]] = conv.scatter %[[B]] into %{{.*}} view <rows = [128], {{.*}}, row_groups = 2> : tensor<2x128x144xf32>
// CHECK:         tensor.expand_shape %[[R]]
func.func @forward(%x: tensor<2x32x9x16xbf16>, %w: tensor<128x32x3x3xbf16>, %bias: tensor<128xf32>) -> tensor<2x128x9x16xf32> {
  %e = tensor.empty() : tensor<2x128x9x16xf32>
  %s = conv.forward ins(%x, %w : tensor<2x32x9x16xbf16>, tensor<128x32x3x3xbf16>) outs(%e : tensor<2x128x9x16xf32>) pad [2, 1] dilation [2, 1] layout nchw
         {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 128, 32], warps = [4, 1], stages = 4, copy = tma, mma = wgmma, kn2row = true>} -> tensor<2x128x9x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, k, p, q) -> (n, k, p, q)>, affine_map<(n, k, p, q) -> (k)>, affine_map<(n, k, p, q) -> (n, k, p, q)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
         ins(%s, %bias : tensor<2x128x9x16xf32>, tensor<128xf32>) outs(%e : tensor<2x128x9x16xf32>) {
  ^bb0(%sum: f32, %b: f32, %out: f32):
    %0 = arith.addf %sum, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2x128x9x16xf32>
  return %y : tensor<2x128x9x16xf32>
}

// -----

// Of dgrad the filter keeps its filters, which are summed, as rows. Taps are
// those of the filter, so that they shift dy the other way.

// CHECK-DAG:   #[[W:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d2, d0)>
// CHECK-DAG:   #[[DY:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d2, d1)>
// CHECK-LABEL: @dgrad
// CHECK:         conv.im2col %{{.*}} view <rows = [48], {{.*}}> tap_shift step -8 offset 16 : tensor<1x48x72xf16> -> tensor<48x3x56xf16>
// CHECK:         linalg.transpose ins(%{{.*}} : tensor<48x1x64x3x2xf16>) outs(%{{.*}} : tensor<48x3x1x2x64xf16>) permutation = [0, 3, 1, 4, 2]
// CHECK:         conv.im2col %{{.*}} view <rows = [1], taps = [3], {{.*}}> : tensor<48x3x128xf16> -> tensor<48x3x128xf16>
// CHECK:         linalg.generic {indexing_maps = [#[[W]], #[[DY]], {{.*}}
// CHECK:         conv.add_taps %{{.*}} line 8 shifts [0, -1] : tensor<128x56xf32> -> tensor<64x56xf32>
func.func @dgrad(%dy: tensor<1x48x9x8xf16>, %w: tensor<48x64x3x2xf16>) -> tensor<1x64x7x8xf32> {
  %e = tensor.empty() : tensor<1x64x7x8xf32>
  %dx = conv.dgrad ins(%dy, %w : tensor<1x48x9x8xf16>, tensor<48x64x3x2xf16>) outs(%e : tensor<1x64x7x8xf32>) pad [2, 0:1] layout nchw
          {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 16], warps = [4, 1], stages = 4, copy = tma, mma = wgmma, kn2row = true>} -> tensor<1x64x7x8xf32>
  return %dx : tensor<1x64x7x8xf32>
}
