//===- PlannedLoads.h - loads ahead in the plan of a kernel -----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a kernel whose copies and registers are planned. Output: `loads_ahead`
// of its plan (KernelPlan.td), or why it cannot be as given.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_PLANNEDLOADS_H
#define CONV_SCHEDULE_PLANNEDLOADS_H

#include "conv/Dialect/Conv/IR/KernelForm.h"
#include "conv/Schedule/OperandLoads.h"
#include "conv/Support/Result.h"

namespace mlir::conv {

/// The plan of the kernel, in which a number that is given stays; or why it
/// cannot.
convmlir::Result<KernelPlan> planLoadsAhead(const LoadingKernel &kernel,
                                            KernelForm form);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_PLANNEDLOADS_H
