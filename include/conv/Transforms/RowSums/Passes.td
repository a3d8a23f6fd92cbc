//===- Passes.td - sums beside products --------------------*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Form F7 of docs/Pipelines.md. The code is in lib/Transforms/RowSums.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TRANSFORMS_ROWSUMS_PASSES_TD
#define CONV_TRANSFORMS_ROWSUMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvLowerRowSums : Pass<"conv-lower-row-sums", "::mlir::gpu::GPUModuleOp"> {
  let summary = "distribute sums over rows of a tile over the lanes of helpers";
  let description = [{
    Form F6c to F7, in the branch of a kernel's helpers. They sum rows of an operand's tile as it lies in shared
    memory: a lane has 16 bytes of neighbouring columns and one of several groups of rows (RowSums.cpp). Where
    columns are summed, it has whole rows (LineSums.cpp). Vectors of a tile's sums become what a lane has of them. Where
    they are scattered, lanes with the same columns add their sums, in a fixed order, and one of them stores. The
    kernel's attribute `conv.row_sums` says how many partial sums make one.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

#endif // CONV_TRANSFORMS_ROWSUMS_PASSES_TD
