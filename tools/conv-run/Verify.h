//===- Verify.h - results against the definition ----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_RUN_VERIFY_H
#define CONV_TOOLS_CONV_RUN_VERIFY_H

#include "CommandLine.h"
#include "Support/Memory.h"
#include "Support/VerifyReport.h"
#include "Workload.h"

#include <functional>

namespace convmlir {

/// How much of the reference verify() computes.
ReferenceUse referenceUse(const Workload &workload,
                          const VerifyRequest &request);

/// Whether there is anything to compare the results with; the error says why
/// there is not.
Status checkReference(const Workload &workload);

/// Compares the results of a run of the workload's inputs with the definition.
/// Small integers, whose sums are exact in every order, are compared exactly.
/// A result of which no element was compared has not passed.
/// `onShare` gets the share of the reference that is done.
/// The workload passes checkReference().
Result<VerifyReport> verify(const Workload &workload,
                            const std::vector<Tensor> &results,
                            const VerifyRequest &request,
                            const std::function<void(double)> &onShare = {});

} // namespace convmlir

#endif // CONV_TOOLS_CONV_RUN_VERIFY_H
