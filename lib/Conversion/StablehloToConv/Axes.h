//===- Axes.h - tensors by what their dimensions are -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dimensions of a tensor of a convolution as axes. One dimension may hold
// two axes, groups and channels, the groups outermost.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_STABLEHLOTOCONV_AXES_H
#define CONV_LIB_CONVERSION_STABLEHLOTOCONV_AXES_H

#include "mlir/IR/Builders.h"

namespace mlir::conv {

/// Images N, groups G, input channels C of a group, output channels K of one;
/// from Spatial on, the spatial dimensions of the tensor.
enum Axis : int { N, G, C, K, Spatial };

/// What a dimension holds.
using Axes = SmallVector<int, 2>;

/// What each dimension of a tensor holds.
using AxisOrder = SmallVector<Axes, 5>;

/// The elements of `tensor`, whose dimensions hold `from`, in the order `to` of
/// the same axes. `groups` is the extent of axis G.
Value emitAxes(OpBuilder &builder, Location loc, Value tensor,
               const AxisOrder &from, const AxisOrder &to, int64_t groups);

/// Whether elements of a tensor of this shape have to be moved for the other
/// order: whether a reshape does not do. Axes of one position stand anywhere.
bool isMoved(ArrayRef<int64_t> shape, const AxisOrder &from,
             const AxisOrder &to, int64_t groups);

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_STABLEHLOTOCONV_AXES_H
