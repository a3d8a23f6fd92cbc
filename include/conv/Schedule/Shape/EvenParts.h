//===- EvenParts.h - tiles in even parts ------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// R tiles, fewer than the W workgroups that make them, divided along gemm-k so
// that each workgroup has the same share. p = W / R workgroups have a part of
// one tile each, for each tile. The W - p R that are left, the fillers, have
// the last blocks of gemm-k of all tiles, one tile after the other:
//
//   tile 0   [ part 0 ][ part 1 ]...[ part p - 1 ][ filler 0    ]
//   tile 1   [ part 0 ][ part 1 ]...[ part p - 1 ][ 0 ][ filler 1 ]
//   ...       -> gemm-k
//
// A share for each workgroup is what stream-K has (Osama et al., Stream-K:
// Work-centric Parallel Decomposition for Dense Matrix-Matrix Multiplication on
// the GPU, 2023). There a part begins wherever the one before ends. Here parts
// of all tiles begin at the same blocks, so that those that run at the same
// time read the same blocks of the operands, which come from memory once.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_SHAPE_EVENPARTS_H
#define CONV_SCHEDULE_SHAPE_EVENPARTS_H

#include <cstdint>
#include <string>

namespace mlir::conv {

/// How `workgroups` divide `tiles`, each of `blocks` blocks of gemm-k.
struct EvenParts {
  int64_t workgroups, tiles, blocks;

  /// Parts of a tile that are each all that a workgroup has.
  int64_t getParts() const { return workgroups / tiles; }
  int64_t getFillers() const { return workgroups % tiles; }

  /// Blocks of a tile that the fillers have, the last ones: of their share less
  /// what it takes to go on to another tile.
  int64_t getFilled() const;
  int64_t getFirstFilled() const { return blocks - getFilled(); }
  /// The same of all tiles, which are counted through tile by tile.
  int64_t getAllFilled() const { return tiles * getFilled(); }

  /// Tiles of which a filler has a part, at most.
  int64_t getMostItems() const;
  /// Fillers that have a part of one tile, at most.
  int64_t getMostFillersOfTile() const;

  /// Places for the sums of parts: part p of tile r has p * tiles + r, and
  /// behind these filler f has f + r. Some have no part.
  int64_t getSlots() const {
    return getParts() * tiles + getFillers() + tiles - 1;
  }

  /// Cycles of the workgroup with the most, by those of a block and of what
  /// comes behind the last one of a part.
  double getCycles(double block, double end) const;

  /// The fewest blocks of which fillers and parts have one at least; there are
  /// fillers.
  int64_t getLeastBlocks() const;

private:
  int64_t getBlocksBetween() const;
};

/// Why they cannot be divided so; empty where they can.
std::string whyNoEvenParts(const EvenParts &parts);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SHAPE_EVENPARTS_H
