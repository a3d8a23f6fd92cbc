//===- OperandTile.h - operands in shared memory ----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the contractions of warps know of an operand's tile in shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_TENSORCORES_OPERANDTILE_H
#define CONV_LIB_TRANSFORMS_TENSORCORES_OPERANDTILE_H

#include "FragmentLayout.h"
#include "conv/Geometry/SharedTile.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/DenseMap.h"

#include <utility>

namespace mlir::conv {

struct TileDistribution;

/// One operand of a contraction.
struct OperandTile {
  Operand operand;
  Major major;
  Value memref;
  Type factor; ///< Of the elements as they are multiplied.
  /// All of it; or, where TMA wrote it in panels (PanelTile), the first of
  /// them.
  convmlir::SharedTile tile;
  int64_t columns; ///< Of all panels.

  int64_t getExtentK() const {
    return major == Major::K ? columns : tile.getRows();
  }
  bool hasPanels() const { return columns != tile.getColumns(); }
};

/// Operands A and B, in panels where a producer loads them. An error on `op`
/// where one is no tile that warps can read.
FailureOr<std::pair<OperandTile, OperandTile>>
getOperandTiles(vector::ContractionOp op, bool hasProducer);

/// An error on `op` where these operands and the result do not fit each other,
/// or gemm-k is no multiple of `stepK`.
LogicalResult verifyContract(vector::ContractionOp op, const OperandTile &a,
                             const OperandTile &b,
                             const TileDistribution &distribution, Type sum,
                             int64_t stepK);

/// Indices in an operand's tile, seen as one row of elements. A position is the
/// sum of what a lane adds, which is computed at the kernel's start, and of
/// constants. Those that only move by whole periods of the swizzle share their
/// arithmetic.
class OperandPositions {
public:
  /// `entry` is where what lanes add is known.
  OperandPositions(Location loc, const OperandTile &operand, OpBuilder entry);

  /// Of element (mn + laneMN, k + laneK).
  Value get(OpBuilder &builder, Value laneMN, int64_t mn, Value laneK,
            int64_t k);

private:
  Location loc;
  bool isKMajor, hasPanels;
  convmlir::SharedTile tile;
  OpBuilder entry;
  /// By lane's part of the row and column, and what a constant leaves of them
  /// within one period.
  llvm::DenseMap<
      std::pair<std::pair<Value, Value>, std::pair<int64_t, int64_t>>, Value>
      known;
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_TENSORCORES_OPERANDTILE_H
