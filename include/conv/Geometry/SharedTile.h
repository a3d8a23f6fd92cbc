//===- SharedTile.h - how operand tiles lie in shared memory ----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile in shared memory is a row-major matrix whose 16-byte chunks are
// permuted within their row. Shared memory has 32 banks of 4 bytes, so eight
// chunks of one 128-byte line are served at once, and two chunks collide when
// they have the same position within their lines. Without the permutation the
// eight rows that one phase of `ldmatrix` reads at the same column collide
// wherever the row's length is a multiple of 32 bytes.
//
// With rows of 32, 64 and 128 bytes the permutation is that of the 32B, 64B
// and 128B swizzles of TMA and wgmma for tiles that start at a multiple of
// 1024 bytes.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_GEOMETRY_SHAREDTILE_H
#define CONV_GEOMETRY_SHAREDTILE_H

#include <bit>
#include <cstdint>

namespace convmlir {

/// Bytes that one asynchronous copy or one row of an `ldmatrix` matrix moves.
inline constexpr int64_t kChunkBytes = 16;

/// A tile of `rows` x `columns` elements. A row must be whole chunks.
class SharedTile {
public:
  /// True where a tile of such rows can be laid out.
  static bool isPossible(int64_t columns, int64_t elementBytes) {
    return columns > 0 && (columns * elementBytes) % kChunkBytes == 0;
  }

  /// Without `isPermuted` chunks lie in their order, as instructions want them
  /// that know rows by their distance alone (`wmma`).
  SharedTile(int64_t rows, int64_t columns, int64_t elementBytes,
             bool isPermuted = true)
      : rows(rows), columns(columns), elementBytes(elementBytes),
        isPermuted(isPermuted) {}

  int64_t getRows() const { return rows; }
  int64_t getColumns() const { return columns; }
  int64_t getElementsPerChunk() const { return kChunkBytes / elementBytes; }
  int64_t getChunksPerRow() const { return columns / getElementsPerChunk(); }
  int64_t getNumChunks() const { return rows * getChunksPerRow(); }
  int64_t getBytes() const { return rows * columns * elementBytes; }

  /// Chunk c of row r lies at position c ^ ((r >> shift) & mask) of the row.
  /// Rows that differ by a multiple of kSwizzlePeriod are permuted alike.
  static constexpr int64_t kSwizzlePeriod = 8;
  int64_t getSwizzleMask() const { return getSpan() - 1; }
  int64_t getSwizzleShift() const {
    return std::countr_zero(uint64_t(kSwizzlePeriod / getSpan()));
  }
  int64_t getPosition(int64_t row, int64_t chunk) const {
    return chunk ^ ((row >> getSwizzleShift()) & getSwizzleMask());
  }

private:
  /// Chunks that are permuted among each other: a power of two that divides
  /// the chunks of a row, at most a line of 128 bytes.
  int64_t getSpan() const {
    if (!isPermuted)
      return 1;
    uint64_t chunks = getChunksPerRow();
    int64_t span = chunks & -chunks;
    return span < kSwizzlePeriod ? span : kSwizzlePeriod;
  }

  int64_t rows, columns, elementBytes;
  bool isPermuted;
};

/// A tile of `rows` x `columns` elements in panels: its columns are cut into
/// equal panels of 128 bytes, or of 64 or 32 where their number asks for it,
/// each a SharedTile of all rows, one after the other. One panel is what one
/// TMA box of `rows` x `getPanelColumns()` elements with a swizzle of
/// `getSpanBytes()` writes, and every panel begins at a multiple of 1024 bytes
/// if the tile does and `rows` is a multiple of 1024 / getSpanBytes().
///
/// Panels may be interleaved instead: a group of eight rows of each panel, then
/// the next rows of all. So one box has whole rows of the tile close together,
/// and rows are permuted as before.
class PanelTile {
public:
  static constexpr int64_t kMaxSpanBytes = 128, kMinSpanBytes = 32;

  /// True where rows divide into panels.
  static bool isPossible(int64_t columns, int64_t elementBytes) {
    int64_t bytes = columns * elementBytes;
    return bytes > 0 && bytes % kMinSpanBytes == 0;
  }

  /// The next number of columns that rows divide into panels with.
  static int64_t alignColumns(int64_t columns, int64_t elementBytes) {
    int64_t unit = kMinSpanBytes / elementBytes;
    return (columns + unit - 1) / unit * unit;
  }

  PanelTile(int64_t rows, int64_t columns, int64_t elementBytes)
      : rows(rows), columns(columns), elementBytes(elementBytes) {}

  int64_t getRows() const { return rows; }
  int64_t getColumns() const { return columns; }
  int64_t getBytes() const { return rows * columns * elementBytes; }
  /// Bytes of a row of a panel, the swizzle's span: the largest power of two
  /// that divides a row of the tile, at most 128.
  int64_t getSpanBytes() const {
    int64_t bytes = columns * elementBytes, span = bytes & -bytes;
    return span < kMaxSpanBytes ? span : kMaxSpanBytes;
  }
  int64_t getPanelColumns() const { return getSpanBytes() / elementBytes; }
  int64_t getNumPanels() const { return columns / getPanelColumns(); }
  int64_t getPanelBytes() const { return rows * getSpanBytes(); }
  int64_t getPanelElements() const { return rows * getPanelColumns(); }

  /// Rows of a group of interleaved panels.
  static constexpr int64_t kInterleavedRows = SharedTile::kSwizzlePeriod;
  /// Rows of panels before this one, where panels are interleaved.
  int64_t getInterleavedLine(int64_t row, int64_t panel) const {
    int64_t inGroup = row % kInterleavedRows;
    return (row - inGroup) * getNumPanels() + panel * kInterleavedRows +
           inGroup;
  }

private:
  int64_t rows, columns, elementBytes;
};

} // namespace convmlir

#endif // CONV_GEOMETRY_SHAREDTILE_H
