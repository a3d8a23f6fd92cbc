//===- CreateConvolution.h - an operation of a kind -------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For those who know which of the three operations they want only when they
// run: the importers.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_CREATECONVOLUTION_H
#define CONV_DIALECT_CONV_IR_CREATECONVOLUTION_H

#include "conv/Dialect/Conv/IR/ConvShapes.h"

#include "mlir/IR/Builders.h"

namespace mlir::conv {

/// The types in which a convolution multiplies and adds; null: the default.
struct ConvolutionTypes {
  Type accumulation, precision;
};

/// The result of conv.forward, conv.dgrad or conv.wgrad. The sources are in the
/// order of the operation.
Value createConvolution(OpBuilder &builder, Location loc,
                        convmlir::ConvKind kind, ValueRange sources, Value dest,
                        const convmlir::ConvGeometry &geometry, Layout layout,
                        const ConvolutionTypes &types = {});

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_CREATECONVOLUTION_H
