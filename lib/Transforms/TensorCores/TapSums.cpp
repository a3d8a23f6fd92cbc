//===- TapSums.cpp - sums of taps along a line, on fragments --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: `conv.add_taps` of a tile whose rows are filters and whose columns are
// positions. Output: additions of what a thread holds, and of what it gets from
// its neighbours.
//
// Four lanes have the eight columns of a block, two each. Column p + shift of a
// row is in another block of the same lane, or of another one of the four,
// which sends it by a shuffle. A line is a number of whole blocks, and a tile
// begins with one, so that it is known here which blocks are past its end.
//
//===----------------------------------------------------------------------===//

#include "TileDistribution.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

namespace {

constexpr int64_t kHeldM = FragmentLayout::kHeldM,
                  kHeldN = FragmentLayout::kHeldN,
                  kBlockN = FragmentLayout::kBlockN;
constexpr int64_t kLanesPerRow = kBlockN / kHeldN;

/// Where a thread finds a column that is some columns from one of its own.
struct Neighbour {
  int64_t held;   ///< The element of those that its holder has of the block.
  int64_t blocks; ///< Blocks from the thread's to that of the first holders,
  int64_t lanes;  ///< which are so many lanes on; others have the next block.

  explicit Neighbour(int64_t columns) {
    held = llvm::mod(columns, kHeldN);
    int64_t holder = (columns - held) / kHeldN;
    lanes = llvm::mod(holder, kLanesPerRow);
    blocks = (holder - lanes) / kLanesPerRow;
  }
};

/// Adds the taps of a block of filters.
class TapAdder {
public:
  TapAdder(AddTapsOp op, TileDistribution &distribution)
      : op(op), layout(distribution.layout), builder(op), loc(op.getLoc()),
        math(builder, loc), sums(distribution.getFragments(op.getSource())),
        element(getElementTypeOrSelf(op.getType())),
        zero(arith::ConstantOp::create(builder, loc,
                                       builder.getZeroAttr(element))),
        lane(math.rem(distribution.thread, kLanesPerRow)) {}

  SmallVector<Value> add();

private:
  Value getHeld(int64_t tap, int64_t blockM, int64_t blockN, int64_t row,
                int64_t held);
  Value getShifted(int64_t tap, int64_t blockM, int64_t blockN, int64_t row,
                   const Neighbour &from);
  Value getSum(int64_t blockM, int64_t blockN, int64_t row, int64_t held);
  bool isInLine(int64_t blockN, int64_t of) {
    int64_t blocks = op.getLine() / kBlockN;
    return blockN >= 0 && blockN / blocks == of / blocks;
  }

  AddTapsOp op;
  const FragmentLayout &layout;
  OpBuilder builder;
  Location loc;
  IndexMath math;
  ArrayRef<Value> sums; ///< Block of filters, tap, block of columns.
  Type element;
  Value zero, lane; ///< Among those of a row.
};

} // namespace

Value TapAdder::getHeld(int64_t tap, int64_t blockM, int64_t blockN,
                        int64_t row, int64_t held) {
  int64_t block = (blockM * op.getNumTaps() + tap) * layout.getBlocksN();
  return vector::ExtractOp::create(builder, loc, sums[block + blockN],
                                   ArrayRef<int64_t>{row, held});
}

/// Null where no lane finds the column in the line of the block.
Value TapAdder::getShifted(int64_t tap, int64_t blockM, int64_t blockN,
                           int64_t row, const Neighbour &from) {
  int64_t first = blockN + from.blocks;
  auto get = [&](int64_t block) {
    return isInLine(block, blockN) ? getHeld(tap, blockM, block, row, from.held)
                                   : zero;
  };
  if (from.lanes == 0)
    return isInLine(first, blockN) ? get(first) : Value();
  if (!isInLine(first, blockN) && !isInLine(first + 1, blockN))
    return Value();
  // The lanes from `lanes` on are asked for the first block.
  Value isNext = math.isBelow(lane, from.lanes);
  Value sent = math.select(isNext, get(first + 1), get(first));
  // Lane l of a row asks l + lanes, modulo its lanes: PTX ISA, "shfl.sync",
  // with segments of so many.
  Value holder = math.toInt32(math.add(lane, from.lanes));
  constexpr int64_t segments = (kWarpSize - kLanesPerRow) << 8,
                    clamp = kWarpSize - 1;
  return NVVM::ShflOp::create(builder, loc, element, math.constant32(-1), sent,
                              holder, math.constant32(segments | clamp),
                              NVVM::ShflKind::idx, UnitAttr());
}

Value TapAdder::getSum(int64_t blockM, int64_t blockN, int64_t row,
                       int64_t held) {
  Value sum;
  for (auto [tap, shift] : llvm::enumerate(op.getShifts())) {
    Value addend =
        getShifted(tap, blockM, blockN, row, Neighbour(held + shift));
    if (addend)
      sum = sum ? arith::AddFOp::create(builder, loc, sum, addend).getResult()
                : addend;
  }
  return sum ? sum : zero;
}

SmallVector<Value> TapAdder::add() {
  SmallVector<Value> result;
  for (int64_t m = 0; m < layout.getBlocksM(); ++m)
    for (int64_t n = 0; n < layout.getBlocksN(); ++n) {
      SmallVector<Value> held;
      for (int64_t row = 0; row < kHeldM; ++row)
        for (int64_t i = 0; i < kHeldN; ++i)
          held.push_back(getSum(m, n, row, i));
      result.push_back(vector::FromElementsOp::create(
          builder, loc, layout.getBlockType(element), held));
    }
  return result;
}

LogicalResult mlir::conv::distributeAddTaps(AddTapsOp op,
                                            TileDistribution &distribution) {
  const FragmentLayout &layout = distribution.layout;
  auto type = cast<VectorType>(op.getType());
  if (!distribution.usesWarpgroups() || layout.isSwapped() ||
      !isa<FloatType>(type.getElementType()) || op.getLine() % kBlockN != 0 ||
      distribution.getKind(type) != TileKind::Block ||
      distribution.getKind(op.getSource().getType()) != TileKind::TapSums)
    return op.emitOpError(
        "must add floats of a tile whose rows warpgroups multiply, in lines of "
        "a multiple of eight positions");
  distribution.setFragments(op, TapAdder(op, distribution).add());
  return success();
}
