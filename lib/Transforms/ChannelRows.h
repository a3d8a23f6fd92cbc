//===- ChannelRows.h - results with their channels first --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `conv.scatter` with channels_first by way of shared memory: the tile, or some
// of its rows, is staged transposed, a row for each channel, whence each thread
// stores 16 bytes of neighbouring positions at a time.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_CHANNELROWS_H
#define CONV_LIB_TRANSFORMS_CHANNELROWS_H

#include "TileChunks.h"
#include "TileDistribution.h"
#include "ViewAddressing.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"

namespace mlir::conv {

class ChannelRows {
public:
  /// `rows` of the tile are staged at a time. The operations are created before
  /// `op`.
  ChannelRows(ScatterOp op, TileDistribution &distribution, int64_t rows);

  /// Columns of the result's tile, by rows of it.
  const convmlir::SharedTile &getTile() const { return tile; }
  bool isPossible() const;

  /// What a thread holds of the staged rows. `thread` is where its fragments
  /// begin, `firstRow` the first row that is staged, both as `thread` counts.
  void write(OpBuilder &builder, Value buffer, FragmentLayout::Origin thread,
             int64_t firstRow);
  /// Its share of the stores. `firstRow` is the first row of the tile that is
  /// staged.
  void store(OpBuilder &builder, Value buffer, Value flatDest, Value thread,
             int64_t numThreads, Value firstRow);

private:
  void writeMatrices(OpBuilder &builder, Value buffer,
                     FragmentLayout::Origin thread, int64_t firstRow);
  void storeChunk(OpBuilder &builder, Value buffer, Value flatDest,
                  const TileChunk &chunk, const ViewAddressing::Origin &origin,
                  Value firstRow);

  ScatterOp op;
  TileDistribution &distribution;
  Type elementType;
  convmlir::SharedTile tile;
  ViewAddressing view;
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_CHANNELROWS_H
