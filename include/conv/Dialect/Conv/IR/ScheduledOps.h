//===- ScheduledOps.h - operations that have a schedule ---------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_SCHEDULEDOPS_H
#define CONV_DIALECT_CONV_IR_SCHEDULEDOPS_H

#include "mlir/IR/Operation.h"

namespace mlir::conv {

/// What passes may assume of an operation with the attribute `conv.schedule`,
/// form by form (docs/Pipelines.md): a convolution (F1), a contraction of two
/// matrices with elements (F2, F3), the loop over the tiles of a result (F3,
/// F4), or a kernel (from F6 on).
LogicalResult verifyScheduledOp(Operation *op);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_SCHEDULEDOPS_H
