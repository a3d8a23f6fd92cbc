// RUN: conv-opt %s -split-input-file -conv-expand-slices | FileCheck %s

// Every second row from the second on, without the dimension of one image.
// CHECK-LABEL: func @extract
// CHECK-SAME: (%[[X:.*]]: tensor<2x6x5xf32>)
// CHECK: %[[ROW:.*]] = tensor.collapse_shape %[[X]] {{\[}}[0, 1, 2]] : tensor<2x6x5xf32> into tensor<60xf32>
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<3x4xf32>)
// CHECK: linalg.index 0
// CHECK: linalg.index 1
// CHECK: %[[V:.*]] = tensor.extract %[[ROW]]
// CHECK: linalg.yield %[[V]]
func.func @extract(%x: tensor<2x6x5xf32>) -> tensor<3x4xf32> {
  %y = tensor.extract_slice %x[1, 1, 1] [1, 3, 4] [1, 2, 1] : tensor<2x6x5xf32> to tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// -----

// What is there, but where the slice has an element.
// CHECK-LABEL: func @insert
// CHECK-SAME: (%[[X:.*]]: tensor<6x5xf32>, %[[S:.*]]: tensor<3x5xf32>)
// CHECK: %[[ROW:.*]] = tensor.collapse_shape %[[S]]
// CHECK: linalg.generic {{.*}} ins(%[[X]] : tensor<6x5xf32>)
// CHECK: ^bb0(%[[OLD:.*]]: f32,
// CHECK: %[[V:.*]] = tensor.extract %[[ROW]]
// CHECK: %[[R:.*]] = arith.select %{{.*}}, %[[V]], %[[OLD]]
// CHECK: linalg.yield %[[R]]
func.func @insert(%x: tensor<6x5xf32>, %s: tensor<3x5xf32>) -> tensor<6x5xf32> {
  %y = tensor.insert_slice %s into %x[1, 0] [3, 5] [2, 1] : tensor<3x5xf32> into tensor<6x5xf32>
  return %y : tensor<6x5xf32>
}

// -----

// A fill is not read.
// CHECK-LABEL: func @insert_into_fill
// CHECK: %[[ONE:.*]] = arith.constant 1.0
// CHECK: linalg.generic {indexing_maps = [#{{[a-z0-9]*}}],
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[ONE]]
func.func @insert_into_fill(%s: tensor<3xf32>) -> tensor<6x5xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<6x5xf32>
  %x = linalg.fill ins(%one : f32) outs(%e : tensor<6x5xf32>) -> tensor<6x5xf32>
  %y = tensor.insert_slice %s into %x[1, 2] [3, 1] [2, 1] : tensor<3xf32> into tensor<6x5xf32>
  return %y : tensor<6x5xf32>
}

// -----

// CHECK-LABEL: func @concat
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<7x2xf32>)
// CHECK: %[[A:.*]] = tensor.extract
// CHECK: %[[B:.*]] = tensor.extract
// CHECK: %[[R:.*]] = arith.select %{{.*}}, %[[B]], %[[A]]
// CHECK: linalg.yield %[[R]]
func.func @concat(%a: tensor<3x2xf32>, %b: tensor<4x2xf32>) -> tensor<7x2xf32> {
  %y = tensor.concat dim(0) %a, %b : (tensor<3x2xf32>, tensor<4x2xf32>) -> tensor<7x2xf32>
  return %y : tensor<7x2xf32>
}

// -----

// Positions that are computed are those of a row.
// CHECK-LABEL: func @gather
// CHECK-SAME: (%[[X:.*]]: tensor<4x5xf32>)
// CHECK: %[[ROW:.*]] = tensor.collapse_shape %[[X]]
// CHECK: linalg.generic
// CHECK: tensor.extract %[[ROW]][%{{.*}}] : tensor<20xf32>
func.func @gather(%x: tensor<4x5xf32>) -> tensor<5x4xf32> {
  %e = tensor.empty() : tensor<5x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<5x4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %v = tensor.extract %x[%j, %i] : tensor<4x5xf32>
    linalg.yield %v : f32
  } -> tensor<5x4xf32>
  return %y : tensor<5x4xf32>
}

// -----

// Offsets that are not known stay.
// CHECK-LABEL: func @computed
// CHECK: tensor.extract_slice
func.func @computed(%x: tensor<4x5xf32>, %i: index) -> tensor<2x5xf32> {
  %y = tensor.extract_slice %x[%i, 0] [2, 5] [1, 1] : tensor<4x5xf32> to tensor<2x5xf32>
  return %y : tensor<2x5xf32>
}
