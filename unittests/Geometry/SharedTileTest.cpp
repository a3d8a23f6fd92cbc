//===- SharedTileTest.cpp - bank conflicts of shared tiles ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Geometry/SharedTile.h"

#include <gtest/gtest.h>

#include <set>

using convmlir::SharedTile;

/// Chunks that shared memory serves at once.
static constexpr int64_t kChunksPerLine = 8;

/// Where in a line of 128 bytes the chunk lies: two that agree collide.
static int64_t bankGroup(const SharedTile &tile, int64_t row, int64_t chunk) {
  return (row * tile.getChunksPerRow() + tile.getPosition(row, chunk)) %
         kChunksPerLine;
}

TEST(SharedTile, ChunksStayInTheirRow) {
  for (int64_t chunks = 1; chunks <= 32; ++chunks) {
    SharedTile tile(64, chunks * 8, 2);
    for (int64_t row = 0; row < tile.getRows(); ++row) {
      std::set<int64_t> positions;
      for (int64_t chunk = 0; chunk < chunks; ++chunk)
        positions.insert(tile.getPosition(row, chunk));
      EXPECT_EQ(int64_t(positions.size()), chunks);
      EXPECT_GE(*positions.begin(), 0);
      EXPECT_LT(*positions.rbegin(), chunks);
    }
  }
}

TEST(SharedTile, EightRowsOfAColumnDoNotCollide) {
  // Row lengths that are a power of two, or odd, in chunks.
  for (int64_t chunks : {1, 2, 3, 4, 5, 7, 8, 9, 16, 32}) {
    SharedTile tile(64, chunks * 8, 2);
    for (int64_t first = 0; first < 64; first += 8)
      for (int64_t chunk = 0; chunk < chunks; ++chunk) {
        std::set<int64_t> groups;
        for (int64_t row = first; row < first + 8; ++row)
          groups.insert(bankGroup(tile, row, chunk));
        EXPECT_EQ(groups.size(), 8u) << chunks << " chunks, row " << first;
      }
  }
}

TEST(SharedTile, ConsecutiveChunksDoNotCollide) {
  for (int64_t chunks : {1, 2, 4, 8, 16}) {
    SharedTile tile(64, chunks * 8, 2);
    for (int64_t first = 0; first < tile.getNumChunks(); first += 8) {
      std::set<int64_t> groups;
      for (int64_t i = first; i < first + 8; ++i)
        groups.insert(bankGroup(tile, i / chunks, i % chunks));
      EXPECT_EQ(groups.size(), 8u) << chunks << " chunks, from " << first;
    }
  }
}

TEST(SharedTile, PermutationRepeatsAfterEightRows) {
  for (int64_t chunks = 1; chunks <= 32; ++chunks) {
    SharedTile tile(64, chunks * 8, 2);
    for (int64_t row = 0; row + SharedTile::kSwizzlePeriod < 64; ++row)
      for (int64_t chunk = 0; chunk < chunks; ++chunk)
        EXPECT_EQ(tile.getPosition(row, chunk),
                  tile.getPosition(row + SharedTile::kSwizzlePeriod, chunk));
  }
}

TEST(SharedTile, EqualsTheHardwareSwizzles) {
  // 128B, 64B, 32B: address bits 4-6 are XORed with bits 7-9, of which the
  // narrower ones take fewer.
  for (int64_t chunks : {8, 4, 2}) {
    SharedTile tile(64, chunks * 8, 2);
    for (int64_t row = 0; row < 64; ++row)
      for (int64_t chunk = 0; chunk < chunks; ++chunk) {
        int64_t address = (row * chunks + chunk) * 16;
        int64_t swizzled = address ^ (((address >> 7) & (chunks - 1)) << 4);
        EXPECT_EQ((row * chunks + tile.getPosition(row, chunk)) * 16, swizzled);
      }
  }
}
