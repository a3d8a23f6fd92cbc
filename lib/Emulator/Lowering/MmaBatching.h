//===- MmaBatching.h - several mma.sync at once -----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers all nvvm.mma.sync of a kernel. Within a block, products that do not
// depend on each other form one batch: they may all sink to the first op that
// needs a result and cannot itself sink.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_LOWERING_MMABATCHING_H
#define CONV_LIB_EMULATOR_LOWERING_MMABATCHING_H

#include "KernelLowering.h"

namespace mlir::conv::emulator {

/// Whether `op` is `nvvm.mma.sync`, or a call of an intrinsic that is one.
bool isMmaProduct(Operation *op);

LogicalResult lowerMmaOps(KernelLowering &lowering);

} // namespace mlir::conv::emulator

#endif // CONV_LIB_EMULATOR_LOWERING_MMABATCHING_H
