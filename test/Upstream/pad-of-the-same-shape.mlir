// RUN: mlir-opt %s --canonicalize | FileCheck %s
//
// A pad that crops on one side what it adds on the other folds to its source,
// since both have the same type: its elements are not shifted.

// CHECK-LABEL: func @shift
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: return %[[X]]
func.func @shift(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %y = tensor.pad %x low[1] high[-1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<4xf32>
  return %y : tensor<4xf32>
}
