//===- FoldedTiles.h - folded taps that tile an image -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Patches of an image: each position of x is in one window, and all taps are
// folded. Then x' is a transposition of x, w' is w and dw is dw'.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_OPERATIONS_FOLDEDTILES_H
#define CONV_LIB_TRANSFORMS_OPERATIONS_FOLDEDTILES_H

#include "conv/Geometry/ConvGeometry.h"

#include "mlir/IR/Builders.h"

namespace mlir::conv {

/// Whether windows are tiles of x, no channel of x' is padding, and the filter
/// is not flipped.
bool hasFoldedTiles(const convmlir::ConvGeometry &geometry,
                    const convmlir::ConvGeometry &folded,
                    ArrayRef<int64_t> fold);

/// x as x': N, H', R, W', S, C to N, H', W', R, S, C.
Value foldTiles(OpBuilder &builder, Location loc, Value input,
                const convmlir::ConvGeometry &geometry,
                const convmlir::ConvGeometry &folded);
/// dx' as dx.
Value unfoldTiles(OpBuilder &builder, Location loc, Value input,
                  const convmlir::ConvGeometry &geometry,
                  const convmlir::ConvGeometry &folded);

/// The elements of `source`, in their order, in another shape, by way of one
/// row of them.
Value reshapeElements(OpBuilder &builder, Location loc, Value source,
                      ArrayRef<int64_t> shape);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_OPERATIONS_FOLDEDTILES_H
