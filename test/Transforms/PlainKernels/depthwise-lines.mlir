// RUN: conv-opt %s -conv-to-threads -canonicalize -cse | FileCheck %s

// Lines of a large filter are a loop. A line of x that is outside is passed over
// by one branch. In it only the columns that can be outside ask for that: three on
// either side, by a selection of their element and one of their value.

// CHECK:           gpu.func @main_1
// CHECK:             scf.for {{.*}} -> (vector<4xf32>,
// CHECK:               scf.if {{.*}} -> (vector<4xf32>,
// CHECK-COUNT-7:         vector.load %{{.*}} : memref<196xbf16>, vector<4xbf16>
// CHECK-COUNT-12:        arith.select
// CHECK-NOT:             arith.select
// CHECK:               } else {
// CHECK-NEXT:            scf.yield
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.yield

func.func @main(%x: tensor<1x8x28x4xbf16>, %w: tensor<4x7x7x1xbf16>) -> tensor<1x8x28x4xf32> {
  %e = tensor.empty() : tensor<1x8x28x4xf32>
  %y = conv.forward ins(%x, %w : tensor<1x8x28x4xbf16>, tensor<4x7x7x1xbf16>) outs(%e : tensor<1x8x28x4xf32>) pad [3, 3] groups 4 {conv.schedule = #conv.schedule<algorithm = loops, tile = [14, 4, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma>} -> tensor<1x8x28x4xf32>
  return %y : tensor<1x8x28x4xf32>
}
