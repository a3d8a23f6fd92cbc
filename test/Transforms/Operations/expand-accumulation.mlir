// RUN: conv-opt %s -conv-expand-accumulation -split-input-file | FileCheck %s

// The sums are in the accumulation type, whatever the result's; the old result
// is added to them and rounded once.

// CHECK-LABEL: @wgrad
// CHECK-SAME:    %[[X:.*]]: tensor<2x9x4xbf16>, %[[DY:.*]]: tensor<2x8x6xbf16>, %[[DW0:.*]]: tensor<6x2x4xbf16>
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<6x2x4xf32>
// CHECK:         %[[SUM:.*]] = conv.wgrad ins(%[[X]], %[[DY]] : {{.*}}) outs(%[[E]] : tensor<6x2x4xf32>) flip -> tensor<6x2x4xf32>
// CHECK:         %[[DW:.*]] = linalg.generic {{.*}} ins(%[[SUM]], %[[DW0]] : tensor<6x2x4xf32>, tensor<6x2x4xbf16>)
// CHECK-NEXT:    ^bb0(%[[S:.*]]: f32, %[[OLD:.*]]: bf16, %{{.*}}: bf16):
// CHECK-NEXT:      %[[WIDE:.*]] = arith.extf %[[OLD]] : bf16 to f32
// CHECK-NEXT:      %[[NEW:.*]] = arith.addf %[[WIDE]], %[[S]] : f32
// CHECK-NEXT:      arith.truncf %[[NEW]] : f32 to bf16
// CHECK:         return %[[DW]]
func.func @wgrad(%x: tensor<2x9x4xbf16>, %dy: tensor<2x8x6xbf16>, %dw0: tensor<6x2x4xbf16>) -> tensor<6x2x4xbf16> {
  %dw = conv.wgrad ins(%x, %dy : tensor<2x9x4xbf16>, tensor<2x8x6xbf16>) outs(%dw0 : tensor<6x2x4xbf16>) flip accumulate -> tensor<6x2x4xbf16>
  return %dw : tensor<6x2x4xbf16>
}

// -----

// Integers; and what does not accumulate stays as it is.

// CHECK-LABEL: @integers
// CHECK:         conv.forward {{.*}} -> tensor<1x4x6xi32>
// CHECK:         arith.addi
// CHECK:         conv.forward {{.*}} outs(%{{.*}} : tensor<1x4x6xi32>) -> tensor<1x4x6xi32>
// CHECK-NOT:     linalg.generic
func.func @integers(%x: tensor<1x5x4xi8>, %w: tensor<6x2x4xi8>, %y0: tensor<1x4x6xi32>) -> (tensor<1x4x6xi32>, tensor<1x4x6xi32>) {
  %y = conv.forward ins(%x, %w : tensor<1x5x4xi8>, tensor<6x2x4xi8>) outs(%y0 : tensor<1x4x6xi32>) accumulate -> tensor<1x4x6xi32>
  %z = conv.forward ins(%x, %w : tensor<1x5x4xi8>, tensor<6x2x4xi8>) outs(%y0 : tensor<1x4x6xi32>) -> tensor<1x4x6xi32>
  return %y, %z : tensor<1x4x6xi32>, tensor<1x4x6xi32>
}

// -----

// What is added to is read as it was, also where it is an input.

// CHECK-LABEL: @input
// CHECK-SAME:    %[[X:.*]]: tensor<1x5x4xf32>, %[[W:.*]]: tensor<4x1x4xf32>
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<1x5x4xf32>
// CHECK:         %[[SUM:.*]] = conv.forward ins(%[[X]], %[[W]] : {{.*}}) outs(%[[E]] : tensor<1x5x4xf32>) -> tensor<1x5x4xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[SUM]], %[[X]] : tensor<1x5x4xf32>, tensor<1x5x4xf32>)
func.func @input(%x: tensor<1x5x4xf32>, %w: tensor<4x1x4xf32>) -> tensor<1x5x4xf32> {
  %y = conv.forward ins(%x, %w : tensor<1x5x4xf32>, tensor<4x1x4xf32>) outs(%x : tensor<1x5x4xf32>) accumulate -> tensor<1x5x4xf32>
  return %y : tensor<1x5x4xf32>
}
