// Two results, the first of which is read by the second layer, and filters and
// a bias that are constants: they become buffers of the plan.
//
// RUN: conv-run %s --device=emulator --input=integers:5 --output=%t.h.npy --output=%t.y.npy --verify=full --json | FileCheck %s
// RUN: python3 %S/Inputs/print_npy.py %t.h.npy | FileCheck %s --check-prefix=H
// RUN: python3 %S/Inputs/print_npy.py %t.y.npy | FileCheck %s --check-prefix=Y
// RUN: not conv-run %s --device=emulator --input=ones --input=ones 2>&1 | FileCheck %s --check-prefix=MANY

// CHECK: "name": "conv_forward_f16_32x32x16_cp_async_mma_sync"
// CHECK: "name": "conv_forward_f16_32x32x16_cp_async_mma_sync_2"
// CHECK: "workspace_bytes": 0
// CHECK: "relative_error": 0,
// CHECK: "passed": true
// H: <f2 (1, 5, 4):
// Y: <f4 (1, 3, 4):
// MANY: error: --input: expected at most 1 (argument0), got 2

#element = affine_map<(n, q, k) -> (n, q, k)>
#channel = affine_map<(n, q, k) -> (k)>

func.func @main(%x: tensor<1x5x8xf16>) -> (tensor<1x5x4xf16>, tensor<1x3x4xf32>) {
  %w1 = arith.constant dense<0.5> : tensor<4x1x8xf16>
  %w2 = arith.constant dense<[[[1.0, 2.0, 0.0, 1.0], [0.0, 1.0, -1.0, 0.0], [2.0, 0.0, 0.0, 1.0]],
                              [[0.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 2.0], [0.0, -2.0, 1.0, 0.0]],
                              [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]],
                              [[0.0, 0.0, 0.0, 3.0], [0.0, 0.0, 2.0, 0.0], [0.0, 1.0, 0.0, 0.0]]]> : tensor<4x3x4xf16>
  %bias = arith.constant dense<[1.0, -2.0, 3.0, 4.0]> : tensor<4xf32>
  %e1 = tensor.empty() : tensor<1x5x4xf32>
  %c1 = conv.forward ins(%x, %w1 : tensor<1x5x8xf16>, tensor<4x1x8xf16>)
                     outs(%e1 : tensor<1x5x4xf32>) -> tensor<1x5x4xf32>
  %h0 = tensor.empty() : tensor<1x5x4xf16>
  %h = linalg.generic {indexing_maps = [#element, #channel, #element],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c1, %bias : tensor<1x5x4xf32>, tensor<4xf32>) outs(%h0 : tensor<1x5x4xf16>) {
  ^bb0(%sum: f32, %b: f32, %out: f16):
    %0 = arith.addf %sum, %b : f32
    %1 = arith.truncf %0 : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<1x5x4xf16>
  %e2 = tensor.empty() : tensor<1x3x4xf32>
  %y = conv.forward ins(%h, %w2 : tensor<1x5x4xf16>, tensor<4x3x4xf16>)
                    outs(%e2 : tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
  return %h, %y : tensor<1x5x4xf16>, tensor<1x3x4xf32>
}
