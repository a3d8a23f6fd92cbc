// RUN: conv-opt %s -allow-unregistered-dialect -split-input-file -conv-protect-arguments | FileCheck %s --check-prefix=PROTECT
// RUN: conv-opt %s -allow-unregistered-dialect -split-input-file -conv-divide-empties=uses=2 | FileCheck %s --check-prefix=DIVIDE
// RUN: conv-opt %s -allow-unregistered-dialect -split-input-file -conv-shape-results -canonicalize | FileCheck %s --check-prefix=SHAPE

// PROTECT-LABEL: @tensors
// PROTECT-SAME:    %{{.*}}: tensor<4xf32> {bufferization.writable = false}
// PROTECT-SAME:    %{{.*}}: f32)
func.func @tensors(%x: tensor<4xf32>, %s: f32) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// SHAPE-LABEL: @expanded
// SHAPE:         %[[R:.*]] = memref.alloc() {alignment = 64 : i64} : memref<3x4x5xf32>
// SHAPE:         %[[A:.*]] = memref.collapse_shape %[[R]] {{\[}}[0, 1], [2]] : memref<3x4x5xf32> into memref<12x5xf32>
// SHAPE:         "test.write"(%[[A]])
// SHAPE:         return %[[R]]
func.func @expanded() -> memref<3x4x5xf32> {
  %a = memref.alloc() {alignment = 64 : i64} : memref<12x5xf32>
  "test.write"(%a) : (memref<12x5xf32>) -> ()
  %r = memref.expand_shape %a [[0, 1], [2]] output_shape [3, 4, 5] : memref<12x5xf32> into memref<3x4x5xf32>
  return %r : memref<3x4x5xf32>
}

// -----

// SHAPE-LABEL: @twice
// SHAPE:         %[[R:.*]] = memref.alloc() : memref<6x2xf32>
// SHAPE:         return %[[R]]
func.func @twice() -> memref<6x2xf32> {
  %a = memref.alloc() : memref<3x4xf32>
  "test.write"(%a) : (memref<3x4xf32>) -> ()
  %b = memref.collapse_shape %a [[0, 1]] : memref<3x4xf32> into memref<12xf32>
  %r = memref.expand_shape %b [[0, 1]] output_shape [6, 2] : memref<12xf32> into memref<6x2xf32>
  return %r : memref<6x2xf32>
}

// -----

// What is not allocated here stays as it is.

// SHAPE-LABEL: @argument
// SHAPE:         %[[R:.*]] = memref.expand_shape
// SHAPE:         return %[[R]]
func.func @argument(%a: memref<12xf32>) -> memref<6x2xf32> {
  %r = memref.expand_shape %a [[0, 1]] output_shape [6, 2] : memref<12xf32> into memref<6x2xf32>
  return %r : memref<6x2xf32>
}

// -----

// Neighbours share an empty tensor, also where a use is within another
// operation, and where there is one for each.

// DIVIDE-LABEL: @many_uses
// DIVIDE-NEXT:    %[[A:.*]] = tensor.empty() {conv.group = 0 : i64} : tensor<4xf32>
// DIVIDE-NEXT:    %[[B:.*]] = tensor.empty() {conv.group = 1 : i64} : tensor<4xf32>
// DIVIDE-NEXT:    %[[C:.*]] = tensor.empty() {conv.group = 2 : i64} : tensor<4xf32>
// DIVIDE-NEXT:    "test.first"(%[[A]])
// DIVIDE-NEXT:    "test.second"() ({
// DIVIDE-NEXT:      "test.within"(%[[A]])
// DIVIDE:         "test.third"(%[[B]], %[[B]])
// DIVIDE-NEXT:    "test.fourth"(%[[C]])
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

// DIVIDE-LABEL: @few_uses
// DIVIDE-NEXT:    "test.first"
// DIVIDE-NEXT:    %[[A:.*]] = tensor.empty() : tensor<4xf32>
// DIVIDE-NEXT:    "test.second"(%[[A]], %[[A]])
func.func @few_uses() {
  "test.first"() : () -> ()
  %e = tensor.empty() : tensor<4xf32>
  "test.second"(%e, %e) : (tensor<4xf32>, tensor<4xf32>) -> ()
  return
}
