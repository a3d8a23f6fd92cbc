//===- PlanWork.cpp - what a run does at least ----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The work of a problem is that of its geometry; of a module, the operations of
// its convolutions, and every argument and result once.
//
//===----------------------------------------------------------------------===//

#include "PlanWork.h"

#include <span>

using namespace convmlir;

static int64_t bytesOf(std::span<const TensorSpec> specs) {
  int64_t bytes = 0;
  for (const TensorSpec &spec : specs)
    bytes += byteCount(spec.shape, *parseElementType(spec.type)).value_or(0);
  return bytes;
}

static int64_t leastBytes(const SourceModule &source) {
  std::span<const TensorSpec> arguments = source.arguments();
  if (!source.problem())
    return bytesOf(arguments) + bytesOf(source.results());
  const Problem &problem = *source.problem();
  // The geometry counts two arguments and a result; the others are the
  // epilogue's.
  return problem.geometry.leastBytes(
             problem.kind, byteSize(*parseElementType(problem.type)),
             byteSize(*parseElementType(problem.outType))) +
         bytesOf(arguments.subspan(2)) +
         bytesOf(std::span(source.results()).subspan(1));
}

void convmlir::addWork(Plan &plan, const SourceModule &source) {
  plan.leastBytes = leastBytes(source);
  for (const Problem &convolution : source.convolutions())
    plan.flops += convolution.geometry.flops();
  if (!source.convolutions().empty())
    plan.operandType = *parseElementType(source.convolutions().front().type);
}
