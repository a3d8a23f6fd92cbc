// RUN: mlir-opt %s -math-expand-ops=ops=powf | FileCheck %s

// x^4 is 2^(4 log2 x), which is no number where x is negative.

// CHECK-LABEL: func @power(%arg0: f32)
// CHECK: %[[LOG:.*]] = math.log{{2?}} %arg0
// CHECK: %[[PRODUCT:.*]] = arith.mulf {{.*}}%[[LOG]]
// CHECK: math.exp{{2?}} %[[PRODUCT]]
func.func @power(%x: f32) -> f32 {
  %four = arith.constant 4.0 : f32
  %r = math.powf %x, %four : f32
  return %r : f32
}
