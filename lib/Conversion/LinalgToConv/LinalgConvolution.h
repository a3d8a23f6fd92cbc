//===- LinalgConvolution.h - linalg ops read as convolutions ----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a linalg operation that multiplies and adds over a window, named or
// generic, in the terms of conv.forward.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_LINALGTOCONV_LINALGCONVOLUTION_H
#define CONV_LIB_CONVERSION_LINALGTOCONV_LINALGCONVOLUTION_H

#include "conv/Dialect/Conv/IR/ConvShapes.h"
#include "conv/Support/Precision.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::conv {

/// How an operand of linalg becomes one of conv: its dimensions are permuted,
/// neighbours that are one dimension in conv (groups and channels) collapsed to
/// `collapsed`, and missing dimensions of extent one added to get `shape`.
struct OperandForm {
  SmallVector<int64_t> permutation;
  SmallVector<int64_t> collapsed;
  SmallVector<int64_t> shape;
};

/// A linalg operation as a conv.forward.
struct LinalgConvolution {
  Layout layout = Layout::NHWC;
  convmlir::ConvGeometry geometry;
  Type accType;
  Value x; ///< the operand, without the padding that the geometry absorbs
  OperandForm xForm, wForm, yForm;
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
