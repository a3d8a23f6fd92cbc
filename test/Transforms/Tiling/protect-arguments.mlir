// RUN: conv-opt %s -conv-protect-arguments | FileCheck %s

// CHECK-LABEL: @tensors
// CHECK-SAME:    %{{.*}}: tensor<4xf32> {bufferization.writable = false}
// CHECK-SAME:    %{{.*}}: f32)
func.func @tensors(%x: tensor<4xf32>, %s: f32) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
