//===- ZeroPadding.cpp - tensors padded with zeros ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a value. Output: the tensor.pad that made it, if that pads with zeros
// and by constants.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ZeroPadding.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::Error;

bool conv::isConstantZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

convmlir::Result<ZeroPadding> conv::matchZeroPadding(Value value) {
  auto pad = value.getDefiningOp<tensor::PadOp>();
  if (!pad)
    return Error{"x is not the result of tensor.pad"};
  if (pad.getNofold())
    return Error{"the tensor.pad of x must not be folded"};
  Value constant = pad.getConstantPaddingValue();
  if (!constant || !isConstantZero(constant))
    return Error{"x is padded with other values than zero"};
  if (!pad.getSourceType().hasStaticShape() ||
      ShapedType::isDynamicShape(pad.getStaticLow()) ||
      ShapedType::isDynamicShape(pad.getStaticHigh()))
    return Error{"the amount of padding of x is not constant"};
  return ZeroPadding{pad.getSource(), SmallVector<int64_t>(pad.getStaticLow()),
                     SmallVector<int64_t>(pad.getStaticHigh())};
}
