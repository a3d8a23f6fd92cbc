//===- TuningProblem.cpp - how records name an operation ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TuningProblem.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Dialect/Conv/IR/Epilogue.h"
#include "conv/Interpreter/OpProblem.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::Problem;

/// The problem with that operation behind it.
static Problem addStep(Problem problem, linalg::GenericOp op, Value value) {
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (operand->get() == value)
      continue;
    unsigned rank = op.getMatchingIndexingMap(operand).getNumResults();
    // What results of the gradients are added to, and what a derivative is of,
    // are not told apart.
    bool isForward = problem.kind == convmlir::ConvKind::Forward;
    bool isWgrad = problem.kind == convmlir::ConvKind::Wgrad;
    problem.epilogue.bias |= !isWgrad && rank == 1;
    problem.epilogue.residual |= isForward && rank > 1;
  }
  auto type = cast<ShapedType>(op->getResult(0).getType()).getElementType();
  if (std::optional<convmlir::ElementType> element = getElementType(type))
    problem.outType = toString(*element);
  return problem;
}

convmlir::Result<Problem> conv::getTuningProblem(ConvOpInterface op) {
  convmlir::Result<Problem> problem = getProblem(op);
  if (!problem)
    return problem;
  Value value = op->getResult(0);
  SmallVector<int64_t> dims = getEpilogueDims(op);
  while (linalg::GenericOp user = getEpilogue(value, dims)) {
    Problem extended = addStep(*problem, user, value);
    if (!extended.check())
      break;
    problem = std::move(extended);
    value = user->getResult(0);
  }
  return problem;
}
