// RUN: conv-opt %s --convert-conv-matrices-to-linalg --split-input-file | FileCheck %s

// The pixel comes from the row, the coordinate from pixel and tap. Padding is on
// one side of one dimension, so there is one test.

// CHECK-DAG: #[[MAP_N:.+]] = affine_map<()[s0] -> (s0 floordiv 12)>
// CHECK-DAG: #[[MAP_H:.+]] = affine_map<()[s0, s1] -> ((s0 floordiv 3) * 2 - ((s0 floordiv 3) floordiv 4) * 8 + s1 floordiv 2 - 1)>
// CHECK-DAG: #[[MAP_W:.+]] = affine_map<()[s0, s1] -> (s0 + s1 * 2 - (s0 floordiv 3) * 3 - (s1 floordiv 2) * 4)>
// CHECK-LABEL: func @padding
// CHECK-SAME: %[[x:.+]]: tensor<2x8x5x4xf32>
func.func @padding(%x: tensor<2x8x5x4xf32>) -> tensor<24x6x4xf32> {
  // CHECK: %[[EMPTY:.+]] = tensor.empty() : tensor<24x6x4xf32>
  // CHECK: %[[ZERO:.+]] = arith.constant 0.0
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]} outs(%[[EMPTY]]
  // CHECK: %[[m:.+]] = linalg.index 0
  // CHECK: %[[t:.+]] = linalg.index 1
  // CHECK: %[[c:.+]] = linalg.index 2
  // CHECK: %[[n:.+]] = affine.apply #[[MAP_N]]()[%[[m]]]
  // CHECK: %[[h:.+]] = affine.apply #[[MAP_H]]()[%[[m]], %[[t]]]
  // CHECK: %[[w:.+]] = affine.apply #[[MAP_W]]()[%[[m]], %[[t]]]
  // CHECK: %[[EIGHT:.+]] = arith.constant 8 : index
  // CHECK: %[[INSIDE:.+]] = arith.cmpi ult, %[[h]], %[[EIGHT]]
  // CHECK-NOT: arith.cmpi
  // CHECK: %[[V:.+]] = scf.if %[[INSIDE]]
  // CHECK:   %[[E:.+]] = tensor.extract %[[x]][%[[n]], %[[h]], %[[w]], %[[c]]]
  // CHECK:   scf.yield %[[E]]
  // CHECK: } else {
  // CHECK:   scf.yield %[[ZERO]]
  // CHECK: linalg.yield %[[V]]
  %X = conv.im2col %x view <rows = [4, 3], taps = [3, 2], stride = [2, 1], step = [1, 2], offset = [-1, 0], groups = 1> : tensor<2x8x5x4xf32> -> tensor<24x6x4xf32>
  return %X : tensor<24x6x4xf32>
}

// -----

// Taps in reverse, as dgrad reads the filter: nothing can be outside.

// CHECK-DAG: #[[MAP_S:.+]] = affine_map<()[s0] -> (s0 * -2 + 2)>
// CHECK-LABEL: func @negative_step
func.func @negative_step(%w: tensor<4x3x5xf32>) -> tensor<4x2x5xf32> {
  // CHECK: %[[k:.+]] = linalg.index 0
  // CHECK: %[[t:.+]] = linalg.index 1
  // CHECK: %[[c:.+]] = linalg.index 2
  // CHECK: %[[s:.+]] = affine.apply #[[MAP_S]]()[%[[t]]]
  // CHECK-NOT: scf.if
  // CHECK: tensor.extract {{.*}}[%[[k]], %[[s]], %[[c]]]
  %W = conv.im2col %w view <rows = [1], taps = [2], stride = [1], step = [-2], offset = [2], groups = 1> : tensor<4x3x5xf32> -> tensor<4x2x5xf32>
  return %W : tensor<4x2x5xf32>
}

// -----

// CHECK-DAG: #[[MAP_N:.+]] = affine_map<()[s0] -> (s0 floordiv 3)>
// CHECK-DAG: #[[MAP_P:.+]] = affine_map<()[s0] -> (s0 mod 3)>
// CHECK-LABEL: func @dropped_tap
func.func @dropped_tap(%y: tensor<2x3x4xf32>) -> tensor<6x4xf32> {
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]}
  // CHECK: %[[m:.+]] = linalg.index 0
  // CHECK: %[[c:.+]] = linalg.index 1
  // CHECK: %[[n:.+]] = affine.apply #[[MAP_N]]()[%[[m]]]
  // CHECK: %[[p:.+]] = affine.apply #[[MAP_P]]()[%[[m]]]
  // CHECK-NOT: scf.if
  // CHECK: tensor.extract {{.*}}[%[[n]], %[[p]], %[[c]]]
  %Y = conv.im2col %y view <rows = [3], taps = [1], stride = [1], step = [1], offset = [0], groups = 1> : tensor<2x3x4xf32> -> tensor<6x4xf32>
  return %Y : tensor<6x4xf32>
}

// -----

// CHECK-DAG: #[[MAP_C:.+]] = affine_map<()[s0, s1] -> (s0 * 3 + s1)>
// CHECK-LABEL: func @groups
func.func @groups(%x: tensor<1x4x6xf32>) -> tensor<3x2x2x3xf32> {
  // CHECK: %[[m:.+]] = linalg.index 0
  // CHECK: %[[t:.+]] = linalg.index 1
  // CHECK: %[[g:.+]] = linalg.index 2
  // CHECK: %[[c:.+]] = linalg.index 3
  // CHECK: %[[CHANNEL:.+]] = affine.apply #[[MAP_C]]()[%[[g]], %[[c]]]
  // CHECK: tensor.extract {{.*}}, %[[CHANNEL]]]
  %X = conv.im2col %x view <rows = [3], taps = [2], stride = [1], step = [1], offset = [0], groups = 2> : tensor<1x4x6xf32> -> tensor<3x2x2x3xf32>
  return %X : tensor<3x2x2x3xf32>
}

// -----

// Row groups divide the batch: the filter of a grouped convolution.

// CHECK-DAG: #[[MAP_K:.+]] = affine_map<()[s0, s1] -> (s0 * 3 + s1)>
// CHECK-LABEL: func @row_groups
func.func @row_groups(%w: tensor<6x2x4xf32>) -> tensor<2x3x2x4xf32> {
  // CHECK: %[[g:.+]] = linalg.index 0
  // CHECK: %[[k:.+]] = linalg.index 1
  // CHECK: %[[t:.+]] = linalg.index 2
  // CHECK: %[[c:.+]] = linalg.index 3
  // CHECK: %[[FILTER:.+]] = affine.apply #[[MAP_K]]()[%[[g]], %[[k]]]
  // CHECK-NOT: scf.if
  // CHECK: tensor.extract {{.*}}[%[[FILTER]], %[[t]], %[[c]]]
  %W = conv.im2col %w view <rows = [1], taps = [2], stride = [1], step = [1], offset = [0], groups = 1, row_groups = 2> : tensor<6x2x4xf32> -> tensor<2x3x2x4xf32>
  return %W : tensor<2x3x2x4xf32>
}

// -----

// Rows and channels past the matrix, as of whole tiles, are zero.

// CHECK-LABEL: func @whole_tiles
func.func @whole_tiles(%x: tensor<1x4x6xf16>) -> tensor<16x2x8xf16> {
  // CHECK: %[[m:.+]] = linalg.index 0
  // CHECK: %[[c:.+]] = linalg.index 2
  // CHECK: %[[ROWS:.+]] = arith.constant 3 : index
  // CHECK: arith.cmpi ult, %[[m]], %[[ROWS]]
  // CHECK: %[[CHANNELS:.+]] = arith.constant 6 : index
  // CHECK: arith.cmpi ult, %[[c]], %[[CHANNELS]]
  // CHECK: scf.if
  %X = conv.im2col %x view <rows = [3], taps = [2], stride = [1], step = [1], offset = [0], groups = 1> : tensor<1x4x6xf16> -> tensor<16x2x8xf16>
  return %X : tensor<16x2x8xf16>
}

// -----

// CHECK-LABEL: func @workspace
// CHECK-SAME: %[[x:.+]]: tensor<1x4x5x6x3xf32>, %[[ws:.+]]: tensor<72x4x3xf32>
func.func @workspace(%x: tensor<1x4x5x6x3xf32>, %ws: tensor<72x4x3xf32>) -> tensor<72x4x3xf32> {
  // CHECK-NOT: tensor.empty
  // CHECK: linalg.generic {{.*}} outs(%[[ws]]
  %X = conv.im2col %x into %ws view <rows = [3, 4, 6], taps = [2, 2, 1], stride = [1, 1, 1], step = [1, 1, 1], offset = [0, 0, 0], groups = 1> : tensor<1x4x5x6x3xf32> into tensor<72x4x3xf32> -> tensor<72x4x3xf32>
  return %X : tensor<72x4x3xf32>
}
