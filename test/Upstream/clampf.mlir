// RUN: mlir-opt %s -math-expand-ops=ops=clampf | FileCheck %s

// min(max(x, low), high) is expanded to max(min(x, low), high), which is `high`
// for every x where low is below high.

// CHECK-LABEL: func @clamp(%arg0: f32, %arg1: f32, %arg2: f32)
// CHECK: %[[MIN:.*]] = arith.minimumf %arg0, %arg1
// CHECK: arith.maximumf %[[MIN]], %arg2
func.func @clamp(%x: f32, %low: f32, %high: f32) -> f32 {
  %r = math.clampf %x to [%low, %high] : f32
  return %r : f32
}
