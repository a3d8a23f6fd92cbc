//===- ZeroPhases.cpp - phases that no tap reaches ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ZeroPhases.h"

#include "StridePhases.h"
#include "conv/Dialect/Conv/IR/ScatterChain.h"
#include "conv/Schedule/Forms/ZeroFill.h"

#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::conv;

/// Whether casts make `value` of zeros.
static bool isZero(Value value) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    return matchPattern(fill.value(), m_AnyZeroFloat()) ||
           matchPattern(fill.value(), m_Zero());
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  return op && isCast(op) && isZero(op.getDpsInputs().front());
}

ScatterOp conv::findAmongZeros(ArrayRef<ScatterOp> chain) {
  ScatterOp found;
  for (ScatterOp scatter : chain) {
    if (isZero(scatter.getValue()))
      continue;
    if (found)
      return nullptr;
    found = scatter;
  }
  if (chain.size() == 1 || !found ||
      !namesCells(found.getView(), found.getTensorShape()))
    return nullptr;
  return found;
}

bool conv::isMadeByOneKernel(ArrayRef<ScatterOp> chain) {
  bool isMade = false;
  for (ScatterOp scatter : chain) {
    linalg::LinalgOp contraction = findContraction(scatter.getValue());
    if (!contraction)
      continue;
    auto schedule =
        contraction->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
    if (schedule.getAlgorithm() != Algorithm::ImplicitGemm ||
        schedule.getSplit() != 1)
      return false;
    isMade = true;
  }
  return isMade;
}
