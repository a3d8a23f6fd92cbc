//===- SharedOperands.h - operands in shared memory -------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules of what engines of sm_90a read or write in shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_ENGINE_IR_SHAREDOPERANDS_H
#define CONV_LIB_DIALECT_ENGINE_IR_SHAREDOPERANDS_H

#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"

namespace mlir::conv {

/// Checks what is laid out in panels in shared memory: a tile or, of any rank
/// from 2 on, a box. `role` names it in messages.
LogicalResult verifyPanels(Operation *op, StringRef role, Type operand,
                           bool isBox = false);

/// Only f32 can be rounded to tf32. `dest` is where a copy writes.
LogicalResult verifyRounding(Operation *op, bool toTF32, Type dest);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_ENGINE_IR_SHAREDOPERANDS_H
