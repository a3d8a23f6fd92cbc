//===- Epilogue.cpp - what follows a convolution in its kernel ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/Epilogue.h"
#include "conv/Dialect/Conv/IR/ChannelsFirst.h"

#include "mlir/Dialect/Linalg/Utils/Utils.h"

using namespace mlir;
using namespace mlir::conv;

static bool isEpilogueOperand(linalg::GenericOp op, OpOperand &operand,
                              ArrayRef<int64_t> vectorDims) {
  auto type = dyn_cast<ShapedType>(operand.get().getType());
  if (!type)
    return true;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (map.isIdentity() || map.getNumResults() == 0)
    return true;
  if (map.getNumResults() != 1)
    return false;
  auto dim = dyn_cast<AffineDimExpr>(map.getResult(0));
  return dim && llvm::is_contained(vectorDims, dim.getPosition());
}

bool conv::isEpilogue(linalg::GenericOp op, ArrayRef<int64_t> vectorDims) {
  if (!linalg::isElementwise(op) || op.getNumDpsInits() != 1 ||
      op->getNumResults() != 1)
    return false;
  OpOperand *init = op.getDpsInitOperand(0);
  return op.getMatchingIndexingMap(init).isIdentity() &&
         !op.hasIndexSemantics() && !op.payloadUsesValueFromOperand(init) &&
         llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
           return isEpilogueOperand(op, operand, vectorDims);
         });
}

SmallVector<int64_t> conv::getEpilogueDims(ConvOpInterface op) {
  int64_t last = op.getDestType().getRank() - 1;
  bool isWgrad = op.getConvKind() == convmlir::ConvKind::Wgrad;
  if (!isWgrad && isComputedChannelsFirst(op))
    return {1, last};
  return {last};
}

linalg::GenericOp conv::getEpilogue(Value value, ArrayRef<int64_t> vectorDims) {
  if (!value.hasOneUse())
    return nullptr;
  OpOperand &use = *value.getUses().begin();
  auto op = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (!op || !op.isDpsInput(&use) || !isEpilogue(op, vectorDims) ||
      !op.getMatchingIndexingMap(&use).isIdentity())
    return nullptr;
  return op;
}
