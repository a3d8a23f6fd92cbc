// RUN: mlir-opt %s -test-gpu-subgroup-reduce-lowering=expand-to-shuffles -convert-gpu-to-nvvm -canonicalize | FileCheck %s

// Four lanes reduce, but all 32 lanes of the warp are named and must be there.

// CHECK-DAG: %[[ALL:.*]] = llvm.mlir.constant(-1 : i32)
// CHECK-DAG: %[[WIDTH:.*]] = llvm.mlir.constant(32 : i32)
// CHECK:     %[[NONE:.*]] = llvm.sub %[[WIDTH]], %[[WIDTH]]
// CHECK:     %[[MASK:.*]] = llvm.lshr %[[ALL]], %[[NONE]]
// CHECK:     nvvm.shfl.sync bfly %[[MASK]]
gpu.module @kernels {
  gpu.func @sum(%v: f32) -> f32 {
    %s = gpu.subgroup_reduce add %v cluster(size = 4) : (f32) -> f32
    gpu.return %s : f32
  }
}
