//===- ProblemFuzzer.cpp - problem lines ----------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the text of --problem. What is taken has shapes whose elements can be
// counted, and its text gives it back.
//
//===----------------------------------------------------------------------===//

#include "Fuzzing.h"
#include "conv/Problem/Problem.h"

using namespace convmlir;
using fuzzing::expect;

static void expectSize(const TensorSpec &tensor) {
  expect(tensor.numElements() >= 0, tensor.name + " can be counted");
  expect(!tensor.type.empty(), tensor.name + " has a type");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Result<Problem> problem = parseProblem(fuzzing::asText(data, size));
  if (!problem) {
    fuzzing::noteRefusal(problem.error());
    return 0;
  }
  for (const TensorSpec &tensor : problem->arguments())
    expectSize(tensor);
  for (const TensorSpec &tensor : problem->results())
    expectSize(tensor);
  Result<Problem> again = parseProblem(toString(*problem));
  expect(again && *again == *problem, "a problem's text gives it back");
  return 0;
}
