//===- StagedReads.cpp - tiles that have been loaded ahead ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The epilogue's reads of a tile that lies where the result is staged
// (LoadsAhead.cpp). A warp reads what it will write, by the same lanes, and the
// result follows from all that it has read: no barrier stands between.
//
//===----------------------------------------------------------------------===//

#include "StagedTile.h"
#include "Support/TileChunks.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
/// Reads the fragments of a tile that has been loaded.
class StagedReader {
public:
  StagedReader(Im2colOp op, ScatterOp scatter, TileDistribution &distribution)
      : op(op), layout(distribution.layout), builder(op), loc(op.getLoc()),
        math(builder, loc), tile(scatter, distribution),
        elementType(op.getSourceType().getElementType()),
        fragments(layout.getNumBlocks()),
        flat(getFlatView(distribution.getTileAhead(op)->staging)),
        thread(math.rem(distribution.thread, kWarpgroupSize)),
        lane(tile.getLane(math, thread)) {}

  SmallVector<Value> read();

private:
  void readMatrices(int64_t m, int64_t n);
  void readPairs(int64_t m, int64_t n);
  void readTransposed(int64_t m, int64_t n);
  void insert(int64_t m, int64_t n, int64_t i, Value held);

  Im2colOp op;
  const FragmentLayout &layout;
  OpBuilder builder;
  Location loc;
  IndexMath math;
  StagedTile tile;
  Type elementType;
  SmallVector<Value> fragments;
  Value flat, thread, lane;
};
} // namespace

/// The pair that a thread holds of row `i` of a block.
void StagedReader::insert(int64_t m, int64_t n, int64_t i, Value held) {
  Value &block = fragments[layout.getBlock(m, n)];
  if (!block)
    block = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(layout.getBlockType(elementType)));
  block = vector::InsertOp::create(builder, loc, held, block, i);
}

/// Two blocks beside each other, as `stmatrix` writes them.
void StagedReader::readMatrices(int64_t m, int64_t n) {
  constexpr int64_t matrices = 2 * FragmentLayout::kHeldM;
  auto type = VectorType::get({matrices, FragmentLayout::kHeldN}, elementType);
  Value loaded = nvgpu::LdMatrixOp::create(
      builder, loc, type, flat,
      tile.getElement(math, lane, layout.getRowOffset(m, 0),
                      layout.getColumnOffset(n)),
      /*transpose=*/false, matrices);
  for (int64_t i = 0; i < matrices; ++i)
    insert(m, n + i / FragmentLayout::kHeldM, i % FragmentLayout::kHeldM,
           vector::ExtractOp::create(builder, loc, loaded, i));
}

void StagedReader::readPairs(int64_t m, int64_t n) {
  VectorType type = layout.getColumnsType(elementType);
  int64_t bytes =
      FragmentLayout::kHeldN * elementType.getIntOrFloatBitWidth() / 8;
  for (int64_t i = 0; i < FragmentLayout::kHeldM; ++i)
    insert(m, n, i,
           vector::LoadOp::create(
               builder, loc, type, flat,
               tile.getElement(math, lane, layout.getRowOffset(m, i),
                               layout.getColumnOffset(n)),
               /*nontemporal=*/false, llvm::MaybeAlign(bytes)));
}

/// Two blocks beside each other of a transposed accumulator, or the last one.
void StagedReader::readTransposed(int64_t m, int64_t n) {
  int64_t blocks = std::min<int64_t>(2, layout.getBlocksN() - n);
  int64_t matrices = blocks * FragmentLayout::kHeldM;
  auto type = VectorType::get({matrices, FragmentLayout::kHeldN}, elementType);
  Value loaded = nvgpu::LdMatrixOp::create(
      builder, loc, type, flat, tile.getTransposedElement(math, thread, m, n),
      /*transpose=*/true, matrices);
  for (int64_t i = 0; i < matrices; ++i)
    insert(m, n + i / FragmentLayout::kHeldM, i % FragmentLayout::kHeldM,
           vector::ExtractOp::create(builder, loc, loaded, i));
}

SmallVector<Value> StagedReader::read() {
  if (layout.isSwapped()) {
    for (int64_t m = 0; m < layout.getBlocksM(); ++m)
      for (int64_t n = 0; n < layout.getBlocksN(); n += 2)
        readTransposed(m, n);
    return std::move(fragments);
  }
  int64_t blocks = tile.hasMatrices() ? 2 : 1;
  for (int64_t n = 0; n < layout.getBlocksN(); n += blocks)
    for (int64_t m = 0; m < layout.getBlocksM(); ++m)
      if (tile.hasMatrices())
        readMatrices(m, n);
      else
        readPairs(m, n);
  return std::move(fragments);
}

LogicalResult mlir::conv::distributeTileAhead(Im2colOp op,
                                              TileDistribution &distribution) {
  auto scatters = op->getBlock()->getOps<ScatterOp>();
  ScatterOp scatter = *llvm::find_if(scatters, [&](ScatterOp other) {
    return distribution.getTileAhead(other);
  });
  distribution.setFragments(op.getResult(),
                            StagedReader(op, scatter, distribution).read());
  return success();
}
