//===- Passes.td - conversions between dialects ------------*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CONVERSION_PASSES_TD
#define CONV_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// F7 to F8
//===----------------------------------------------------------------------===//

def ConvertConvKernelToNVVM : Pass<"convert-conv-kernel-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Convert the kernels of a gpu.module to the nvvm and llvm dialects";
  let description = [{
    The upstream conversions of `gpu`, `nvgpu`, `vector`, `memref`, `arith`,
    `math` and `cf`, in one step and with one type converter, so that all of them
    agree on an `index` of 32 bits; with 64 where some buffer has 2^31
    elements or more. Added to them: `nvgpu.mma.sync` on bf16, which
    the upstream conversion refuses, and the exact block size of the kernel as
    `nvvm.reqntid`. Buffers in a kernel's signature become bare pointers.

    The operations of `scf` and `affine` and `memref`'s compound views must be gone:
    see the pipeline `conv-lower-to-nvvm`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // CONV_CONVERSION_PASSES_TD
