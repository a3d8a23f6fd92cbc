//===- TileGather.h - a thread's part of a transposed tile ------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *line* of a tile is a position, 16 bytes of it a *chunk* of channels. The
// tensor has the positions of a channel next to each other. So lanes have
// neighbouring lines, and a thread loads all channels of a chunk, one by one,
// from its own line, or from two lines at once where these are aligned
// neighbours in memory. Then it has whole chunks, which it stores where the
// swizzle wants them.
//
// What bounds the rate is the number of loads on their way, each of which holds
// a register. So many as the kernel's plan says come before the first store.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_COPIES_TILEGATHER_H
#define CONV_LIB_TRANSFORMS_COPIES_TILEGATHER_H

#include "Support/IndexMath.h"
#include "conv/Geometry/SharedTile.h"

namespace mlir::conv {

/// Warps of the producer that copy a tile together, and a thread's index in the
/// workgroup.
struct GatheringTeam {
  int64_t warps;
  Value thread;
};

/// Lines that a thread reads at once, of the channel at which the tile begins.
struct GatheredLines {
  Value element; ///< Linear index in the tensor, of the first.
  Value inside;  ///< Null: always.
  Value line;    ///< The first of them is this line of the tile,
  int64_t below; ///< or so many further: a multiple of eight.
  /// Where the tile may have one of two lines only: whether it has each.
  SmallVector<Value, 2> exist = {};
};

/// How the producer's threads divide a tile, and a thread's part of it.
class TileGather {
public:
  /// Lines that a load reads at most: what one register holds.
  static constexpr int64_t kMostRun = 2;

  /// `units` times `run` lines, with so many loads on their way. What the
  /// thread's index says is computed at the builder.
  TileGather(IndexMath &math, const convmlir::PanelTile &tile, int64_t units,
             int64_t run, const GatheringTeam &team, int64_t mostLoads);

  /// Sets of `run` lines that a thread has.
  int64_t getNumSets() const { return numSets; }
  /// The thread's unit in its first set, and how much further that of another
  /// set is.
  Value getFirstUnit() const { return firstUnit; }
  int64_t getUnitsBelow(int64_t set) const { return set * unitThreads; }
  /// Whether there is the unit of a set; null: always.
  Value hasUnit(IndexMath &math, int64_t set) const;

  /// What a copy reads and writes, seen as rows of elements.
  struct Copy {
    Value source, dest;
    int64_t pitch;       ///< Elements between two channels.
    Value channel;       ///< At which the tile begins.
    int64_t channels;    ///< Of the tensor.
    bool channelsTested; ///< The tile may reach past them.
    SmallVector<GatheredLines> sets;
  };
  /// Loads that come before all stores stand at `early`, all else at `late`.
  void emit(IndexMath &early, IndexMath &late, const Copy &copy) const;

private:
  /// A chunk of each line of a set.
  struct Part {
    int64_t set, chunk;
    SmallVector<Value> loaded;
  };
  Value isValid(IndexMath &math, const Copy &copy, const Part &part) const;
  void load(IndexMath &math, const Copy &copy, Part &part) const;
  /// What a thread stores, and where.
  struct Stored {
    Value words, element;
  };
  SmallVector<Stored> pack(IndexMath &math, const Copy &copy,
                           const Part &part) const;
  void store(IndexMath &math, const Copy &copy, const Part &part,
             SmallVector<Stored> &first) const;
  Value getChunk(IndexMath &math, int64_t chunk) const;
  Value hasChunk(IndexMath &math, int64_t chunk) const;
  Value getShared(IndexMath &math, Value line, int64_t below,
                  Value chunk) const;
  int64_t getChunksPerLine() const { return tile.getColumns() / perChunk; }

  convmlir::PanelTile tile;
  int64_t units, run, perChunk;
  int64_t mostLoads;                 ///< On their way.
  int64_t unitThreads, chunkThreads; ///< Side by side.
  int64_t numSets, numChunks;        ///< Of a thread.
  Value firstUnit, firstChunk;       ///< The latter null where it is 0.
  Value isOdd;                       ///< Stores the second line first.
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_COPIES_TILEGATHER_H
