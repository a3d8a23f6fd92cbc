// RUN: conv-opt %s -pass-pipeline="builtin.module(func.func(conv-note-operations))" -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

// A convolution has the note of its operation and of its factors' types, around
// the location that was there.

// CHECK-LABEL: func.func @convolutions
// CHECK: conv.forward {{.*}} loc("conv.operation.forward_f16"("layer"))
// CHECK: conv.dgrad {{.*}} loc("conv.operation.dgrad_e5m2_e4m3"(
func.func @convolutions(%x: tensor<1x4x5x8xf16>, %w: tensor<8x1x1x8xf16>, %y: tensor<1x4x5x8xf16>,
                        %dy: tensor<1x4x5x8xf8E5M2>, %v: tensor<8x1x1x8xf8E4M3FN>, %dx: tensor<1x4x5x8xf32>)
    -> (tensor<1x4x5x8xf16>, tensor<1x4x5x8xf32>) {
  %0 = conv.forward ins(%x, %w : tensor<1x4x5x8xf16>, tensor<8x1x1x8xf16>) outs(%y : tensor<1x4x5x8xf16>) -> tensor<1x4x5x8xf16> loc("layer")
  %1 = conv.dgrad ins(%dy, %v : tensor<1x4x5x8xf8E5M2>, tensor<8x1x1x8xf8E4M3FN>) outs(%dx : tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return %0, %1 : tensor<1x4x5x8xf16>, tensor<1x4x5x8xf32>
}

// What becomes a plain kernel has its role. A role that is there stays.

// CHECK-LABEL: func.func @roles
// CHECK: linalg.fill {{.*}} loc("conv.role.fill"(
// CHECK: linalg.transpose {{.*}} loc("conv.role.transpose"(
func.func @roles(%x: tensor<5x7xf32>, %e: tensor<7x5xf32>, %s: tensor<5xf32>) -> (tensor<7x5xf32>, tensor<5xf32>, tensor<5x7xf32>, tensor<5x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%s : tensor<5xf32>) -> tensor<5xf32>
  %t = linalg.transpose ins(%x : tensor<5x7xf32>) outs(%e : tensor<7x5xf32>) permutation = [1, 0]
  // CHECK: arith.addf
  // CHECK: } -> tensor<5xf32> loc("conv.role.sum"(
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<5x7xf32>) outs(%z : tensor<5xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      linalg.yield %c : f32
  } -> tensor<5xf32>
  // CHECK: math.absf
  // CHECK: } -> tensor<5x7xf32> loc("conv.role.elementwise"(
  %abs = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5x7xf32>) outs(%x : tensor<5x7xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = math.absf %a : f32
      linalg.yield %c : f32
  } -> tensor<5x7xf32>
  // CHECK: math.exp
  // CHECK: } -> tensor<5x7xf32> loc("conv.role.sum")
  %exp = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5x7xf32>) outs(%x : tensor<5x7xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = math.exp %a : f32
      linalg.yield %c : f32
  } -> tensor<5x7xf32> loc("conv.role.sum")
  return %t, %sum, %abs, %exp : tensor<7x5xf32>, tensor<5xf32>, tensor<5x7xf32>, tensor<5x7xf32>
}
