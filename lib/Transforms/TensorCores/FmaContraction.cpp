//===- FmaContraction.cpp - contractions without tensor cores -------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `mma = fma`: `vector.contract` of two operand tiles in shared memory, of f32,
// which tensor cores would round. The accumulator lies as that of `mma.sync`: a
// thread has rows 8 apart and pairs of columns. For each k it adds the outer
// product of its rows of A and its columns of B, by fused multiply-adds in the
// order of k. The eight lanes with the same columns, or the four with the same
// rows, read the same words of shared memory, at once.
//
//===----------------------------------------------------------------------===//

#include "OperandTile.h"
#include "Support/TileChunks.h"
#include "TileDistribution.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::conv;

namespace {

/// Loads what a thread needs of one operand, for a run of k that is one 16-byte
/// chunk of a K-major tile.
class FactorLoader {
public:
  FactorLoader(Location loc, const OperandTile &operand,
               TileDistribution &distribution);
  /// The rows of A or columns of B for element `k + i`, i < getRun(), as
  /// scalars: those of a block one after the other.
  SmallVector<SmallVector<Value>> load(OpBuilder &builder, int64_t k);

  static int64_t getRun() { return convmlir::kChunkBytes / sizeof(float); }

private:
  /// Elements from (mn + the lane's row, k) on, along the contiguous dimension.
  SmallVector<Value> loadVector(OpBuilder &builder, Value laneMN, int64_t mn,
                                int64_t k, int64_t elements);

  Location loc;
  const OperandTile &operand;
  const FragmentLayout &layout;
  Value flat;
  /// Of the thread's first rows, or columns: neighbouring columns are permuted
  /// differently.
  SmallVector<Value> lanes;
  Value zero;
  std::optional<OperandPositions> positions;
};

} // namespace

FactorLoader::FactorLoader(Location loc, const OperandTile &operand,
                           TileDistribution &distribution)
    : loc(loc), operand(operand), layout(distribution.layout),
      flat(getFlatView(operand.memref)) {
  OpBuilder entry(loc.getContext());
  setInsertionPointAfter(entry, distribution.thread);
  IndexMath math(entry, loc);
  Value first = layout.getFactorRow(math, distribution.thread, operand.operand);
  zero = math.constant(0);
  lanes.push_back(first);
  if (operand.operand == Operand::B && operand.major == Major::K)
    for (int64_t j = 1; j < FragmentLayout::kHeldN; ++j)
      lanes.push_back(math.add(first, j));
  positions.emplace(loc, operand, entry);
}

SmallVector<Value> FactorLoader::loadVector(OpBuilder &builder, Value laneMN,
                                            int64_t mn, int64_t k,
                                            int64_t elements) {
  Value index = positions->get(builder, laneMN, mn, zero, k);
  Type element = cast<MemRefType>(flat.getType()).getElementType();
  auto type = VectorType::get(elements, element);
  Value loaded = vector::LoadOp::create(
      builder, loc, type, flat, index, /*nontemporal=*/false,
      llvm::MaybeAlign(elements * sizeof(float)));
  SmallVector<Value> result;
  for (int64_t i = 0; i < elements; ++i)
    result.push_back(vector::ExtractOp::create(builder, loc, loaded, i));
  return result;
}

SmallVector<SmallVector<Value>> FactorLoader::load(OpBuilder &builder,
                                                   int64_t k) {
  bool isA = operand.operand == Operand::A;
  // Starts of the thread's rows, or of its runs of columns.
  SmallVector<int64_t> starts;
  for (int64_t b = 0; b < (isA ? layout.getBlocksM() : layout.getBlocksN());
       ++b) {
    if (!isA) {
      starts.push_back(b * FragmentLayout::kBlockN);
      continue;
    }
    for (int64_t i = 0; i < FragmentLayout::kHeldM; ++i)
      starts.push_back(layout.getRowOffset(b, i));
  }

  SmallVector<SmallVector<Value>> result(getRun());
  if (operand.major == Major::K) {
    for (int64_t start : starts)
      for (Value lane : lanes)
        for (auto [i, value] :
             llvm::enumerate(loadVector(builder, lane, start, k, getRun())))
          result[i].push_back(value);
    return result;
  }
  int64_t neighbours = isA ? 1 : FragmentLayout::kHeldN;
  for (int64_t i = 0; i < getRun(); ++i)
    for (int64_t start : starts)
      llvm::append_range(result[i], loadVector(builder, lanes.front(), start,
                                               k + i, neighbours));
  return result;
}

/// The accumulators as scalars, by row and column of what the thread has.
static SmallVector<SmallVector<Value>> unpack(OpBuilder &builder, Location loc,
                                              const FragmentLayout &layout,
                                              ArrayRef<Value> blocks) {
  SmallVector<SmallVector<Value>> sums;
  for (int64_t m = 0; m < layout.getBlocksM(); ++m)
    for (int64_t i = 0; i < FragmentLayout::kHeldM; ++i) {
      SmallVector<Value> &row = sums.emplace_back();
      for (int64_t n = 0; n < layout.getBlocksN(); ++n)
        for (int64_t j = 0; j < FragmentLayout::kHeldN; ++j)
          row.push_back(vector::ExtractOp::create(builder, loc,
                                                  blocks[layout.getBlock(m, n)],
                                                  ArrayRef<int64_t>{i, j}));
    }
  return sums;
}

static SmallVector<Value> pack(OpBuilder &builder, Location loc,
                               const FragmentLayout &layout,
                               ArrayRef<SmallVector<Value>> sums) {
  SmallVector<Value> blocks;
  VectorType type = layout.getBlockType(sums.front().front().getType());
  for (int64_t m = 0; m < layout.getBlocksM(); ++m)
    for (int64_t n = 0; n < layout.getBlocksN(); ++n) {
      SmallVector<Value> elements;
      for (int64_t i = 0; i < FragmentLayout::kHeldM; ++i)
        for (int64_t j = 0; j < FragmentLayout::kHeldN; ++j)
          elements.push_back(sums[m * FragmentLayout::kHeldM + i]
                                 [n * FragmentLayout::kHeldN + j]);
      blocks.push_back(
          vector::FromElementsOp::create(builder, loc, type, elements));
    }
  return blocks;
}

LogicalResult mlir::conv::distributeFma(vector::ContractionOp op,
                                        TileDistribution &distribution) {
  FailureOr<std::pair<OperandTile, OperandTile>> operands =
      getOperandTiles(op, /*hasProducer=*/false);
  if (failed(operands))
    return failure();
  const auto &[a, b] = *operands;
  if (!a.factor.isF32())
    return op.emitOpError()
           << "mma = fma is for f32 operands, not for " << a.factor;
  if (failed(verifyContract(op, a, b, distribution, a.factor,
                            FactorLoader::getRun())))
    return failure();

  const FragmentLayout &layout = distribution.layout;
  Location loc = op.getLoc();
  OpBuilder builder(op);
  FactorLoader loadA(loc, a, distribution), loadB(loc, b, distribution);
  SmallVector<SmallVector<Value>> sums =
      unpack(builder, loc, layout, distribution.getFragments(op.getAcc()));
  for (int64_t k = 0; k < a.getExtentK(); k += FactorLoader::getRun()) {
    SmallVector<SmallVector<Value>> rows = loadA.load(builder, k);
    SmallVector<SmallVector<Value>> columns = loadB.load(builder, k);
    for (auto [ofA, ofB] : llvm::zip_equal(rows, columns))
      for (auto [row, sumsOfRow] : llvm::zip_equal(ofA, sums))
        for (auto [column, sum] : llvm::zip_equal(ofB, sumsOfRow))
          sum = math::FmaOp::create(builder, loc, row, column, sum);
  }
  distribution.setFragments(op.getResult(), pack(builder, loc, layout, sums));
  return success();
}
