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
// Where stride phases have views of their own, what is equal in all of them is
// a constant still; the rest is looked up once at the start of the kernel.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_SUPPORT_VIEWADDRESSING_H
#define CONV_LIB_TRANSFORMS_SUPPORT_VIEWADDRESSING_H

#include "IndexMath.h"
#include "conv/Dialect/Conv/IR/ConvDialect.h"

namespace mlir::conv {

/// A tile of the matrix, or of one of the matrices, that views of a tensor are.
struct ViewTile {
  /// The tile that a `conv.im2col` reads or a `conv.scatter` writes.
  template <typename OpTy>
  explicit ViewTile(OpTy op)
      : views(op.getAllViews()), phase(op.getPhase()),
        offsets(op.getMixedOffsets()) {}

  SmallVector<ViewAttr> views;
  Value phase; ///< Which of the views; null where there is one.
  SmallVector<OpFoldResult> offsets;
};

/// Which offsets of a tile change from block to block of a gemm-k loop that
/// runs ahead of its data. By these it can begin behind the last row or
/// channel; any other tile starts where the matrix has elements.
struct ChangingOffsets {
  bool row = false, tap = false, channel = false, rowGroup = false;
};

/// Whether some row and tap name a coordinate outside [0, extent).
bool leavesExtent(ViewAttr view, int64_t dim, int64_t extent);

class ViewAddressing {
public:
  /// `tensorShape` has the channels last, wherever they are in memory.
  ViewAddressing(const ViewTile &tile, ArrayRef<int64_t> tensorShape,
                 int64_t tileRows, int64_t tileColumns,
                 ChangingOffsets changing = {}, bool channelsFirst = false);

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
    Value channel;      ///< Of the tile's first column, in its group.
    Value channelOfAll; ///< The same in the tensor.
    Value rowGroup;     ///< Elements before the row group; null if it is one.
    Value increment;    ///< Of all element indices, by tap, groups and channel.
  };

  /// Of a row of the tile.
  Position getRow(IndexMath &math, Value rowInTile) const;
  Origin getOrigin(IndexMath &math) const;
  /// The same for the tile's tap `first` and those that follow it.
  SmallVector<Origin> getOrigins(IndexMath &math, Value first,
                                 int64_t number) const;

  /// Null where the view is inside the tensor for every row and tap.
  Value isInside(IndexMath &math, const Position &row,
                 const Origin &origin) const;
  /// Null where no column of the tile is past the channels of a group.
  Value isColumnInside(IndexMath &math, const Origin &origin,
                       Value column) const;

  /// Both: of one column in a row.
  Value isElementInside(IndexMath &math, const Position &row,
                        const Origin &origin, Value column) const;

  /// The linear index of an element that is inside.
  Value getElement(IndexMath &math, const Position &row, const Origin &origin,
                   Value column) const;
  /// Elements between two columns of a row.
  int64_t getColumnPitch() const { return channelPitch; }
  /// Positions of an image, where rows are all of all images in their order;
  /// 0 where not.
  int64_t getPositionsOfImage() const;
  /// Channels first: the largest power of two, at most `limit`, such that so
  /// many rows from a multiple of it on are neighbours in memory, aligned to
  /// their number, and all inside or all outside.
  int64_t getRowRun(int64_t limit) const;

  /// Whether a column of the tile may be past the channels of a group.
  bool testsColumns() const { return columnsTested; }
  /// Elements between two channels.
  int64_t getChannelPitch() const { return channelPitch; }

  /// True where rows one apart are as far apart in the tensor everywhere.
  bool isLinearInRows() const;
  /// That distance, in elements.
  int64_t getRowPitch() const;

  /// The largest power of two, at most `limit`, that divides the element index
  /// of every column that is a multiple of it.
  int64_t getAlignment(int64_t limit) const;

private:
  /// One number for each phase; one alone where all are equal.
  using ByPhase = SmallVector<int64_t, 1>;
  struct Dimension {
    ByPhase rows, taps;
    int64_t stride, step;
    ByPhase offset;
    int64_t extent;
    int64_t pitch; ///< Elements between two coordinates.
    bool isTested; ///< Some row and tap lie outside.
    bool isIdentity() const;
    bool hasOneRow() const;
  };

  ByPhase collect(function_ref<int64_t(ViewAttr)> of) const;
  void addDimensions(ArrayRef<int64_t> shape);
  Dimension getDimension(ArrayRef<int64_t> shape, int64_t dim) const;
  Position getTap(IndexMath &math, Value tap) const;
  Origin getOriginOfTap(IndexMath &math, Value tap) const;
  Value getTapMask(IndexMath &math, const Position &row) const;
  int64_t getMostTaps() const;
  Value lookUp(IndexMath &math, ArrayRef<int64_t> values) const;
  Value lookUpShift(IndexMath &math, ArrayRef<int64_t> width,
                    int64_t tap) const;
  /// Divides by a number; `value` receives the quotient.
  Value takeRemainder(IndexMath &math, Value &value,
                      ArrayRef<int64_t> divisor) const;
  Value takeTap(IndexMath &math, Value &tap, ArrayRef<int64_t> taps) const;
  Value takeStrip(IndexMath &math, Value &row) const;

  ViewTile tile;
  ViewAttr view; ///< What it has in common with the other views.
  ByPhase numRows;
  int64_t groupChannels;
  int64_t rowGroupElements; ///< Between two row groups.
  bool rowsTested, columnsTested, rowGroupsTested;
  bool hasInnerRows = false; ///< Those of filters that come last.
  bool tapsMasked = false;   ///< One bit a tap says whether it lies inside.
  int64_t commonDivisor;    ///< Of all pitches and the tile's first channel.
  int64_t channelPitch = 1; ///< Elements between two channels.
  SmallVector<Dimension, 4> dimensions; ///< Batch first.
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_SUPPORT_VIEWADDRESSING_H
