// RUN: conv-opt %s -allow-unregistered-dialect -split-input-file -conv-divide-empties=uses=2 | FileCheck %s

// Neighbours share an empty tensor, also where a use is within another
// operation, and where there is one for each.

// CHECK-LABEL: @many_uses
// CHECK-NEXT:    %[[A:.*]] = tensor.empty() {conv.group = 0 : i64} : tensor<4xf32>
// CHECK-NEXT:    %[[B:.*]] = tensor.empty() {conv.group = 1 : i64} : tensor<4xf32>
// CHECK-NEXT:    %[[C:.*]] = tensor.empty() {conv.group = 2 : i64} : tensor<4xf32>
// CHECK-NEXT:    "test.first"(%[[A]])
// CHECK-NEXT:    "test.second"() ({
// CHECK-NEXT:      "test.within"(%[[A]])
// CHECK:         "test.third"(%[[B]], %[[B]])
// CHECK-NEXT:    "test.fourth"(%[[C]])
func.func @many_uses() {
  %e = tensor.empty() : tensor<4xf32>
  "test.first"(%e) : (tensor<4xf32>) -> ()
  "test.second"() ({
    "test.within"(%e) : (tensor<4xf32>) -> ()
  }) : () -> ()
  %other = tensor.empty() : tensor<4xf32>
  "test.third"(%e, %other) : (tensor<4xf32>, tensor<4xf32>) -> ()
  "test.fourth"(%e) : (tensor<4xf32>) -> ()
  return
}

// -----

// CHECK-LABEL: @few_uses
// CHECK-NEXT:    "test.first"
// CHECK-NEXT:    %[[A:.*]] = tensor.empty() : tensor<4xf32>
// CHECK-NEXT:    "test.second"(%[[A]], %[[A]])
func.func @few_uses() {
  "test.first"() : () -> ()
  %e = tensor.empty() : tensor<4xf32>
  "test.second"(%e, %e) : (tensor<4xf32>, tensor<4xf32>) -> ()
  return
}
