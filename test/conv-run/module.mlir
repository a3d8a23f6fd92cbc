// Two convolutions with elementwise operations between them, a residual over
// both, and a constant: two launches, one plan. The function is not the only
// public one.
//
// RUN: conv-run %s --entry=block --device=emulator --target=sm_80 --verify=full | FileCheck %s
// RUN: conv-run %s --entry=block --device=emulator --verify=sample:9 --json | FileCheck %s --check-prefix=JSON
// RUN: conv-run %s --entry=block --target=sm_80 --emit=plan -o %t.plan
// RUN: conv-run %t.plan --device=emulator --output=%t.plan.npy
// RUN: conv-run %s --entry=block --target=sm_80 --device=emulator --output=%t.npy
// RUN: cmp %t.plan.npy %t.npy
// RUN: not conv-run %t.plan --device=emulator --verify 2>&1 | FileCheck %s --check-prefix=PLAN

// The workspace of the report is what a limit counts: buffers at multiples of
// 256 bytes.
//
// RUN: conv-run %s --entry=block --target=sm_80 --max-workspace=3328 --describe | FileCheck %s --check-prefix=MEMORY
// RUN: not conv-run %s --entry=block --target=sm_80 --max-workspace=3327 --describe 2>&1 | FileCheck %s --check-prefix=LIMIT
// MEMORY: memory {{.*}} 3328 of workspace
// LIMIT: the kernels need at least 3328 bytes of workspace, 1 more than max-workspace=3327 allows

// CHECK: problem    @block of {{.*}}module.mlir: 2 convolutions
// CHECK: schedule   block_conv_forward_bf16_32x32x16_cp_async_mma_sync: {{.*}}; block_conv_forward_bf16_32x32x16_cp_async_mma_sync_2:
// CHECK: kernel     block_conv_forward_bf16_32x32x16_cp_async_mma_sync: grid
// CHECK: kernel     block_conv_forward_bf16_32x32x16_cp_async_mma_sync_2: grid
// CHECK: workspace  3328 bytes
// CHECK: verify     full: passed

// JSON: "mode": "sample:9"
// JSON: "passed": true

// PLAN: error: --verify: the plan was made of '@{{.*}}', which is no problem line

#element = affine_map<(n, p, q, k) -> (n, p, q, k)>
#channel = affine_map<(n, p, q, k) -> (k)>

func.func @block(%x: tensor<1x9x11x16xbf16>, %w1: tensor<16x3x3x16xbf16>, %b1: tensor<16xf32>,
                 %w2: tensor<16x1x3x16xbf16>) -> tensor<1x9x11x16xbf16> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<1x9x11x16xf32>
  %c1 = conv.forward ins(%x, %w1 : tensor<1x9x11x16xbf16>, tensor<16x3x3x16xbf16>)
                     outs(%e : tensor<1x9x11x16xf32>) pad [1, 1] -> tensor<1x9x11x16xf32>
  %o = tensor.empty() : tensor<1x9x11x16xbf16>
  %h = linalg.generic {indexing_maps = [#element, #channel, #element],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c1, %b1 : tensor<1x9x11x16xf32>, tensor<16xf32>) outs(%o : tensor<1x9x11x16xbf16>) {
  ^bb0(%sum: f32, %bias: f32, %out: bf16):
    %0 = arith.addf %sum, %bias : f32
    %1 = arith.maximumf %0, %zero : f32
    %2 = arith.truncf %1 : f32 to bf16
    linalg.yield %2 : bf16
  } -> tensor<1x9x11x16xbf16>
  %c2 = conv.forward ins(%h, %w2 : tensor<1x9x11x16xbf16>, tensor<16x1x3x16xbf16>)
                     outs(%e : tensor<1x9x11x16xf32>) pad [0, 1] -> tensor<1x9x11x16xf32>
  %y = linalg.generic {indexing_maps = [#element, #element, #element],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c2, %x : tensor<1x9x11x16xf32>, tensor<1x9x11x16xbf16>) outs(%o : tensor<1x9x11x16xbf16>) {
  ^bb0(%sum: f32, %residual: bf16, %out: bf16):
    %0 = arith.mulf %sum, %half : f32
    %1 = arith.extf %residual : bf16 to f32
    %2 = arith.addf %0, %1 : f32
    %3 = arith.truncf %2 : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<1x9x11x16xbf16>
  return %y : tensor<1x9x11x16xbf16>
}

func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
