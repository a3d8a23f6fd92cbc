//===- PlannedLoads.cpp - loads ahead in the plan of a kernel -------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/PlannedLoads.h"

#include "conv/Schedule/KernelRules.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::Error;
using convmlir::Result;
using llvm::formatv;

Result<KernelPlan> conv::planLoadsAhead(const LoadingKernel &kernel,
                                        KernelForm form) {
  KernelPlan plan = kernel.plan;
  auto loads = getKernelRules(form).getLoadsAhead(kernel);
  if (!loads)
    return loads.takeError();
  if (!*loads) {
    if (plan.loadsAhead)
      return Error{"loads_ahead: no thread takes operands into registers here"};
    return plan;
  }
  const LoadsAhead &found = **loads;
  int64_t number = plan.loadsAhead.value_or(found.chosen);
  if (found.most < found.fewest)
    return Error{"loads_ahead: " + found.limit};
  if (number < found.fewest || number > found.most)
    return Error{formatv("loads_ahead: {0}, not {1}", found.limit, number)};
  plan.loadsAhead = number;
  return plan;
}
