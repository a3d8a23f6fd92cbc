// RUN: conv-opt %s -conv-drop-assertions | FileCheck %s
// RUN: conv-run %s --target=sm_80 --device=emulator --verify | FileCheck %s --check-prefix=VERIFY

// Assertions that constants show to hold go, in a body and beside it. The
// function runs, although bodies are fused.

// VERIFY: verify     full: passed

#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: @shapes
// CHECK-NOT: cf.assert
func.func @shapes(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %extent = tensor.dim %x, %c1 : tensor<4x8xf32>
  %fits = arith.cmpi eq, %extent, %c8 : index
  cf.assert %fits, "8 channels"
  %e = tensor.empty() : tensor<4x8xf32>
  // CHECK: linalg.generic
  // CHECK: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
  // CHECK: arith.addf %[[X]], %[[X]]
  %twice = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %two = arith.constant 2 : i32
    %four = arith.constant 4 : i32
    %less = arith.cmpi slt, %two, %four : i32
    cf.assert %less, "2 is less than 4"
    %sum = arith.addf %in, %in : f32
    linalg.yield %sum : f32
  } -> tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%twice : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %product = arith.mulf %in, %in : f32
    linalg.yield %product : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
