//===- ConvolutionLowering.cpp - convolutions as conv operations -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvolutionLowering.h"
#include "ConvolutionReading.h"
#include "Tensors.h"
#include "conv/Dialect/Conv/IR/CreateConvolution.h"
#include "conv/Dialect/Conv/IR/Remarks.h"
#include "conv/Dialect/Conv/IR/Reversal.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::Result;

Result<Value> conv::lowerConvolution(OpBuilder &builder,
                                     stablehlo::ConvolutionOp op) {
  Location loc = op.getLoc();
  if (isZero(op))
    return emitZeros(builder, loc, op.getType());
  Result<ConvolutionReading> reading = readConvolution(op);
  if (!reading)
    return reading.takeError();
  emitNamedRemark(op, RemarkId::StablehloImported,
                  "imported as conv." +
                      Twine(convmlir::toString(reading->kind)));
  int64_t groups = reading->geometry.groups;
  Value lhs = reading->lhs, rhs = reading->rhs;
  if (!reading->reversedDims.empty())
    rhs = emitReverse(builder, loc, rhs, reading->reversedDims);
  lhs = emitAxes(builder, loc, lhs, reading->lhsText, reading->lhsConv, groups);
  rhs = emitAxes(builder, loc, rhs, reading->rhsText, reading->rhsConv, groups);
  lhs = emitConvert(builder, loc, lhs, reading->lhsElement);
  rhs = emitConvert(builder, loc, rhs, reading->rhsElement);
  SmallVector<int64_t> shape = getShape(reading->geometry, reading->layout,
                                        getRole(reading->kind, /*operandIndex=*/2));
  Value dest = tensor::EmptyOp::create(builder, loc, shape,
                                       op.getType().getElementType());
  Value made =
      createConvolution(builder, loc, reading->kind, {lhs, rhs}, dest,
                        reading->geometry, reading->layout);
  return emitAxes(builder, loc, made, reading->outConv, reading->outText,
                  groups);
}
