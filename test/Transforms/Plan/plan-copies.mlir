// RUN: conv-opt %s -conv-to-blocks=chip=sm_80 | conv-opt -conv-blocks-to-kernels=chip=sm_80 -o %t.f5.mlir
// RUN: FileCheck %s --input-file=%t.f5.mlir
// RUN: conv-opt %t.f5.mlir -conv-kernels-to-rings=chip=sm_80 | FileCheck %s --check-prefix=RING
// RUN: sed 's/left = cp_async/left = registers/' %t.f5.mlir > %t.registers.mlir
// RUN: conv-opt %t.registers.mlir -conv-kernels-to-rings=chip=sm_80 | FileCheck %s --check-prefix=REGISTERS
// RUN: conv-run %t.registers.mlir --entry=wide --target=sm_80 --device=emulator --verify | FileCheck %s --check-prefix=RUNS
// RUN: sed 's/left = registers/left = cp_async/' %t.f5.mlir | not conv-opt -conv-kernels-to-rings=chip=sm_80 2>&1 | FileCheck %s --check-prefix=NARROW

// cp.async copies where rows are aligned to four bytes. Threads load and store
// the others, and what a plan says.

// CHECK-DAG:  gpu.func @wide_0({{.*}} #conv.kernel_plan<left = cp_async, right = cp_async>
// CHECK-DAG:  gpu.func @narrow_1({{.*}} #conv.kernel_plan<left = registers, right = registers>

// RING-LABEL: gpu.func @wide_0
// RING:       conv.im2col %arg0{{.*}} async
// RING:       conv.im2col %arg1{{.*}} async
// RING-LABEL: gpu.func @narrow_1
// RING-NOT:   async view

// REGISTERS-LABEL: gpu.func @wide_0
// REGISTERS-NOT:   conv.im2col %arg0{{.*}} async
// REGISTERS:       conv.im2col %arg1{{.*}} async

// RUNS: verify {{.*}}full: passed

// NARROW: 'gpu.func' op has no plan as it is given: left: cp.async copies 4 bytes or more, but rows are aligned to 2
func.func @wide(%x: tensor<1x4x5x16xf16>, %w: tensor<8x2x3x16xf16>) -> tensor<1x3x3x8xf16> {
  %e = tensor.empty() : tensor<1x3x3x8xf16>
  %y = conv.forward ins(%x, %w : tensor<1x4x5x16xf16>, tensor<8x2x3x16xf16>) outs(%e : tensor<1x3x3x8xf16>)
       {conv.schedule = #conv.schedule<algorithm=implicit_gemm tile=16x16x16 warps=1x1 stages=3 copy=cp_async mma=mma_sync split-k=1>} -> tensor<1x3x3x8xf16>
  return %y : tensor<1x3x3x8xf16>
}

func.func @narrow(%x: tensor<1x4x5x3xf16>, %w: tensor<8x2x3x3xf16>) -> tensor<1x3x3x8xf16> {
  %e = tensor.empty() : tensor<1x3x3x8xf16>
  %y = conv.forward ins(%x, %w : tensor<1x4x5x3xf16>, tensor<8x2x3x3xf16>) outs(%e : tensor<1x3x3x8xf16>)
       {conv.schedule = #conv.schedule<algorithm=implicit_gemm tile=16x16x16 warps=1x1 stages=3 copy=cp_async mma=mma_sync split-k=1>} -> tensor<1x3x3x8xf16>
  return %y : tensor<1x3x3x8xf16>
}
