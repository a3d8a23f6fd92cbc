//===- RowSumLayout.h - who sums what of a tile ------------------*- C++
//-*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the warps that help a kernel share out a tile whose rows they sum, or its
// columns (LineSumLayout). A lane has a chunk of 16 bytes of columns, and one
// of several groups of rows: row r is in group r mod `rowGroups`, but for tiles
// of few chunks, where eight lanes that load together take rows four apart,
// which meet no bank twice. All lanes with the same chunk are in one warp, and
// add their sums by shuffles.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_SHAPE_ROWSUMLAYOUT_H
#define CONV_SCHEDULE_SHAPE_ROWSUMLAYOUT_H

#include "conv/Geometry/SharedTile.h"

#include <cstdint>
#include <optional>

namespace mlir::conv {

struct RowSumLayout {
  int64_t warps; ///< That have chunks.
  int64_t chunksPerWarp, rowGroups;

  /// Of a tile of `rows` rows in panels; nothing where chunks cannot be shared
  /// out evenly.
  static std::optional<RowSumLayout> get(int64_t rows, int64_t columns,
                                         int64_t elementBytes) {
    constexpr int64_t lanes = 32;
    constexpr int64_t period = convmlir::SharedTile::kSwizzlePeriod;
    int64_t bytes = columns * elementBytes;
    if (bytes % convmlir::PanelTile::kMaxSpanBytes != 0)
      return std::nullopt;
    int64_t chunks = bytes / convmlir::kChunkBytes;
    int64_t warps = chunks % 3 == 0 ? 3 : 2;
    int64_t each = chunks / warps;
    if (each > lanes || lanes % each != 0 || lanes / each > period ||
        rows % period != 0)
      return std::nullopt;
    return RowSumLayout{warps, each, lanes / each};
  }

  /// Loads of a lane that stand side by side, of a tile with so many rows.
  /// Their rows are whole periods of the permutation.
  int64_t getLoadsTogether(int64_t rows) const {
    int64_t loads = 4;
    while (rows % (loads * rowGroups) != 0)
      loads /= 2;
    return loads;
  }
};

/// Of a tile whose columns are summed: a lane has whole lines, 32 apart, and
/// kSums sums of each, of every kSums-th column. Eight lanes that load together
/// have the same chunk of neighbouring lines, which the swizzle tells apart.
struct LineSumLayout {
  static constexpr int64_t kSums = 4;

  int64_t warps; ///< That have lines.
  int64_t linesPerLane;

  /// Of a tile in panels; nothing where lines cannot be shared out evenly, or
  /// are more than a lane has registers for.
  static std::optional<LineSumLayout> get(int64_t lines, int64_t columns,
                                          int64_t elementBytes) {
    constexpr int64_t lanes = 32, mostLines = 4;
    if (!convmlir::PanelTile::isPossible(columns, elementBytes))
      return std::nullopt;
    int64_t warps = lines % (3 * lanes) == 0 ? 3 : 2;
    int64_t each = lines / (warps * lanes);
    if (lines % (warps * lanes) != 0 || each > mostLines)
      return std::nullopt;
    return LineSumLayout{warps, each};
  }
};

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SHAPE_ROWSUMLAYOUT_H
