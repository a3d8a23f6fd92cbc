// RUN: conv-opt %s -allow-unregistered-dialect -split-input-file -conv-shape-results -canonicalize | FileCheck %s

// CHECK-LABEL: @expanded
// CHECK:         %[[R:.*]] = memref.alloc() {alignment = 64 : i64} : memref<3x4x5xf32>
// CHECK:         %[[A:.*]] = memref.collapse_shape %[[R]] {{\[}}[0, 1], [2]] : memref<3x4x5xf32> into memref<12x5xf32>
// CHECK:         "test.write"(%[[A]])
// CHECK:         return %[[R]]
func.func @expanded() -> memref<3x4x5xf32> {
  %a = memref.alloc() {alignment = 64 : i64} : memref<12x5xf32>
  "test.write"(%a) : (memref<12x5xf32>) -> ()
  %r = memref.expand_shape %a [[0, 1], [2]] output_shape [3, 4, 5] : memref<12x5xf32> into memref<3x4x5xf32>
  return %r : memref<3x4x5xf32>
}

// -----

// CHECK-LABEL: @twice
// CHECK:         %[[R:.*]] = memref.alloc() : memref<6x2xf32>
// CHECK:         return %[[R]]
func.func @twice() -> memref<6x2xf32> {
  %a = memref.alloc() : memref<3x4xf32>
  "test.write"(%a) : (memref<3x4xf32>) -> ()
  %b = memref.collapse_shape %a [[0, 1]] : memref<3x4xf32> into memref<12xf32>
  %r = memref.expand_shape %b [[0, 1]] output_shape [6, 2] : memref<12xf32> into memref<6x2xf32>
  return %r : memref<6x2xf32>
}

// -----

// What is not allocated here stays as it is.

// CHECK-LABEL: @argument
// CHECK:         %[[R:.*]] = memref.expand_shape
// CHECK:         return %[[R]]
func.func @argument(%a: memref<12xf32>) -> memref<6x2xf32> {
  %r = memref.expand_shape %a [[0, 1]] output_shape [6, 2] : memref<12xf32> into memref<6x2xf32>
  return %r : memref<6x2xf32>
}
