// RUN: conv-opt %s -split-input-file -conv-expand-slices | FileCheck %s

// Backwards along one dimension: an element is read by its position.
// CHECK-LABEL: func @backwards
// CHECK-SAME: (%[[X:.*]]: tensor<6x8xf32>)
// CHECK: %[[ROW:.*]] = tensor.collapse_shape %[[X]]
// CHECK: linalg.generic {indexing_maps = [#{{[a-z0-9]*}}], {{.*}} outs(%{{.*}} : tensor<6x8xf32>)
// CHECK: tensor.extract %[[ROW]]
func.func @backwards(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %e = tensor.empty() : tensor<6x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b) -> (5 - a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<6x8xf32>) outs(%e : tensor<6x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

// Backwards in the result: the loop is turned around, and so is what it reads.
// CHECK: #[[RESULT:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @stored_backwards
// CHECK: linalg.generic {indexing_maps = [#[[RESULT]]],
// CHECK: tensor.extract
func.func @stored_backwards(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %e = tensor.empty() : tensor<6x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, 7 - b)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<6x8xf32>) outs(%e : tensor<6x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

// A sum over a window that runs backwards: its loop is turned around, and the
// filter before.
// CHECK: #[[X:.*]] = affine_map<(d0, d1) -> (d0 + d1)>
// CHECK: #[[W:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func @window
// CHECK-SAME: (%[[IN:.*]]: tensor<6xf32>, %[[F:.*]]: tensor<3xf32>
// CHECK: %[[T:.*]] = linalg.generic
// CHECK: tensor.extract %[[F]]
// CHECK: linalg.generic {indexing_maps = [#[[X]], #[[W]], #{{.*}}], {{.*}} ins(%[[IN]], %[[T]] :
func.func @window(%x: tensor<6xf32>, %w: tensor<3xf32>, %i: tensor<4xf32>) -> tensor<4xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(q, s) -> (q - s + 2)>, affine_map<(q, s) -> (s)>, affine_map<(q, s) -> (q)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<6xf32>, tensor<3xf32>) outs(%i : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.maximumf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// From the second position on.
// CHECK-LABEL: func @shifted_sum
// CHECK: %[[PART:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x3xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[PART]], %{{.*}} : tensor<4x3xf32>, tensor<4xf32>)
func.func @shifted_sum(%x: tensor<5x3xf32>, %v: tensor<4xf32>, %i: tensor<3xf32>) -> tensor<3xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(r, q) -> (r + 1, q)>, affine_map<(r, q) -> (r)>, affine_map<(r, q) -> (q)>], iterator_types = ["reduction", "parallel"]}
      ins(%x, %v : tensor<5x3xf32>, tensor<4xf32>) outs(%i : tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.maximumf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  return %y : tensor<3xf32>
}
