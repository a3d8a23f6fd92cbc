//===- WindowCoordinates.h - where a window reads ---------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Positions and taps of a view, and lines of a window (Windows.h), as values of
// a kernel.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_RING_WINDOWCOORDINATES_H
#define CONV_LIB_TRANSFORMS_RING_WINDOWCOORDINATES_H

#include "Support/IndexMath.h"
#include "conv/Dialect/Conv/IR/ConvDialect.h"
#include "conv/Geometry/WindowTile.h"

namespace mlir::conv {

/// Coordinates of the tensor, batch first and channels left out, that a row of
/// the view names at tap 0. They may lie outside.
SmallVector<Value> emitPosition(IndexMath &math, ViewAttr view, Value row);

/// Positions from tap 0 to another one, in each dimension.
SmallVector<Value> emitTapDistance(IndexMath &math, ViewAttr view, Value tap);

/// The first of a packed window's lines that a tap at such a distance reads.
Value emitPackedLine(IndexMath &math, const convmlir::WindowTile &tile,
                     ArrayRef<Value> distance);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_RING_WINDOWCOORDINATES_H
