//===- PlanProblem.cpp - a plan against its problem line ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PlanProblem.h.
//
//===----------------------------------------------------------------------===//

#include "PlanProblem.h"
#include "conv/Problem/Problem.h"

namespace convmlir {

static std::string textOf(const std::string &name, const Shape &shape,
                          const std::string &type) {
  return name + ", " + toString(shape) + " of " + type;
}

static std::string listNames(const std::vector<TensorSpec> &specs) {
  std::string names;
  for (const TensorSpec &spec : specs)
    names += (names.empty() ? "" : ", ") + spec.name;
  return names;
}

static Status validateRole(const Plan &plan, BufferRole role,
                           const std::vector<TensorSpec> &specs) {
  std::vector<int64_t> indices = plan.buffersOf(role);
  if (indices.size() != specs.size())
    return Error{std::string("buffers: expected as many ") + toString(role) +
                 "s as the problem has, " + std::to_string(specs.size()) +
                 " (" + listNames(specs) + "), got " +
                 std::to_string(indices.size())};
  for (size_t i = 0; i < specs.size(); ++i) {
    const PlanBuffer &buffer = plan.buffers[static_cast<size_t>(indices[i])];
    const TensorSpec &spec = specs[i];
    if (TensorSpec{buffer.name, buffer.shape, toString(buffer.type)} != spec)
      return Error{"buffers[" + std::to_string(indices[i]) +
                   "]: expected the " + toString(role) + " of the problem, " +
                   textOf(spec.name, spec.shape, spec.type) + ", got " +
                   textOf(buffer.name, buffer.shape, toString(buffer.type))};
  }
  return {};
}

Status validateProblem(const Plan &plan) {
  Result<Problem> problem = parseProblem(plan.problem);
  if (!problem)
    return {};
  if (Status status =
          validateRole(plan, BufferRole::Argument, problem->arguments());
      !status)
    return status;
  return validateRole(plan, BufferRole::Result, problem->results());
}

} // namespace convmlir
