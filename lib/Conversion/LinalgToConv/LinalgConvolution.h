//===- LinalgConvolution.h - linalg ops read as convolutions ----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a linalg operation that multiplies and adds over a window, named or
// generic, its dimensions in any order, in the terms of conv.forward,
// conv.dgrad or conv.wgrad.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_LINALGTOCONV_LINALGCONVOLUTION_H
#define CONV_LIB_CONVERSION_LINALGTOCONV_LINALGCONVOLUTION_H

#include "OperandForm.h"
#include "conv/Dialect/Conv/IR/ConvShapes.h"
#include "conv/Support/Precision.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::conv {

/// A linalg operation as one of the conv dialect.
struct LinalgConvolution {
  convmlir::ConvKind kind = convmlir::ConvKind::Forward;
  Layout layout = Layout::NHWC;
  convmlir::ConvGeometry geometry;
  Type accType;
  /// The sources of the conv operation, in its order and without what the
  /// geometry absorbs: zeros around and between elements, reversals. And which
  /// operands of linalg they are.
  SmallVector<Value, 2> sources;
  /// Dimensions in which the second source is turned around beforehand, where
  /// not all of a filter are.
  SmallVector<int64_t> reversedDims;
  /// Of the sources and the result.
  SmallVector<OperandForm, 3> forms;
  /// Where the sums have more precision than the text gives them: a clause
  /// about both, for a remark. Else empty.
  std::string morePrecise;
};

/// Whether the operation is a sum of products over a sliding window, so that a
/// user would expect it to be imported.
bool isConvolution(linalg::LinalgOp op);

/// Reads an operation for which isConvolution() holds; the error says why it
/// has no form in the conv dialect that computes what the text says, its
/// integers exactly and its floats with the precision that is asked for.
convmlir::Result<LinalgConvolution>
readConvolution(linalg::LinalgOp op, convmlir::Precision precision);

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_LINALGTOCONV_LINALGCONVOLUTION_H
