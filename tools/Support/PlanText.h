//===- PlanText.h - what a plan is, for people ------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of the reports of tools. What a file put into a plan is shown on one
// line each.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_PLANTEXT_H
#define CONV_TOOLS_SUPPORT_PLANTEXT_H

#include "conv/Problem/Problem.h"
#include "conv/Runtime/Plan.h"

#include <cstdint>
#include <string>
#include <vector>

namespace convmlir {

/// The arguments, or the results, as a problem describes them.
std::vector<TensorSpec> specsOf(const Plan &plan, BufferRole role);

/// Bytes of all buffers of a role; and of those that a run has, its workspace
/// and all others, which are there for the whole of it.
int64_t getBytes(const Plan &plan, BufferRole role);
int64_t getPeakBytes(const Plan &plan);

/// What the kernels are made for, and whether the model of their time was fitted
/// there.
std::string chipRow(const Plan &plan);

/// What was chosen, why, and the kernels.
std::string scheduleRow(const Plan &plan);
std::string remarkRows(const Plan &plan);
std::string kernelRows(const Plan &plan);

/// What a run needs beside its operands, and what it promises.
std::string promiseRows(const Plan &plan);

/// All that a plan says of itself.
std::string describeAsText(const Plan &plan);

} // namespace convmlir

#endif // CONV_TOOLS_SUPPORT_PLANTEXT_H
