// RUN: not mlir-opt %s 2>&1 | FileCheck %s

// A tensor map is a parameter by value that the hardware reads where it lies,
// which a gpu.func cannot say: only llvm.func with nvvm.kernel can.

// CHECK: '"nvvm.grid_constant"' attribute must be present only on kernel arguments
gpu.module @kernels {
  gpu.func @load(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}) kernel {
    gpu.return
  }
}
