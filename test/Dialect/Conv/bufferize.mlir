// RUN: conv-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s

// The three operations stay themselves on buffers, with their attributes.

// CHECK-LABEL: func @all
// CHECK-SAME: (%[[X:.*]]: memref<2x8x3xf16>, %[[W:.*]]: memref<5x3x3xf16>, %[[DY:.*]]: memref<2x4x5xf16>)
// CHECK: %[[Y:.*]] = memref.alloc() {{.*}} : memref<2x4x5xf16>
// CHECK: conv.forward ins(%[[X]], %[[W]] : memref<2x8x3xf16>, memref<5x3x3xf16>) outs(%[[Y]] : memref<2x4x5xf16>) stride [2] pad [1]
// CHECK: %[[DX:.*]] = memref.alloc() {{.*}} : memref<2x8x3xf16>
// CHECK: conv.dgrad ins(%[[DY]], %[[W]] : memref<2x4x5xf16>, memref<5x3x3xf16>) outs(%[[DX]] : memref<2x8x3xf16>) stride [2] pad [1]
// CHECK: %[[DW:.*]] = memref.alloc() {{.*}} : memref<5x3x3xf32>
// CHECK: conv.wgrad ins(%[[X]], %[[DY]] : memref<2x8x3xf16>, memref<2x4x5xf16>) outs(%[[DW]] : memref<5x3x3xf32>) stride [2] pad [1] {conv.schedule = {{.*}}}
func.func @all(%x: tensor<2x8x3xf16>, %w: tensor<5x3x3xf16>, %dy: tensor<2x4x5xf16>)
    -> (tensor<2x4x5xf16>, tensor<2x8x3xf16>, tensor<5x3x3xf32>) {
  %y0 = tensor.empty() : tensor<2x4x5xf16>
  %y = conv.forward ins(%x, %w : tensor<2x8x3xf16>, tensor<5x3x3xf16>) outs(%y0 : tensor<2x4x5xf16>) stride [2] pad [1] -> tensor<2x4x5xf16>
  %dx0 = tensor.empty() : tensor<2x8x3xf16>
  %dx = conv.dgrad ins(%dy, %w : tensor<2x4x5xf16>, tensor<5x3x3xf16>) outs(%dx0 : tensor<2x8x3xf16>) stride [2] pad [1] -> tensor<2x8x3xf16>
  %dw0 = tensor.empty() : tensor<5x3x3xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<2x8x3xf16>, tensor<2x4x5xf16>) outs(%dw0 : tensor<5x3x3xf32>) stride [2] pad [1]
          {conv.schedule = #conv.schedule<algorithm = loops, tile = [1, 1, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = mma_sync>} -> tensor<5x3x3xf32>
  return %y, %dx, %dw : tensor<2x4x5xf16>, tensor<2x8x3xf16>, tensor<5x3x3xf32>
}

// What the destination held is not read: no copy is made of it.
// CHECK-LABEL: func @destination_is_overwritten
// CHECK-SAME: (%[[X:.*]]: memref<2x8x3xf32>, %[[W:.*]]: memref<3x1x3xf32>)
// CHECK: %[[Y:.*]] = memref.alloc()
// CHECK-NOT: memref.copy
// CHECK: conv.forward ins(%[[X]], %[[W]] : {{.*}}) outs(%[[Y]] :
func.func @destination_is_overwritten(%x: tensor<2x8x3xf32> {bufferization.writable = false}, %w: tensor<3x1x3xf32>) -> tensor<2x8x3xf32> {
  %0 = conv.forward ins(%x, %w : tensor<2x8x3xf32>, tensor<3x1x3xf32>) outs(%x : tensor<2x8x3xf32>) -> tensor<2x8x3xf32>
  return %0 : tensor<2x8x3xf32>
}
