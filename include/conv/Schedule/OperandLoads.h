//===- OperandLoads.h - what threads load before they use it ----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the schedule of a kernel, and what of its plan says how operands come
// and how many registers a thread has. Output: how much it loads ahead. A
// thread waits for its first load while the others are on their way; each of
// them holds registers. How many a form has is its object's to say
// (KernelRules.h).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_OPERANDLOADS_H
#define CONV_SCHEDULE_OPERANDLOADS_H

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/KernelPlan.h"

#include <optional>
#include <string>

namespace mlir::conv {

/// A kernel whose threads may load operands.
struct LoadingKernel {
  ScheduleAttr schedule;
  /// With its copies and registers.
  KernelPlan plan;
  /// What fills the tiles of the contraction's operands.
  Im2colOp left, right;
};

/// How much of something is loaded ahead.
struct LoadsAhead {
  int64_t chosen, fewest, most;
  /// What is counted, what bounds it, and both bounds, as a message says it.
  std::string limit;
};

/// Those of the way in which the operands come, by warps of the producer;
/// nothing where no thread takes operands into registers.
std::optional<LoadsAhead> getLoadsOfCopies(const LoadingKernel &kernel);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_OPERANDLOADS_H
