// RUN: conv-opt %s --convert-conv-matrices-to-linalg --split-input-file | FileCheck %s

// A view of all positions: each element of the tensor has one in the matrix.

// CHECK-DAG: #[[MAP_M:.+]] = affine_map<()[s0, s1, s2] -> (s0 * 12 + s1 * 3 + s2)>
// CHECK-LABEL: func @whole
// CHECK-SAME: %[[e:.+]]: tensor<24x5xf32>, %[[y0:.+]]: tensor<2x4x3x5xf32>
func.func @whole(%e: tensor<24x5xf32>, %y0: tensor<2x4x3x5xf32>) -> tensor<2x4x3x5xf32> {
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%[[y0]]
  // CHECK: %[[n:.+]] = linalg.index 0
  // CHECK: %[[p:.+]] = linalg.index 1
  // CHECK: %[[q:.+]] = linalg.index 2
  // CHECK: %[[k:.+]] = linalg.index 3
  // CHECK: %[[m:.+]] = affine.apply #[[MAP_M]]()[%[[n]], %[[p]], %[[q]]]
  // CHECK-NOT: scf.if
  // CHECK: tensor.extract %[[e]][%[[m]], %[[k]]]
  %y = conv.scatter %e into %y0 view <rows = [4, 3], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : tensor<24x5xf32> into tensor<2x4x3x5xf32> -> tensor<2x4x3x5xf32>
  return %y : tensor<2x4x3x5xf32>
}

// -----

// A stride phase of dgrad: every third position from 1 on; the others keep what
// they have.

// CHECK-DAG: #[[MAP_M:.+]] = affine_map<()[s0, s1] -> (s0 * 3 + (s1 - 1) floordiv 3)>
// CHECK-DAG: #[[MAP_REST:.+]] = affine_map<()[s0] -> (s0 - ((s0 - 1) floordiv 3) * 3 - 1)>
// CHECK-DAG: #[[MAP_P:.+]] = affine_map<()[s0] -> ((s0 - 1) floordiv 3)>
// CHECK-LABEL: func @phase
func.func @phase(%e: tensor<6x5xf32>, %dx0: tensor<2x9x5xf32>) -> tensor<2x9x5xf32> {
  // CHECK: ^bb0(%[[OLD:.+]]: f32)
  // CHECK: %[[w:.+]] = linalg.index 1
  // CHECK: %[[m:.+]] = affine.apply #[[MAP_M]]
  // CHECK: %[[REST:.+]] = affine.apply #[[MAP_REST]]()[%[[w]]]
  // CHECK: %[[ONE:.+]] = arith.constant 1 : index
  // CHECK: %[[ON:.+]] = arith.cmpi ult, %[[REST]], %[[ONE]]
  // CHECK: %[[p:.+]] = affine.apply #[[MAP_P]]()[%[[w]]]
  // CHECK: %[[THREE:.+]] = arith.constant 3 : index
  // CHECK: %[[IN:.+]] = arith.cmpi ult, %[[p]], %[[THREE]]
  // CHECK: %[[BOTH:.+]] = arith.andi %[[ON]], %[[IN]]
  // CHECK: scf.if %[[BOTH]]
  // CHECK:   tensor.extract {{.*}}[%[[m]], %{{.*}}]
  // CHECK: } else {
  // CHECK:   scf.yield %[[OLD]]
  %dx = conv.scatter %e into %dx0 view <rows = [3], taps = [1], stride = [3], step = [1], offset = [1], groups = 1> : tensor<6x5xf32> into tensor<2x9x5xf32> -> tensor<2x9x5xf32>
  return %dx : tensor<2x9x5xf32>
}

// -----

// Taps are positions of the filter; here in reverse.

// CHECK-DAG: #[[MAP_T:.+]] = affine_map<()[s0, s1] -> (s0 * -2 + s1 + 4)>
// CHECK-LABEL: func @filter
func.func @filter(%e: tensor<4x6x5xf32>, %dw0: tensor<4x3x2x5xf32>) -> tensor<4x3x2x5xf32> {
  // CHECK: %[[k:.+]] = linalg.index 0
  // CHECK: %[[r:.+]] = linalg.index 1
  // CHECK: %[[s:.+]] = linalg.index 2
  // CHECK: %[[c:.+]] = linalg.index 3
  // CHECK: %[[t:.+]] = affine.apply #[[MAP_T]]()[%[[r]], %[[s]]]
  // CHECK-NOT: scf.if
  // CHECK: tensor.extract {{.*}}[%[[k]], %[[t]], %[[c]]]
  %dw = conv.scatter %e into %dw0 view <rows = [1, 1], taps = [3, 2], stride = [1, 1], step = [-1, 1], offset = [2, 0], groups = 1> : tensor<4x6x5xf32> into tensor<4x3x2x5xf32> -> tensor<4x3x2x5xf32>
  return %dw : tensor<4x3x2x5xf32>
}

// -----

// CHECK-DAG: #[[MAP_G:.+]] = affine_map<()[s0] -> (s0 floordiv 4)>
// CHECK-DAG: #[[MAP_N:.+]] = affine_map<()[s0] -> (s0 mod 4)>
// CHECK-LABEL: func @groups
func.func @groups(%e: tensor<3x2x4xf32>, %y0: tensor<1x3x8xf32>) -> tensor<1x3x8xf32> {
  // CHECK: %[[k:.+]] = linalg.index 2
  // CHECK-DAG: %[[g:.+]] = affine.apply #[[MAP_G]]()[%[[k]]]
  // CHECK-DAG: %[[n:.+]] = affine.apply #[[MAP_N]]()[%[[k]]]
  // CHECK: tensor.extract {{.*}}, %[[g]], %[[n]]]
  %y = conv.scatter %e into %y0 view <rows = [3], taps = [1], stride = [1], step = [1], offset = [0], groups = 2> : tensor<3x2x4xf32> into tensor<1x3x8xf32> -> tensor<1x3x8xf32>
  return %y : tensor<1x3x8xf32>
}

// -----

// Two strips of four columns in the order of the rows: (n, strip, p, q). The
// tensor ends within the second strip and before the last row.

// CHECK-DAG: #[[MAP_M:.+]] = affine_map<()[s0, s1, s2] -> (s0 * 24 + s1 * 4 + s2 + (s2 floordiv 4) * 8)>
// CHECK-LABEL: func @strips
func.func @strips(%e: tensor<48x8xf32>, %y0: tensor<2x2x7x8xf32>) -> tensor<2x2x7x8xf32> {
  // CHECK: %[[n:.+]] = linalg.index 0
  // CHECK: %[[p:.+]] = linalg.index 1
  // CHECK: %[[q:.+]] = linalg.index 2
  // CHECK: %[[m:.+]] = affine.apply #[[MAP_M]]()[%[[n]], %[[p]], %[[q]]]
  // CHECK-NOT: scf.if
  // CHECK: tensor.extract {{.*}}[%[[m]],
  %y = conv.scatter %e into %y0 view <rows = [3, 4], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1, strips = 2> : tensor<48x8xf32> into tensor<2x2x7x8xf32> -> tensor<2x2x7x8xf32>
  return %y : tensor<2x2x7x8xf32>
}
