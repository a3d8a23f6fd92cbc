//===- UnalignedRows.h - results that TMA cannot store ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of a result whose channels are no multiple of 16 bytes begin anywhere
// between two of these. What a warpgroup has staged of them leaves in the
// chunks of 16 bytes that memory has: a thread reads the two staged chunks that
// one of them overlaps, shifts their words into its place, and stores it. So a
// warp writes whole sectors. Only the first and the last chunk of a row, which
// neighbours share, are written in pieces, as wide as all rows are aligned.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_EPILOGUE_UNALIGNEDROWS_H
#define CONV_LIB_TRANSFORMS_EPILOGUE_UNALIGNEDROWS_H

#include "Support/ViewAddressing.h"
#include "TensorCores/TileDistribution.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Geometry/SharedTile.h"
#include "conv/Schedule/Shape/Accesses.h"

namespace mlir::conv {

class UnalignedRows {
public:
  /// `part` is what is staged at a time. The operations are created before
  /// `op`.
  UnalignedRows(ScatterOp op, TileDistribution &distribution,
                const convmlir::PanelTile &part);

  /// Channels of a group of the tensor: the longest row.
  static int64_t getGroupChannels(ScatterOp op);

  /// The thread's share of the stores. `staged` is the part seen as one row;
  /// `firstRow` and `firstColumn` are where it begins in the tile.
  void store(OpBuilder &builder, Value staged, Value flatDest, Value thread,
             int64_t numThreads, Value firstRow, Value firstColumn);

private:
  /// A row of the part.
  struct Row {
    Value number;  ///< Within the part.
    Value element; ///< Of the tensor, where it begins.
    Value shift;   ///< Bytes behind a multiple of 16 there, i32.
  };
  SmallVector<Value> loadStaged(IndexMath &math, Value row, Value chunk);
  SmallVector<Value> loadShifted(IndexMath &math, const Row &row, Value number);
  Value countColumns(IndexMath &math, Value firstColumn);
  void storeChunk(IndexMath &math, const Row &row, Value number,
                  ArrayRef<Value> words);

  int64_t getChunkElements() const {
    return convmlir::kChunkBytes / elementBytes;
  }
  /// Chunks of memory that a row of the part can overlap.
  int64_t getMostChunks() const {
    return part.getColumns() / getChunkElements() + 1;
  }
  /// Elements that rows are aligned to, at most a chunk.
  int64_t getUnit() const;

  ScatterOp op;
  Type elementType;
  int64_t elementBytes;
  convmlir::PanelTile part;
  ViewAddressing view;
  ViewAddressing::Origin origin;
  Value staged, flatDest;
  Value columns; ///< Of the part that exist.
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_EPILOGUE_UNALIGNEDROWS_H
