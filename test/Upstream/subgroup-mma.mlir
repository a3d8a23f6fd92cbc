// What upstream's matrices in registers lack: elements of bf16, and a way from
// an element of a factor of f32 to nvvm.

// RUN: split-file %s %t
// RUN: not mlir-opt %t/bf16.mlir 2>&1 | FileCheck %s --check-prefix=BF16
// BF16: error: MMAMatrixType elements must be SI8, UI8, I32, F16, F32, or F64

// RUN: not mlir-opt %t/extract.mlir --pass-pipeline="builtin.module(gpu.module(convert-gpu-to-nvvm))" 2>&1 | FileCheck %s --check-prefix=EXTRACT
// EXTRACT: error: failed to legalize operation 'gpu.subgroup_mma_extract_thread_local'

//--- bf16.mlir
func.func @bf16(%a: !gpu.mma_matrix<16x16xbf16, "AOp">) {
  return
}

//--- extract.mlir
gpu.module @kernels {
  gpu.func @extract(%s: memref<16x8xf32, #gpu.address_space<workgroup>>, %y: memref<1xf32>) kernel {
    %c0 = arith.constant 0 : index
    %a = gpu.subgroup_mma_load_matrix %s[%c0, %c0] {leadDimension = 8 : index} : memref<16x8xf32, #gpu.address_space<workgroup>> -> !gpu.mma_matrix<16x8xf32, "AOp">
    %e = gpu.subgroup_mma_extract_thread_local %a[%c0] : !gpu.mma_matrix<16x8xf32, "AOp"> -> f32
    memref.store %e, %y[%c0] : memref<1xf32>
    gpu.return
  }
}
