//===- GroupedTiles.h - tiles of groups in whole tensors --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TMA reads zero where a tensor ends, not where a group does. So a tile that is
// loaded names rows and channels of the whole tensor. What it has of the next
// group is multiplied into rows or columns of the result that no store takes.
// Blocks of gemm-k that reach past their group are loaded with the group as a
// dimension of the tensor, whose end is then that of the channels or rows: its
// zeros meet zeros, whatever lies behind. Rows of whole images, each of which
// is a group, are boxes of the tensor, and end where it does.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_RING_GROUPEDTILES_H
#define CONV_LIB_TRANSFORMS_RING_GROUPEDTILES_H

#include "GemmKNest.h"
#include "Support/IndexMath.h"

namespace mlir::conv {

/// Whether each group of the view's rows is one entry of the batch of a tensor
/// of this shape, [batch, row, column]: an image with its channels first.
bool hasImageGroups(ViewAttr view, ArrayRef<int64_t> shape);

/// Batch, row and column of a tile of such a view, from its offsets.
SmallVector<Value> getImageCoordinates(ValueRange offsets);

/// The same of a copy's tile [row, column], whose view may also have no groups:
/// then there is one image.
SmallVector<Value> getImageCoordinates(IndexMath &math, Im2colOp copy,
                                       ValueRange offsets);

/// A tile of one of the matrices that views are, as TMA loads it.
struct LoadedTile {
  SmallVector<Attribute> views; ///< One for each phase.
  /// Row, tap, channel; with groups the group of rows before the row, and that
  /// of channels before the channel.
  SmallVector<Value> offsets;

  ViewAttr getView() const { return cast<ViewAttr>(views.front()); }
};

/// The tile that `copy` fills, at `offsets`, in the whole tensor.
LoadedTile dropGroups(OpBuilder &builder, Im2colOp copy, ValueRange offsets);

/// The same, but with the groups that the copy's views have where a block of
/// gemm-k would reach from one into the next.
LoadedTile getLoadedTile(OpBuilder &builder, GemmKNest &nest, Im2colOp copy,
                         ValueRange offsets);

/// Whether the contraction sums over this dimension of the tile that its left
/// operand (A) or its right one is.
bool isReduced(vector::ContractionOp op, bool isA, unsigned dim);

/// An error on a copy of the nest of which a block of gemm-k reaches from one
/// group into the next, for loads that cannot end there: boxes.
LogicalResult verifyGroups(GemmKNest &nest);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_RING_GROUPEDTILES_H
