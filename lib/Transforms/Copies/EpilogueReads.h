//===- EpilogueReads.h - tiles that the epilogue reads ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `conv.im2col` with a vector result in a kernel of F6: an operand of the
// epilogue, and what the kernel's plan says of it. Makes no IR.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_COPIES_EPILOGUEREADS_H
#define CONV_LIB_TRANSFORMS_COPIES_EPILOGUEREADS_H

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/KernelPlan.h"
#include "conv/Geometry/SharedTile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::conv {

/// Those of a kernel in their order, which is that of `reads` of its plan.
SmallVector<Im2colOp> getEpilogueReads(gpu::GPUFuncOp func);

/// What the plan says of each, or an error at the kernel.
FailureOr<SmallVector<EpilogueRead>> getPlannedReads(gpu::GPUFuncOp func,
                                                     ArrayRef<Im2colOp> reads);

/// The tile that a read is in shared memory.
convmlir::SharedTile getStagedRead(Im2colOp read);

/// Why such a tile cannot be staged or gains nothing from it, whether there is
/// room or not; empty if it does.
std::string whyNotStagedRead(Im2colOp read);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_COPIES_EPILOGUEREADS_H
