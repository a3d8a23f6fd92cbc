//===- PlainGroups.h - plain loops that run together ------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two plain loops that follow each other and touch nothing that the other one
// writes, such as the transpositions of both operands of a convolution, become
// one kernel: the short one runs beside the long one, and a launch is saved.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_PLAINKERNELS_PLAINGROUPS_H
#define CONV_LIB_TRANSFORMS_PLAINKERNELS_PLAINGROUPS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::conv {

using LoopGroup = SmallVector<scf::ForallOp, 2>;

/// The loops on buffers, in their order, those in one group that can be one
/// kernel at the place of the last. Loops that are not plain are alone.
SmallVector<LoopGroup> groupPlainLoops(ArrayRef<scf::ForallOp> loops);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_PLAINKERNELS_PLAINGROUPS_H
