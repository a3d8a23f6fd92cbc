// RUN: conv-opt %s --convert-linalg-to-conv --split-input-file --verify-diagnostics | FileCheck %s

// Dimensions in any order: what differs from the layout is transposed, and the
// layout is the one that moves fewer tensors.

#x = affine_map<(n, q, k, s, c) -> (n, c, q + s)>
#w = affine_map<(n, q, k, s, c) -> (k, c, s)>
#y = affine_map<(n, q, k, s, c) -> (n, q, k)>
// CHECK-LABEL: func @nchw_to_nhwc
// CHECK-SAME: (%[[X:.*]]: tensor<2x5x18xf32>, %[[W:.*]]: tensor<7x5x3xf32>)
// CHECK: %[[Y:.*]] = conv.forward ins(%[[X]], %[[W]] : {{.*}}) outs({{.*}} : tensor<2x7x16xf32>) layout nchw ->
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[Y]] : tensor<2x7x16xf32>) {{.*}} permutation = [0, 2, 1]
// CHECK: return %[[T]]
func.func @nchw_to_nhwc(%x: tensor<2x5x18xf32>, %w: tensor<7x5x3xf32>) -> tensor<2x16x7xf32> {
  %i = arith.constant dense<0.0> : tensor<2x16x7xf32>
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<2x5x18xf32>, tensor<7x5x3xf32>) outs(%i : tensor<2x16x7xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x16x7xf32>
  return %y : tensor<2x16x7xf32>
}

// -----

// The filter comes first, positions are outermost, groups stand apart.
#x = affine_map<(g, n, q, k, s, c) -> (q * 2 + s, g, n, c)>
#w = affine_map<(g, n, q, k, s, c) -> (g, s, c, k)>
#y = affine_map<(g, n, q, k, s, c) -> (k, n, g, q)>
// CHECK-LABEL: func @any_order
// CHECK-SAME: (%[[W:.*]]: tensor<2x3x5x7xf32>, %[[X:.*]]: tensor<17x2x4x5xf32>
// CHECK: %[[XT:.*]] = linalg.transpose ins(%[[X]] : {{.*}} permutation = [2, 0, 1, 3]
// CHECK: tensor.collapse_shape %[[XT]] {{.*}} into tensor<4x17x10xf32>
// CHECK: %[[WT:.*]] = linalg.transpose ins(%[[W]] : {{.*}} permutation = [0, 3, 1, 2]
// CHECK: tensor.collapse_shape %[[WT]] {{.*}} into tensor<14x3x5xf32>
// CHECK: %[[Y:.*]] = conv.forward {{.*}} outs({{.*}} : tensor<4x8x14xf32>) stride [2] groups 2 ->
// CHECK: %[[E:.*]] = tensor.expand_shape %[[Y]] {{.*}} into tensor<4x8x2x7xf32>
// CHECK: linalg.transpose ins(%[[E]] : {{.*}} permutation = [3, 0, 2, 1]
func.func @any_order(%w: tensor<2x3x5x7xf32>, %x: tensor<17x2x4x5xf32>) -> tensor<7x4x2x8xf32> {
  %i = arith.constant dense<0.0> : tensor<7x4x2x8xf32>
  %y = linalg.generic {indexing_maps = [#w, #x, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%w, %x : tensor<2x3x5x7xf32>, tensor<17x2x4x5xf32>) outs(%i : tensor<7x4x2x8xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<7x4x2x8xf32>
  return %y : tensor<7x4x2x8xf32>
}

// -----

// A filter of one tap that has no loop for it.
#x = affine_map<(n, p, q, k, c) -> (n, p * 2, q * 3, c)>
#w = affine_map<(n, p, q, k, c) -> (k, c)>
#y = affine_map<(n, p, q, k, c) -> (n, p, q, k)>
// CHECK-LABEL: func @no_filter_loops
// CHECK: tensor.expand_shape %{{.*}} : tensor<16x8xf32> into tensor<16x1x1x8xf32>
// CHECK: conv.forward {{.*}} stride [2, 3] ->
func.func @no_filter_loops(%x: tensor<2x8x11x8xf32>, %w: tensor<16x8xf32>) -> tensor<2x4x4x16xf32> {
  %i = arith.constant dense<0.0> : tensor<2x4x4x16xf32>
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<2x8x11x8xf32>, tensor<16x8xf32>) outs(%i : tensor<2x4x4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x4x4x16xf32>
  return %y : tensor<2x4x4x16xf32>
}

// -----

// What no convolution is stays, and says why.

#x = affine_map<(q, k, r, s) -> (q + r + s)>
#w = affine_map<(q, k, r, s) -> (k, r, s)>
#y = affine_map<(q, k, r, s) -> (q, k)>
func.func @three_loops(%x: tensor<9xf32>, %w: tensor<4x3x2xf32>, %i: tensor<6x4xf32>) -> tensor<6x4xf32> {
  // expected-remark @below {{not imported as a convolution: the index 'd0 + d2 + d3' is not the sum of one or two loops, each times a constant}}
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<9xf32>, tensor<4x3x2xf32>) outs(%i : tensor<6x4xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

#x = affine_map<(q, k, r, c) -> (q + r, c)>
#w = affine_map<(q, k, r, c) -> (k, r, c * 2)>
#y = affine_map<(q, k, r, c) -> (q, k)>
func.func @two_windows(%x: tensor<8x5xf32>, %w: tensor<4x3x9xf32>, %i: tensor<6x4xf32>) -> tensor<6x4xf32> {
  // expected-remark @below {{not imported as a convolution: two of its tensors are not indexed by loops alone; of a convolution one is}}
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<8x5xf32>, tensor<4x3x9xf32>) outs(%i : tensor<6x4xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

#x = affine_map<(q, k, r, c) -> (q + r, c)>
#w = affine_map<(q, k, r, c) -> (k, r)>
#y = affine_map<(q, k, r, c) -> (q, k)>
func.func @lone_loop(%x: tensor<8x5xf32>, %w: tensor<4x3xf32>, %i: tensor<6x4xf32>) -> tensor<6x4xf32> {
  // expected-remark @below {{not imported as a convolution: the loop d3 indexes one tensor alone, which none of a convolution does}}
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<8x5xf32>, tensor<4x3xf32>) outs(%i : tensor<6x4xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

#x = affine_map<(q, k, r) -> (q + r, r)>
#w = affine_map<(q, k, r) -> (k, r)>
#y = affine_map<(q, k, r) -> (q, k)>
func.func @window_of_a_channel(%x: tensor<8x3xf32>, %w: tensor<4x3xf32>, %i: tensor<6x4xf32>) -> tensor<6x4xf32> {
  // expected-remark @below {{not imported as a convolution: a window has the loop d2, which does not index one of the two other tensors}}
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<8x3xf32>, tensor<4x3xf32>) outs(%i : tensor<6x4xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}
