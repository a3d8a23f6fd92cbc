//===- RoleRegisters.h - registers of warps with roles ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the schedule of a kernel. Output: the registers of its producer and
// its consumers in its plan (KernelPlan.td), or why they cannot be as given.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_ROLEREGISTERS_H
#define CONV_SCHEDULE_ROLEREGISTERS_H

#include "conv/Dialect/Conv/IR/KernelPlan.h"
#include "conv/Support/Result.h"

namespace mlir::conv {

/// Both registers of a plan in which `given` stays; or what of it cannot be.
convmlir::Result<KernelPlan> planRegisters(ScheduleAttr schedule,
                                           const KernelPlan &given);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_ROLEREGISTERS_H
