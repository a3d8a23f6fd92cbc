//===- OperandCopies.h - how operands come into shared memory ---*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the schedule of a kernel, and the copies that fill the tiles of its
// contraction's operands (F5). Output: `left` and `right` of its plan
// (KernelPlan.td), or why an operand cannot be copied as a given plan says.
// Which ways a form of kernels has is its object's to say (KernelRules.h).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_OPERANDCOPIES_H
#define CONV_SCHEDULE_OPERANDCOPIES_H

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/KernelForm.h"
#include "conv/Dialect/Conv/IR/KernelPlan.h"
#include "conv/Support/Result.h"

namespace mlir::conv {

/// An operand of a kernel's contraction.
struct KernelOperand {
  Im2colOp copy;
  /// What rows of the tile are aligned to where they are read, at most 16.
  int64_t alignedBytes;
};

/// `left` and `right` of a plan in which `given` stays; or what of it cannot
/// be. Operands with their channels first are copied alike.
convmlir::Result<KernelPlan> planCopies(ScheduleAttr schedule, KernelForm form,
                                        KernelOperand left, KernelOperand right,
                                        const KernelPlan &given);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_OPERANDCOPIES_H
