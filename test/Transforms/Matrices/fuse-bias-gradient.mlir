// RUN: conv-opt %s -split-input-file -convert-conv-to-gemm -conv-fuse-epilogue -conv-fuse-bias-gradient -verify-diagnostics | FileCheck %s
// RUN: conv-opt %s -split-input-file -convert-conv-to-gemm -conv-fuse-epilogue -conv-fuse-bias-gradient --remarks-filter=conv-fuse-bias-gradient -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] bias-gradient-fused | Category:conv-fuse-bias-gradient | {{.*}}part of the kernel of wgrad
// REMARK-DAG: remark: [Missed] bias-gradient-apart | Category:conv-fuse-bias-gradient | {{.*}}has a kernel of its own

// The sum over all but channels becomes one over the rows of the matrix.

// CHECK-DAG:   #[[ROWS:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG:   #[[SUMS:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: @wgrad
// CHECK-SAME:    %{{.*}}: tensor<2x7x6x16xbf16>, %[[DY:.*]]: tensor<2x5x5x40xbf16>
// CHECK:         %[[M:.*]] = conv.im2col %[[DY]] {{.*}} -> tensor<50x40xbf16>
// CHECK:         %[[DW:.*]] = conv.scatter
// CHECK:         %[[DB:.*]] = linalg.generic {indexing_maps = [#[[ROWS]], #[[SUMS]]], iterator_types = ["parallel", "reduction"]} ins(%[[M]] : tensor<50x40xbf16>)
// CHECK:           arith.extf
// CHECK:           arith.addf
// CHECK:         return %[[DW]], %[[DB]]
#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 32, 64], warps = [4, 1], stages = 3, copy = tma, mma = wgmma>
#all = affine_map<(k, n, p, q) -> (n, p, q, k)>
#channel = affine_map<(k, n, p, q) -> (k)>
func.func @wgrad(%x: tensor<2x7x6x16xbf16>, %dy: tensor<2x5x5x40xbf16>, %dw0: tensor<40x3x2x16xf32>) -> (tensor<40x3x2x16xf32>, tensor<40xf32>) {
  %dw = conv.wgrad ins(%x, %dy : tensor<2x7x6x16xbf16>, tensor<2x5x5x40xbf16>) outs(%dw0 : tensor<40x3x2x16xf32>) {conv.schedule = #schedule} -> tensor<40x3x2x16xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  %db = linalg.generic {indexing_maps = [#all, #channel], iterator_types = ["parallel", "reduction", "reduction", "reduction"]} ins(%dy : tensor<2x5x5x40xbf16>) outs(%z : tensor<40xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %f = arith.extf %in : bf16 to f32
    %s = arith.addf %f, %out : f32
    linalg.yield %s : f32
  } -> tensor<40xf32>
  return %dw, %db : tensor<40x3x2x16xf32>, tensor<40xf32>
}

// -----

// The sum comes first, of images with channels first, of three groups. What
// uses it moves behind the scatter.

// CHECK-LABEL: @before
// CHECK:         linalg.transpose
// CHECK:         %[[M:.*]] = conv.im2col {{.*}} -> tensor<50x3x24xf16>
// CHECK:         conv.scatter
// CHECK:         %[[G:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[M]] : tensor<50x3x24xf16>) outs(%{{.*}} : tensor<3x24xf32>)
// CHECK:         %[[DB:.*]] = tensor.collapse_shape %[[G]] {{\[\[}}0, 1]] : tensor<3x24xf32> into tensor<72xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[DB]] : tensor<72xf32>)
// CHECK:           arith.truncf
#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 32, 64], warps = [4, 1], stages = 3, copy = tma, mma = wgmma>
#all = affine_map<(k, n, p, q) -> (n, k, p, q)>
#channel = affine_map<(k, n, p, q) -> (k)>
#id = affine_map<(k) -> (k)>
func.func @before(%x: tensor<2x7x6x24xf16>, %dy: tensor<2x72x5x5xf16>, %dw0: tensor<72x3x2x8xf32>) -> (tensor<72x3x2x8xf32>, tensor<72xf16>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<72xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<72xf32>) -> tensor<72xf32>
  %db = linalg.generic {indexing_maps = [#all, #channel], iterator_types = ["parallel", "reduction", "reduction", "reduction"]} ins(%dy : tensor<2x72x5x5xf16>) outs(%z : tensor<72xf32>) {
  ^bb0(%in: f16, %out: f32):
    %f = arith.extf %in : f16 to f32
    %s = arith.addf %out, %f : f32
    linalg.yield %s : f32
  } -> tensor<72xf32>
  %h = tensor.empty() : tensor<72xf16>
  %rounded = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%db : tensor<72xf32>) outs(%h : tensor<72xf16>) {
  ^bb0(%in: f32, %out: f16):
    %r = arith.truncf %in : f32 to f16
    linalg.yield %r : f16
  } -> tensor<72xf16>
  %t = tensor.empty() : tensor<2x5x5x72xf16>
  %dyt = linalg.transpose ins(%dy : tensor<2x72x5x5xf16>) outs(%t : tensor<2x5x5x72xf16>) permutation = [0, 2, 3, 1]
  %dw = conv.wgrad ins(%x, %dyt : tensor<2x7x6x24xf16>, tensor<2x5x5x72xf16>) outs(%dw0 : tensor<72x3x2x8xf32>) groups 3 {conv.schedule = #schedule} -> tensor<72x3x2x8xf32>
  return %dw, %rounded : tensor<72x3x2x8xf32>, tensor<72xf16>
}

// -----

// CHECK-LABEL: @on_cp_async
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "reduction"]}
#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 32, 32], warps = [2, 1], stages = 3, copy = cp_async, mma = mma_sync>
#all = affine_map<(k, n, q) -> (n, q, k)>
#channel = affine_map<(k, n, q) -> (k)>
func.func @on_cp_async(%x: tensor<2x7x16xbf16>, %dy: tensor<2x5x40xbf16>, %dw0: tensor<40x3x16xf32>) -> (tensor<40x3x16xf32>, tensor<40xf32>) {
  %dw = conv.wgrad ins(%x, %dy : tensor<2x7x16xbf16>, tensor<2x5x40xbf16>) outs(%dw0 : tensor<40x3x16xf32>) {conv.schedule = #schedule} -> tensor<40x3x16xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  // expected-remark @below {{the sum over all but channels has a kernel of its own: warps that sum what others multiply are of kernels with copy=tma and mma=wgmma, and this one has copy=cp_async and mma=mma_sync}}
  %db = linalg.generic {indexing_maps = [#all, #channel], iterator_types = ["parallel", "reduction", "reduction"]} ins(%dy : tensor<2x5x40xbf16>) outs(%z : tensor<40xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %f = arith.extf %in : bf16 to f32
    %s = arith.addf %out, %f : f32
    linalg.yield %s : f32
  } -> tensor<40xf32>
  return %dw, %db : tensor<40x3x16xf32>, tensor<40xf32>
}

// -----

// forward reads its input as rows of positions, too, but does not reduce them.

// CHECK-LABEL: @forward
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "reduction"]}
#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 32, 64], warps = [4, 1], stages = 3, copy = tma, mma = wgmma>
#all = affine_map<(k, n, q) -> (n, q, k)>
#channel = affine_map<(k, n, q) -> (k)>
func.func @forward(%x: tensor<2x7x16xbf16>, %w: tensor<40x3x16xbf16>, %y0: tensor<2x5x40xf32>) -> (tensor<2x5x40xf32>, tensor<16xf32>) {
  %y = conv.forward ins(%x, %w : tensor<2x7x16xbf16>, tensor<40x3x16xbf16>) outs(%y0 : tensor<2x5x40xf32>) {conv.schedule = #schedule} -> tensor<2x5x40xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  // expected-remark @below {{no kernel reduces rows of positions of its tensor}}
  %sum = linalg.generic {indexing_maps = [#all, #channel], iterator_types = ["parallel", "reduction", "reduction"]} ins(%x : tensor<2x7x16xbf16>) outs(%z : tensor<16xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %f = arith.extf %in : bf16 to f32
    %s = arith.addf %out, %f : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %y, %sum : tensor<2x5x40xf32>, tensor<16xf32>
}

// -----

// What is no plain sum is left alone, without a word.

// CHECK-LABEL: @largest
// CHECK:         arith.maximumf
#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 32, 64], warps = [4, 1], stages = 3, copy = tma, mma = wgmma>
#all = affine_map<(k, n, q) -> (n, q, k)>
#channel = affine_map<(k, n, q) -> (k)>
func.func @largest(%x: tensor<2x7x16xbf16>, %dy: tensor<2x5x40xbf16>, %dw0: tensor<40x3x16xf32>) -> (tensor<40x3x16xf32>, tensor<40xf32>) {
  %dw = conv.wgrad ins(%x, %dy : tensor<2x7x16xbf16>, tensor<2x5x40xbf16>) outs(%dw0 : tensor<40x3x16xf32>) {conv.schedule = #schedule} -> tensor<40x3x16xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  %db = linalg.generic {indexing_maps = [#all, #channel], iterator_types = ["parallel", "reduction", "reduction"]} ins(%dy : tensor<2x5x40xbf16>) outs(%z : tensor<40xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %f = arith.extf %in : bf16 to f32
    %s = arith.maximumf %out, %f : f32
    linalg.yield %s : f32
  } -> tensor<40xf32>
  return %dw, %db : tensor<40x3x16xf32>, tensor<40xf32>
}

// -----

// Images that are computed with their channels first: over images and
// positions.

// CHECK-DAG:   #[[IMAGES:.*]] = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
// CHECK-LABEL: @channels_first
// CHECK:         %[[M:.*]] = conv.im2col {{.*}} row_groups = 3> : tensor<3x72x80xbf16> -> tensor<3x72x80xbf16>
// CHECK:         linalg.generic {indexing_maps = [#[[IMAGES]], #{{.*}}], iterator_types = ["parallel", "reduction", "reduction"]} ins(%[[M]] : tensor<3x72x80xbf16>) outs(%{{.*}} : tensor<72xf32>)
#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 32, 64], warps = [4, 1], stages = 3, copy = tma, mma = wgmma>
#all = affine_map<(k, n, p, q) -> (n, k, p, q)>
#channel = affine_map<(k, n, p, q) -> (k)>
func.func @channels_first(%x: tensor<3x24x80xbf16>, %dy: tensor<3x72x8x10xbf16>, %dw0: tensor<72x24x1xf32>) -> (tensor<72x24x1xf32>, tensor<72xf32>) {
  %dyr = tensor.collapse_shape %dy [[0], [1], [2, 3]] : tensor<3x72x8x10xbf16> into tensor<3x72x80xbf16>
  %dw = conv.wgrad ins(%x, %dyr : tensor<3x24x80xbf16>, tensor<3x72x80xbf16>) outs(%dw0 : tensor<72x24x1xf32>) layout nchw {conv.schedule = #schedule} -> tensor<72x24x1xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<72xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<72xf32>) -> tensor<72xf32>
  %db = linalg.generic {indexing_maps = [#all, #channel], iterator_types = ["parallel", "reduction", "reduction", "reduction"]} ins(%dy : tensor<3x72x8x10xbf16>) outs(%z : tensor<72xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %f = arith.extf %in : bf16 to f32
    %s = arith.addf %out, %f : f32
    linalg.yield %s : f32
  } -> tensor<72xf32>
  return %dw, %db : tensor<72x24x1xf32>, tensor<72xf32>
}

// -----

// A sum that stays apart is made in two steps: of 384 parts of 22 of 8448
// positions; of images, where channels are second.

// CHECK-LABEL: @two_steps
// CHECK:         %[[A:.*]] = tensor.expand_shape %{{.*}} output_shape [384, 22, 40] : tensor<8448x40xbf16>
// CHECK:         %[[S:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[A]] : tensor<384x22x40xbf16>) outs(%{{.*}} : tensor<384x40xf32>)
// CHECK:           arith.extf
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[S]] : tensor<384x40xf32>) outs(%{{.*}} : tensor<40xf32>)
// CHECK-NOT:       arith.extf
// CHECK:           arith.addf
// CHECK:         %[[B:.*]] = tensor.collapse_shape {{.*}} into tensor<16x24x528xi8>
// CHECK:         %[[T:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[B]] : tensor<16x24x528xi8>) outs(%{{.*}} : tensor<16x24xi32>)
// CHECK:         linalg.generic {{.*}} ins(%[[T]] : tensor<16x24xi32>) outs(%{{.*}} : tensor<24xi32>)
#last = affine_map<(k, n, p, q) -> (n, p, q, k)>
#second = affine_map<(k, n, p, q) -> (n, k, p, q)>
#channel = affine_map<(k, n, p, q) -> (k)>
func.func @two_steps(%a: tensor<8x33x32x40xbf16>, %b: tensor<16x24x33x16xi8>) -> (tensor<40xf32>, tensor<24xi32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  %s = linalg.generic {indexing_maps = [#last, #channel], iterator_types = ["parallel", "reduction", "reduction", "reduction"]} ins(%a : tensor<8x33x32x40xbf16>) outs(%z : tensor<40xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %f = arith.extf %in : bf16 to f32
    %t = arith.addf %out, %f : f32
    linalg.yield %t : f32
  } -> tensor<40xf32>
  %i0 = arith.constant 0 : i32
  %ei = tensor.empty() : tensor<24xi32>
  %zi = linalg.fill ins(%i0 : i32) outs(%ei : tensor<24xi32>) -> tensor<24xi32>
  %si = linalg.generic {indexing_maps = [#second, #channel], iterator_types = ["parallel", "reduction", "reduction", "reduction"]} ins(%b : tensor<16x24x33x16xi8>) outs(%zi : tensor<24xi32>) {
  ^bb0(%in: i8, %out: i32):
    %f = arith.extsi %in : i8 to i32
    %t = arith.addi %out, %f : i32
    linalg.yield %t : i32
  } -> tensor<24xi32>
  return %s, %si : tensor<40xf32>, tensor<24xi32>
}
