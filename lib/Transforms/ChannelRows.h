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
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_CHANNELROWS_H
#define CONV_LIB_TRANSFORMS_CHANNELROWS_H

#include "TileDistribution.h"
#include "ViewAddressing.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Transforms/SharedTile.h"

namespace mlir::conv {

class ChannelRows {
public:
  /// So many rows and columns of the tile are staged at a time. The operations
  /// are created before `op`.
  ChannelRows(ScatterOp op, TileDistribution &distribution, int64_t rows,
              int64_t columns);

  /// Columns of the result's tile, by rows of it.
  const convmlir::SharedTile &getTile() const { return tile; }
  bool isPossible() const;

  /// What a thread holds of the staged part. `thread` is where its fragments
  /// begin, `firstRow` and `firstColumn` where the part does, as `thread`
  /// counts.
  void write(OpBuilder &builder, Value buffer, FragmentLayout::Origin thread,
             int64_t firstRow, int64_t firstColumn);
  /// Its share of the stores. `firstRow` and `firstColumn` are where the part
  /// begins in the tile.
  void store(OpBuilder &builder, Value buffer, Value flatDest, Value thread,
             int64_t numThreads, Value firstRow, int64_t firstColumn);

private:
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

#endif // CONV_LIB_TRANSFORMS_CHANNELROWS_H
