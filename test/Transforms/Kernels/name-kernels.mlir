// RUN: conv-opt %s -conv-name-kernels | FileCheck %s

// Names come from the notes in locations and from the schedule. A second kernel
// of a name has a number; a function that is not called main is in front.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 32, 16], warps = [2, 1], stages = 3, copy = cp_async, mma = mma_sync>

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // CHECK: gpu.func @conv_forward_f16_64x32x16_cp_async_mma_sync()
    gpu.func @main_0() kernel attributes {conv.schedule = #schedule} {
      gpu.return
    } loc("conv.operation.forward_f16"("layer"))
    // CHECK: gpu.func @conv_forward_f16_64x32x16_cp_async_mma_sync_2()
    gpu.func @main_1() kernel attributes {conv.schedule = #schedule} {
      gpu.return
    } loc("conv.operation.forward_f16"("next"))
    // The note of what is within, where the kernel has none.
    // CHECK: gpu.func @conv_wgrad_f32_sum()
    gpu.func @main_2() kernel {
      %c = arith.constant 1 : i32 loc(fused["conv.operation.wgrad_f32", "conv.role.sum"])
      gpu.return
    }
    // Without notes.
    // CHECK: gpu.func @layer_conv_copy()
    gpu.func @layer_0() kernel {
      gpu.return
    } loc("mine")
    // What is not launched keeps its name.
    // CHECK: gpu.func @alone()
    gpu.func @alone() kernel {
      gpu.return
    } loc("conv.operation.forward_f16")
  }
  // CHECK-LABEL: func.func @main
  // CHECK-NEXT:    %[[C1:.*]] = arith.constant
  // CHECK-NEXT:    gpu.launch_func @kernels::@conv_forward_f16_64x32x16_cp_async_mma_sync blocks
  // CHECK-NEXT:    gpu.launch_func @kernels::@conv_forward_f16_64x32x16_cp_async_mma_sync_2 blocks
  // CHECK-NEXT:    gpu.launch_func @kernels::@conv_wgrad_f32_sum blocks
  func.func @main() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@main_0 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.launch_func @kernels::@main_1 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.launch_func @kernels::@main_2 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
  // CHECK-LABEL: func.func @layer
  // CHECK:         gpu.launch_func @kernels::@layer_conv_copy blocks
  func.func @layer() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@layer_0 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
}
