//===- ConvolutionReading.h - a convolution as one of three -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a convolution of StableHLO as conv.forward, conv.dgrad or conv.wgrad.
//
// Every one is a sum of products over a window of the left operand, and so a
// forward convolution. Gradients are written the same way: that of the filter
// with the images as features, that of the input with the filter backwards. What
// is read as a gradient is computed as one.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_STABLEHLOTOCONV_CONVOLUTIONREADING_H
#define CONV_LIB_CONVERSION_STABLEHLOTOCONV_CONVOLUTIONREADING_H

#include "Axes.h"
#include "conv/Dialect/Conv/IR/ConvShapes.h"
#include "conv/Dialect/StableHLO/IR/StableHLOOps.h"

namespace mlir::conv {

/// An operand behind conversions to a wider type and reversals of spatial
/// dimensions.
struct ConvolutionSource {
  Value value;
  SmallVector<bool, 3> reversed; ///< By number of spatial dimension.
};

/// A convolution in the terms of the conv dialect.
struct ConvolutionReading {
  convmlir::ConvKind kind = convmlir::ConvKind::Forward;
  convmlir::ConvGeometry geometry;
  Layout layout = Layout::NHWC;
  Value lhs, rhs;
  /// To which the operands are converted before they are read.
  Type lhsElement, rhsElement;
  /// Spatial dimensions of the right operand that are reversed before it is
  /// read, where not all are.
  SmallVector<int64_t, 3> reversedDims;
  /// What the dimensions of the text hold, and those of the conv operation.
  AxisOrder lhsText, rhsText, outText;
  AxisOrder lhsConv, rhsConv, outConv;
};

/// Whether nothing is added up for any element of the result: then all are
/// zero.
bool isZero(stablehlo::ConvolutionOp op);

/// Reads a convolution whose elements are sums. The error says which rule of
/// the conv dialect it breaks.
convmlir::Result<ConvolutionReading>
readConvolution(stablehlo::ConvolutionOp op);

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_STABLEHLOTOCONV_CONVOLUTIONREADING_H
