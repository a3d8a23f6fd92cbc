//===- ChannelRows.h - results with their channels first --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `conv.scatter` with channels_first by way of shared memory: the tile, or a
// part of it, is staged transposed, a row for each channel. A thread stores
// pieces of neighbouring positions, 16 bytes or as many as are neighbours in
// memory wherever they begin, and the lanes of a warp pieces beside each other.
// So a warp writes whole sectors, but for the ends of images, where a piece is
// one element; and every other element of them, in phases of a stride of two.
// Each thread stays at its positions, where it divides once, and goes from
// channel to channel, which are a constant apart.
//
// Sectors that are written in part take the L2 cache longer than whole ones.
// So images of an odd number of positions that lie in the staged part with all
// their positions leave in the order of memory, whose channels follow each
// other without a gap: four bytes a lane. Pieces are for the images that begin
// or end outside of the part.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_EPILOGUE_CHANNELROWS_H
#define CONV_LIB_TRANSFORMS_EPILOGUE_CHANNELROWS_H

#include "Support/ViewAddressing.h"
#include "TensorCores/TileDistribution.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Geometry/SharedTile.h"

namespace mlir::conv {

class ChannelRows {
public:
  /// So many rows and columns of the tile are staged at a time. The operations
  /// are created before `op`.
  ChannelRows(ScatterOp op, TileDistribution &distribution, int64_t rows,
              int64_t columns);

  /// Columns of the result's tile, by rows of it.
  const convmlir::SharedTile &getTile() const { return tile; }

  /// What a thread holds of the staged part. `thread` is where its fragments
  /// begin, `firstRow` and `firstColumn` where the part does, as `thread`
  /// counts.
  void write(OpBuilder &builder, Value buffer, FragmentLayout::Origin thread,
             int64_t firstRow, int64_t firstColumn);
  /// Its share of the stores. `firstRow` and `firstColumn` are where the part
  /// begins in the tile.
  void store(OpBuilder &builder, Value buffer, Value flatDest, Value thread,
             int64_t numThreads, Value firstRow, int64_t firstColumn);

  /// The same where `odd` has a tile of the odd columns of lines, `even` that
  /// of the even ones, and `op` is in the phase of the former. `run` positions
  /// of both are one store (ChannelPairs.cpp).
  void storePairs(OpBuilder &builder, int64_t run, Value even, Value odd,
                  Value flatDest, Value thread, int64_t numThreads,
                  Value firstRow);

private:
  /// Images that lie in the staged rows with all their positions: rows from
  /// `first` on, `number` of them. None where the number is null.
  struct WholeImages {
    int64_t positions = 0;
    Value first, number;
  };
  WholeImages findWholeImages(IndexMath &math, Value firstRow);
  void storeImages(IndexMath &math, const WholeImages &images, Value buffer,
                   Value flatDest, Value thread, int64_t numThreads,
                   Value firstRow, int64_t firstColumn);
  void storeImage(IndexMath &math, Value imageRow, int64_t positions,
                  Value buffer, Value flatDest, Value thread,
                  int64_t numThreads, Value firstRow, int64_t firstColumn);
  /// With zero_fill, in words of `length` elements (ChannelCells.cpp).
  void storeCells(IndexMath &math, int64_t length, Value buffer, Value flatDest,
                  Value thread, int64_t numThreads, Value firstRow,
                  int64_t firstColumn);
  void writeMatrices(OpBuilder &builder, Value buffer,
                     FragmentLayout::Origin thread, int64_t firstRow,
                     int64_t firstColumn);
  bool isStaged(int64_t row, int64_t column) const {
    return row >= 0 && row < tile.getColumns() && column >= 0 &&
           column < tile.getRows();
  }

  ScatterOp op;
  TileDistribution &distribution;
  Type elementType;
  convmlir::SharedTile tile;
  ViewAddressing view;
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_EPILOGUE_CHANNELROWS_H
