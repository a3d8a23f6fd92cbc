// RUN: conv-opt %s -split-input-file -conv-expand-padding | FileCheck %s

// Elements of the source where there are any: low 1, high 2 of the first
// dimension, one cropped and one added in the second.
// CHECK-LABEL: func @pad
// CHECK-SAME: (%[[X:.*]]: tensor<4x6xf32>)
// CHECK-DAG: %[[PAD:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[X]] {{\[}}[0, 1]] : tensor<4x6xf32> into tensor<24xf32>
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<7x6xf32>)
// CHECK: linalg.index 0
// CHECK: linalg.index 1
// CHECK: %[[V:.*]] = tensor.extract %[[FLAT]]
// CHECK: %[[R:.*]] = arith.select %{{.*}}, %[[V]], %[[PAD]]
// CHECK: linalg.yield %[[R]]
func.func @pad(%x: tensor<4x6xf32>) -> tensor<7x6xf32> {
  %y = tensor.pad %x low[1, -1] high[2, 1] {
  ^bb0(%i: index, %j: index):
    %c = arith.constant 0.5 : f32
    tensor.yield %c : f32
  } : tensor<4x6xf32> to tensor<7x6xf32>
  return %y : tensor<7x6xf32>
}

// -----

// Nothing to read.
// CHECK-LABEL: func @empty
// CHECK: linalg.fill
// CHECK-NOT: tensor.extract
func.func @empty(%x: tensor<0x6xi8>) -> tensor<2x6xi8> {
  %c = arith.constant 7 : i8
  %y = tensor.pad %x low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : i8
  } : tensor<0x6xi8> to tensor<2x6xi8>
  return %y : tensor<2x6xi8>
}

// -----

// A value that is computed for each place stays.
// CHECK-LABEL: func @computed
// CHECK: tensor.pad
func.func @computed(%x: tensor<4xindex>) -> tensor<6xindex> {
  %y = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %i : index
  } : tensor<4xindex> to tensor<6xindex>
  return %y : tensor<6xindex>
}
