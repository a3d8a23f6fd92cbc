//===- ThreadPieces.h - a thread's part of a staged tile --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile that is staged with a row of positions for each channel, in pieces of
// neighbouring positions: which ones a thread stores. Lanes of a warp have
// pieces beside each other.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_EPILOGUE_THREADPIECES_H
#define CONV_LIB_TRANSFORMS_EPILOGUE_THREADPIECES_H

#include "Support/IndexMath.h"
#include "conv/Geometry/SharedTile.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

namespace mlir::conv {

/// A thread's pieces of a staged tile, all of the same length.
class ThreadPieces {
public:
  ThreadPieces(IndexMath &math, const convmlir::SharedTile &tile, int64_t piece,
               Value thread, int64_t numThreads)
      : math(math), tile(tile), piece(piece), perRow(tile.getColumns() / piece),
        lanes(std::gcd(numThreads, perRow)), rowStep(numThreads / lanes),
        lane(math.rem(thread, lanes)), firstRow(math.div(thread, lanes)) {}

  /// Pieces of a row of the tile, and of a column.
  int64_t getNumInRow() const { return perRow / lanes; }
  int64_t getNumInColumn() const {
    return llvm::divideCeil(tile.getRows(), rowStep);
  }
  Value getColumn(int64_t i) {
    return math.mul(math.add(lane, i * lanes), piece);
  }
  Value getRow(int64_t j) { return math.add(firstRow, j * rowStep); }
  int64_t getRowStep() const { return rowStep; }
  /// Null: always.
  Value exists(int64_t j) {
    bool all = (j + 1) * rowStep <= tile.getRows();
    return all ? Value() : math.isBelow(getRow(j), tile.getRows());
  }
  /// Where a piece begins in the tile, seen as one row. Rows that are permuted
  /// alike are a constant apart.
  Value getElement(Value column, int64_t j) {
    int64_t alike = j % (kPeriod / std::gcd(rowStep, kPeriod));
    Value element = math.sharedElementAt(tile, getRow(alike), column);
    return math.add(element, (j - alike) * rowStep * tile.getColumns());
  }

private:
  static constexpr int64_t kPeriod = convmlir::SharedTile::kSwizzlePeriod;

  IndexMath &math;
  const convmlir::SharedTile &tile;
  int64_t piece;
  int64_t perRow;  ///< Pieces of a row,
  int64_t lanes;   ///< of which so many threads have neighbours
  int64_t rowStep; ///< in so many rows.
  Value lane, firstRow;
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_EPILOGUE_THREADPIECES_H
