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
//   element(row, tap, channel) = row.element + tap.element + channel
//   the view is inside the tensor there: isInside(row, tap)
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

class ViewAddressing {
public:
  /// For tiles of `tileRows` rows, which start at multiples of `tileRows`.
  ViewAddressing(ViewAttr view, ArrayRef<int64_t> tensorShape,
                 int64_t tileRows);

  /// What is known of a row, or of a tap.
  struct Position {
    Value element;                     ///< Linear index, or its increment.
    SmallVector<Value, 3> coordinates; ///< Of the dimensions that are tested.
    Value exists;                      ///< Null: always.
  };

  Position getRow(IndexMath &math, Value row) const;
  Position getTap(IndexMath &math, Value tap) const;
  /// Null where the view is inside the tensor for every row and tap.
  Value isInside(IndexMath &math, const Position &row,
                 const Position &tap) const;

  /// First element of a group's channels, within a row of the tensor.
  Value getChannel(IndexMath &math, Value group, Value channel) const;
  /// Channels of one group.
  int64_t getGroupChannels() const { return groupChannels; }
  /// The largest power of two, at most `limit`, that divides the element index
  /// of every chunk of so many channels.
  int64_t getAlignment(int64_t limit) const;

private:
  struct Dimension {
    int64_t rows, taps, stride, step, offset, extent;
    int64_t pitch; ///< Elements between two coordinates.
    bool isTested; ///< Some row and tap lie outside.
    bool isIdentity() const;
  };

  int64_t numRows, tileRows, groupChannels, channels;
  SmallVector<Dimension, 4> dimensions; ///< Batch first.
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_VIEWADDRESSING_H
