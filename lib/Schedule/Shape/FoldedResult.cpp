//===- FoldedResult.cpp - what folded taps compute ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Shape/FoldedResult.h"
#include "conv/Dialect/Conv/IR/ConvTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvKind;

/// The only operation that reads the result, where all it does is to round it.
static linalg::GenericOp getRounding(ConvOpInterface op) {
  Value result = op->getResult(0);
  if (!result.hasOneUse())
    return nullptr;
  auto reader = dyn_cast<linalg::GenericOp>(*result.user_begin());
  if (!reader || reader.getNumDpsInputs() != 1 ||
      reader.getDpsInputs().front() != result ||
      reader.getBody()->getOperations().size() != 2 ||
      !llvm::all_of(reader.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return nullptr;
  auto rounding = dyn_cast<arith::TruncFOp>(reader.getBody()->front());
  return rounding && rounding.getIn() == reader.getBody()->getArgument(0)
             ? reader
             : nullptr;
}

/// The other 8-bit float is none that dgrad makes.
linalg::GenericOp conv::getRoundingOfDgrad(ConvOpInterface op) {
  linalg::GenericOp rounding =
      op.getConvKind() == ConvKind::Dgrad ? getRounding(op) : nullptr;
  if (!rounding)
    return nullptr;
  Type rounded = getElementTypeOrSelf(rounding.getResult(0));
  return checkElementTypes(op.getSourceElementType(), op.getSecondElementType(),
                           rounded, op.getAccType())
             ? rounding
             : nullptr;
}

Type conv::getFoldedResultType(ConvOpInterface op) {
  if (op.getConvKind() == ConvKind::Wgrad)
    return op.getAccType();
  if (linalg::GenericOp rounding = getRoundingOfDgrad(op))
    return getElementTypeOrSelf(rounding.getResult(0));
  return op.getDestType().getElementType();
}
