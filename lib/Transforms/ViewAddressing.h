//===- ViewAddressing.h - a view's index map as arithmetic ------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the index map of `#conv.view` (conv/Geometry/MatrixView.h) in the form
// that a kernel wants: the part that depends on the row, the part that depends
// on the tap, and a test of both together, so that the first can be computed
// once for a whole gemm-k loop. All positions are linear element indices of the
// dense tensor.
//
//   element = row.element + origin.increment + column
//
// for a column of a tile, inside where the tests of row, tap and channel hold.
//
// Dimensions that a view walks over without gaps are merged, and tests that
// hold for every row and tap are left out: a 1x1 convolution without padding
// costs neither a division nor a comparison.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_VIEWADDRESSING_H
#define CONV_LIB_TRANSFORMS_VIEWADDRESSING_H

#include "IndexMath.h"
#include "conv/Dialect/Conv/IR/ConvDialect.h"

namespace mlir::conv {

/// A tile of the matrix that a view of a tensor is.
class ViewAddressing {
public:
  /// `offsets` has the tile's row, tap, (group,) and channel. A tile of a loop
  /// that runs ahead of its data (`mayStartPastChannels`) can begin behind the
  /// last channel; any other starts where the matrix has elements.
  ViewAddressing(ViewAttr view, ArrayRef<int64_t> tensorShape,
                 ArrayRef<OpFoldResult> offsets, int64_t tileRows,
                 int64_t tileColumns, bool mayStartPastChannels = false);

  /// What is known of a row, or of a tap.
  struct Position {
    Value element;                     ///< Linear index, or its increment.
    SmallVector<Value, 3> coordinates; ///< Of the dimensions that are tested.
    Value exists;                      ///< Null: always.
    /// Of a row: bit t is set where tap t lies inside. Of a tap: its bit. i32,
    /// null where the coordinates are tested instead.
    Value mask;
  };
  /// What all elements of the tile share.
  struct Origin {
    Position tap;
    Value channel;   ///< Of the tile's first column, in its group.
    Value increment; ///< Of all element indices, by tap, group and channel.
  };

  /// Of a row of the tile.
  Position getRow(IndexMath &math, Value rowInTile) const;
  Origin getOrigin(IndexMath &math) const;

  /// Null where the view is inside the tensor for every row and tap.
  Value isInside(IndexMath &math, const Position &row,
                 const Origin &origin) const;
  /// Null where no column of the tile is past the channels of a group.
  Value isColumnInside(IndexMath &math, const Origin &origin,
                       Value column) const;

  /// Both: of one column in a row.
  Value isElementInside(IndexMath &math, const Position &row,
                        const Origin &origin, Value column) const;

  /// True where rows one apart are as far apart in the tensor everywhere.
  bool isLinearInRows() const;
  /// That distance, in elements.
  int64_t getRowPitch() const { return dimensions.front().pitch; }

  /// The largest power of two, at most `limit`, that divides the element index
  /// of every column that is a multiple of it.
  int64_t getAlignment(int64_t limit) const;

private:
  struct Dimension {
    int64_t rows, taps, stride, step, offset, extent;
    int64_t pitch; ///< Elements between two coordinates.
    bool isTested; ///< Some row and tap lie outside.
    bool isIdentity() const;
  };

  Position getTap(IndexMath &math, Value tap) const;
  Value getTapMask(IndexMath &math, const Position &row) const;

  SmallVector<OpFoldResult, 4> offsets;
  int64_t numRows, groupChannels;
  bool rowsTested, columnsTested;
  bool tapsMasked = false; ///< One bit a tap says whether it lies inside.
  int64_t commonDivisor;   ///< Of all pitches and the tile's first channel.
  SmallVector<Dimension, 4> dimensions; ///< Batch first.
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_VIEWADDRESSING_H
