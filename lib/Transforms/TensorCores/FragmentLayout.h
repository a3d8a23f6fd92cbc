//===- FragmentLayout.h - who holds which part of a tile --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that knows how a workgroup's gemm-m x gemm-n tile is spread
// over warps, lanes and registers, and how `ldmatrix` brings operands into the
// form that the matrix instruction wants (PTX ISA, "Matrix Fragments for
// mma.m16n8k16").
//
// Warps tile the workgroup's tile, warp w at row w / warpsN, column w % warpsN.
// A warp's part is cut into blocks of 16x8; a thread holds of each block the
// elements (i, j), i, j < 2, at
//
//   row lane / 4 + 8 i,   column 2 (lane % 4) + j
//
// as one vector<2x2xT>. Four warps of a warpgroup that multiply together
// (`wgmma`, PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk16") have 16
// rows each of every 64: a warp's blocks along gemm-m are 64 rows apart. All
// positions are a sum of the thread's origin, which is arithmetic, and an
// offset that is a constant of the block and register.
//
// Where the schedule swaps the operands of `wgmma` (SwappedOperands.h), blocks
// are of the instruction's accumulators, which are transposed: 16 filters by 8
// lines of positions in shared memory. A thread's elements (i, j) of each are
//
//   column (filter) lane / 4 + 8 i,   line 2 (lane % 4) + j
//
// Lines may have padding between the rows of an image (PositionRows).
//
// A tile may have columns of several taps (wgrad, where taps share a window):
// rows x taps x columns. Its taps are side by side along gemm-n, and a
// warpgroup has whole taps.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_TENSORCORES_FRAGMENTLAYOUT_H
#define CONV_LIB_TRANSFORMS_TENSORCORES_FRAGMENTLAYOUT_H

#include "Support/IndexMath.h"
#include "conv/Dialect/Conv/IR/ConvDialect.h"
#include "conv/Schedule/Shape/FragmentShape.h"

namespace mlir::conv {

/// Where positions of a tile, lines of shared memory, come in rows: `width`
/// lines, of which the first ones are `pitch` lines apart. Without rows, all
/// follow each other.
struct PositionRows {
  int64_t width = 0, pitch = 0;
};

class FragmentLayout : public FragmentShape {
public:
  /// Rows of the matrices that `ldmatrix` moves, and their columns of 16-bit
  /// elements.
  static constexpr int64_t kMatrix = 8;

  /// `tapColumns`: those of one tap, where the tile has several; 0 where it has
  /// one. `rows`: of positions that are the instruction's columns.
  explicit FragmentLayout(ScheduleAttr schedule, int64_t tapColumns = 0,
                          PositionRows rows = {});

  /// A reason why this schedule's tile cannot be divided so; empty if it can.
  static std::string checkSchedule(ScheduleAttr schedule);

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  int64_t getTileM() const { return tileM; }
  int64_t getTileN() const { return tileN; }
  /// Blocks of a warp: along gemm-m and gemm-n, or, of a transposed
  /// accumulator, along its rows and columns.
  int64_t getBlocksM() const {
    return isSwapped() ? warpN / kBlockM : warpM / kBlockM;
  }
  int64_t getBlocksN() const {
    return isSwapped() ? getLines() / kBlockN : warpN / kBlockN;
  }
  int64_t getNumBlocks() const { return getBlocksM() * getBlocksN(); }
  /// Blocks are numbered with gemm-n innermost.
  int64_t getBlock(int64_t blockM, int64_t blockN) const {
    return blockM * getBlocksN() + blockN;
  }
  /// Whether the tile has several taps, and how many columns one has: all of
  /// the tile's where not.
  bool hasTaps() const { return tapColumns != tileN; }
  int64_t getTapColumns() const { return tapColumns; }
  /// Taps that a thread has columns of.
  int64_t getNumTaps() const { return hasTaps() ? warpN / tapColumns : 1; }
  /// Blocks along gemm-n that differ in their column; taps repeat them.
  int64_t getBlocksOfColumns() const {
    return isSwapped() ? getBlocksM()
           : hasTaps() ? tapColumns / kBlockN
                       : getBlocksN();
  }

  /// Whether four warps multiply together, and their rows and columns of the
  /// tile.
  bool usesWarpgroups() const { return blockDistanceM != kBlockM; }
  int64_t getWarpgroupM() const { return isSwapped() ? warpM : 4 * warpM; }
  int64_t getWarpgroupN() const { return isSwapped() ? 4 * warpN : warpN; }
  /// Warpgroups beside each other along gemm-n.
  int64_t getWarpgroupsN() const { return tileN / getWarpgroupN(); }

  /// Whether the operands are swapped, and of a warpgroup then: its lines of
  /// positions, those between two rows and a last few among them, and the
  /// distance of its first line from that of the warpgroup before.
  bool isSwapped() const { return swapped; }
  int64_t getLines() const;
  int64_t getLineDistance() const;
  const PositionRows &getPositionRows() const { return rows; }
  /// The position that is `line` lines from the warpgroup's first one, counted
  /// from that, and whether it is one; null: always.
  struct Position {
    Value position, exists;
  };
  Position getPosition(IndexMath &math, Value line) const;
  /// Columns between two blocks along gemm-n, and the second half of one.
  int64_t getFilterOffset(int64_t blockM, int64_t held) const {
    return blockM * 4 * kBlockM + held * kHeldStepM;
  }

  /// What a thread holds of a block of the tile, of eight columns of a row.
  VectorType getBlockType(Type element) const {
    return VectorType::get({kHeldM, kHeldN}, element);
  }
  VectorType getColumnsType(Type element) const {
    return VectorType::get(kHeldN, element);
  }

  /// Position in the tile of the first element that a thread holds.
  struct Origin {
    Value row, column;
    Value tap; ///< The first that the thread has columns of.
  };
  Origin getOrigin(IndexMath &math, Value thread) const;
  /// Constant distances of a thread's other elements from its origin.
  int64_t getRowOffset(int64_t blockM, int64_t held) const {
    return blockM * blockDistanceM + held * kHeldStepM;
  }
  int64_t getColumnOffset(int64_t blockN) const {
    return blockN * kBlockN % tapColumns;
  }
  int64_t getTapOffset(int64_t blockN) const {
    return blockN * kBlockN / tapColumns;
  }

  //===--------------------------------------------------------------------===//
  // Operands
  //===--------------------------------------------------------------------===//

  /// Where a lane points `ldmatrix` of four matrices of 8 rows of 16 bytes to.
  /// For A they cover 16 rows and 32 bytes of gemm-k, for B 16 columns and 32
  /// bytes: two blocks.
  struct OperandOrigin {
    Value row;   ///< Row of the stored tile.
    Value chunk; ///< 16 bytes of the stored row.
  };
  OperandOrigin getOperandOrigin(IndexMath &math, Value thread, Operand operand,
                                 Major major) const;

  /// The first row of A or column of B that a lane 4g + t holds for a matrix
  /// instruction, and the word t of gemm-k (MmaShape.h).
  struct Lane {
    Value row, k;
  };
  Lane getLane(IndexMath &math, Value thread, Operand operand) const;
  /// The first row of A or column of B of the thread's warp.
  Value getWarpStart(IndexMath &math, Value thread, Operand operand) const;
  /// The first row of A or column of B that enters the sums which a thread
  /// holds of a block: those of rows `kHeldStepM` apart, of `kHeldN`
  /// neighbouring columns.
  Value getFactorRow(IndexMath &math, Value thread, Operand operand) const;

private:
  Origin getSwappedOrigin(IndexMath &math, Value thread) const;
  Value getWarpRow(IndexMath &math, Value thread) const;
  Value getWarpColumn(IndexMath &math, Value thread) const;

  int64_t tileM, tileN, tapColumns, warpsN, warpM, warpN;
  bool swapped;
  PositionRows rows;
  int64_t blockDistanceM; ///< Rows between a warp's blocks along gemm-m.
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_TENSORCORES_FRAGMENTLAYOUT_H
