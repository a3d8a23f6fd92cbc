//===- ConvShapes.h - tensors of a convolution and its geometry -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the dimensions of x, w and y lie in a layout, the shapes that a
// geometry gives them, and the geometry that their types give.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_CONVSHAPES_H
#define CONV_DIALECT_CONV_IR_CONVSHAPES_H

#include "conv/Dialect/Conv/IR/ConvDialect.h"
#include "conv/Geometry/ConvGeometry.h"

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::conv {

/// The place of a tensor in the convolution: x, w, y or their gradients.
enum class TensorRole { Input, Filter, Output };

/// Position of a role among the operands of an op (two sources, destination).
unsigned getOperandIndex(convmlir::ConvKind kind, TensorRole role);

/// The role of an operand.
TensorRole getRole(convmlir::ConvKind kind, unsigned operandIndex);

/// "x", "w", "y", or "dx", "dw", "dy" where the op's tensor is the gradient.
StringRef getOperandName(convmlir::ConvKind kind, TensorRole role);

/// Dimensions of a tensor. Of x and y, the outer one is the batch and the
/// channel one C or K; of w, the outer one is K and the channel one C/G.
inline constexpr int64_t kOuterDim = 0;
inline int64_t getChannelDim(Layout layout, int spatialRank) {
  return layout == Layout::NHWC ? spatialRank + 1 : 1;
}
inline int64_t getSpatialDim(Layout layout, int spatialDim) {
  return layout == Layout::NHWC ? spatialDim + 1 : spatialDim + 2;
}

/// Shape of x, w or y of a geometry that passed check().
SmallVector<int64_t> getShape(const convmlir::ConvGeometry &geometry,
                              Layout layout, TensorRole role);

/// `window` with the extents (and spatial rank) of these types of x and w; they
/// must have the same rank. The caller checks the geometry.
convmlir::ConvGeometry completeGeometry(const convmlir::ConvGeometry &window,
                                        ShapedType x, ShapedType w,
                                        Layout layout);

/// Type of y for `conv.forward`, or the first rule that the convolution breaks.
/// Of `window`, the stride, padding, dilations and groups matter. Without
/// `elementType` y has that of x.
convmlir::Result<RankedTensorType>
inferForwardType(RankedTensorType x, RankedTensorType w,
                 const convmlir::ConvGeometry &window, Layout layout,
                 Type elementType = {});

/// Type of dw for `conv.wgrad`, or the first rule that the convolution breaks.
/// Of `window`, K and the filter extents matter too.
convmlir::Result<RankedTensorType>
inferWgradType(RankedTensorType x, const convmlir::ConvGeometry &window,
               Layout layout, Type elementType = {});

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_CONVSHAPES_H
