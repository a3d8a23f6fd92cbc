// RUN: conv-opt %s -conv-to-kernels="chip=sm_80 name-kernels=true" -split-input-file | FileCheck %s
// RUN: conv-opt %s -conv-to-kernels="chip=sm_80" -split-input-file | FileCheck %s --check-prefix=NUMBERS

// What multiplies says of what, in which tiles and by which engines; what adds parts of gemm-k has a role. Two of a name
// have numbers.

// CHECK-LABEL: gpu.module
// CHECK: gpu.func @conv_wgrad_f16_64x32x32_cp_async_mma_sync(
// CHECK: gpu.func @conv_wgrad_f16_sum(
// CHECK: gpu.func @conv_wgrad_f16_64x32x32_cp_async_mma_sync_2(
// CHECK: gpu.launch_func @conv_kernels::@conv_wgrad_f16_64x32x32_cp_async_mma_sync blocks
// CHECK: gpu.launch_func @conv_kernels::@conv_wgrad_f16_sum blocks
// CHECK: gpu.launch_func @conv_kernels::@conv_wgrad_f16_64x32x32_cp_async_mma_sync_2 blocks
// NUMBERS: gpu.func @main_0(
// NUMBERS: gpu.launch_func @conv_kernels::@main_0 blocks
#split = #conv.schedule<algorithm = implicit_gemm, tile = [64, 32, 32], warps = [2, 1], stages = 3, copy = cp_async, mma = mma_sync, split = 4>
#whole = #conv.schedule<algorithm = implicit_gemm, tile = [64, 32, 32], warps = [2, 1], stages = 3, copy = cp_async, mma = mma_sync>
func.func @main(%x: tensor<8x9x10x16xf16>, %dy: tensor<8x7x8x64xf16>, %e: tensor<64x3x3x16xf16>) -> (tensor<64x3x3x16xf16>, tensor<64x3x3x16xf16>) {
  %a = conv.wgrad ins(%x, %dy : tensor<8x9x10x16xf16>, tensor<8x7x8x64xf16>) outs(%e : tensor<64x3x3x16xf16>) {conv.schedule = #split} -> tensor<64x3x3x16xf16>
  %b = conv.wgrad ins(%x, %dy : tensor<8x9x10x16xf16>, tensor<8x7x8x64xf16>) outs(%e : tensor<64x3x3x16xf16>) {conv.schedule = #whole} -> tensor<64x3x3x16xf16>
  return %a, %b : tensor<64x3x3x16xf16>, tensor<64x3x3x16xf16>
}

// -----

// A function that is not called main is found by its name. Copies in front have roles: a transposition of the layout, and
// taps that are folded.

// CHECK-LABEL: gpu.module
// CHECK: gpu.func @layer_conv_forward_f16_copy(
// CHECK: gpu.func @layer_conv_forward_f16_64x32x16_cp_async_mma_sync(
// NUMBERS: gpu.func @layer_0(
// NUMBERS: gpu.func @layer_1(
func.func @layer(%x: tensor<2x9x10x3xf16>, %w: tensor<32x3x3x3xf16>, %e: tensor<2x7x8x32xf16>) -> tensor<2x7x8x32xf16> {
  %y = conv.forward ins(%x, %w : tensor<2x9x10x3xf16>, tensor<32x3x3x3xf16>) outs(%e : tensor<2x7x8x32xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 32, 16], warps = [2, 1], stages = 3, copy = cp_async, mma = mma_sync, fold = [1, 3]>} -> tensor<2x7x8x32xf16>
  return %y : tensor<2x7x8x32xf16>
}

// -----

// Without a convolution there is a role alone.

// CHECK-LABEL: gpu.module
// CHECK: gpu.func @alone_conv_transpose(
// NUMBERS: gpu.func @alone_0(
func.func @alone(%x: tensor<5x7xf32>, %e: tensor<7x5xf32>) -> tensor<7x5xf32> {
  %y = linalg.transpose ins(%x : tensor<5x7xf32>) outs(%e : tensor<7x5xf32>) permutation = [1, 0]
  return %y : tensor<7x5xf32>
}

// -----

// Depthwise loops.

// CHECK-LABEL: gpu.module
// CHECK: gpu.func @conv_forward_f32_depthwise(
func.func @main(%x: tensor<2x9x10x64xf32>, %w: tensor<64x3x3x1xf32>, %e: tensor<2x7x8x64xf32>) -> tensor<2x7x8x64xf32> {
  %y = conv.forward ins(%x, %w : tensor<2x9x10x64xf32>, tensor<64x3x3x1xf32>) outs(%e : tensor<2x7x8x64xf32>) groups 64 -> tensor<2x7x8x64xf32>
  return %y : tensor<2x7x8x64xf32>
}
