//===- TileChunks.cpp - which thread moves which chunk of a tile ----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileChunks.h"
#include "conv/Dialect/Conv/IR/KernelAttributes.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::SharedTile;

static TileChunk getChunk(IndexMath &math, const SharedTile &tile, Value row,
                          Value chunk) {
  TileChunk result;
  result.row = row;
  result.column = math.mul(chunk, tile.getElementsPerChunk());
  result.shared = math.sharedElement(tile, row, chunk);
  return result;
}

/// The chunk of the same column `rows` below, where the permutation of chunks
/// is the same.
static TileChunk getChunkBelow(IndexMath &math, const SharedTile &tile,
                               TileChunk chunk, int64_t rows) {
  chunk.row = math.add(chunk.row, rows);
  chunk.shared = math.add(chunk.shared, rows * tile.getColumns());
  chunk.rowsBelowFirst = rows;
  return chunk;
}

/// The chunk of this number, row by row; threads past the last one have none.
/// `isBelowEnd`: whether the thread has one at all; null: always.
static TileChunk getNumberedChunk(IndexMath &math, const SharedTile &tile,
                                  Value number, Value isBelowEnd) {
  int64_t perRow = tile.getChunksPerRow();
  TileChunk chunk =
      getChunk(math, tile, math.div(number, perRow), math.rem(number, perRow));
  chunk.exists = isBelowEnd;
  return chunk;
}

/// A thread has neighbouring chunks, and the next thread those behind them.
static SmallVector<TileChunk> getStridedChunks(IndexMath &math,
                                               const SharedTile &tile,
                                               Value thread,
                                               int64_t numThreads) {
  int64_t total = tile.getNumChunks();
  int64_t perThread = llvm::divideCeil(total, numThreads);
  Value first = math.mul(thread, perThread);
  SmallVector<TileChunk> chunks;
  for (int64_t i = 0; i < perThread; ++i) {
    Value number = math.add(first, i);
    Value exists =
        perThread * numThreads > total ? math.isBelow(number, total) : Value();
    chunks.push_back(getNumberedChunk(math, tile, number, exists));
  }
  return chunks;
}

/// A warp has rows of its own, whose chunks its lanes take in turn.
static SmallVector<TileChunk> getWarpTileChunks(IndexMath &math,
                                                const SharedTile &tile,
                                                Value thread,
                                                int64_t numThreads) {
  int64_t warps = numThreads / conv::kWarpSize;
  int64_t perWarp =
      llvm::divideCeil(tile.getRows(), warps) * tile.getChunksPerRow();
  Value lane = math.rem(thread, conv::kWarpSize);
  Value first = math.mul(math.div(thread, conv::kWarpSize), perWarp);
  SmallVector<TileChunk> chunks;
  for (int64_t i = 0; i < perWarp; i += conv::kWarpSize) {
    Value inWarp = math.add(lane, i);
    Value number = math.add(first, inWarp);
    Value exists;
    if (i + conv::kWarpSize > perWarp)
      exists = math.isBelow(inWarp, perWarp);
    if (perWarp * warps > tile.getNumChunks())
      exists = math.both(exists, math.isBelow(number, tile.getNumChunks()));
    chunks.push_back(getNumberedChunk(math, tile, number, exists));
  }
  return chunks;
}

static SmallVector<TileChunk> getCyclicChunks(IndexMath &math,
                                              const SharedTile &tile,
                                              Value thread,
                                              int64_t numThreads) {
  int64_t perRow = tile.getChunksPerRow(), total = tile.getNumChunks();
  // Where a thread stays in its column it shares the column's arithmetic.
  int64_t rowStep = numThreads / perRow;
  bool staysInColumn =
      numThreads % perRow == 0 &&
      (rowStep % SharedTile::kSwizzlePeriod == 0 || tile.getSwizzleMask() == 0);
  SmallVector<TileChunk> chunks;
  for (int64_t first = 0; first < total; first += numThreads) {
    if (staysInColumn && !chunks.empty()) {
      chunks.push_back(getChunkBelow(math, tile, chunks.front(),
                                     rowStep * int64_t(chunks.size())));
    } else {
      Value number = math.add(thread, first);
      chunks.push_back(getChunk(math, tile, math.div(number, perRow),
                                math.rem(number, perRow)));
    }
    if (first + numThreads > total)
      chunks.back().exists = math.isBelow(thread, total - first);
  }
  return chunks;
}

SmallVector<TileChunk> mlir::conv::getThreadChunks(IndexMath &math,
                                                   const SharedTile &tile,
                                                   Value thread,
                                                   int64_t numThreads,
                                                   ReadingKind reading) {
  switch (reading) {
  case ReadingKind::Cyclic:
    return getCyclicChunks(math, tile, thread, numThreads);
  case ReadingKind::Strided:
    return getStridedChunks(math, tile, thread, numThreads);
  case ReadingKind::WarpTile:
    return getWarpTileChunks(math, tile, thread, numThreads);
  }
  llvm_unreachable("not a way to read");
}

SharedTile mlir::conv::getSharedTile(ShapedType type, ScheduleAttr schedule) {
  bool isPermuted = !schedule || schedule.getMma() != MmaKind::Wmma;
  return SharedTile(type.getShape().front(), type.getShape().back(),
                    type.getElementTypeBitWidth() / 8, isPermuted);
}

ScheduleAttr mlir::conv::findSchedule(gpu::GPUFuncOp func) {
  return func->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
}

bool mlir::conv::copiesAsync(gpu::GPUFuncOp func) {
  ScheduleAttr schedule = findSchedule(func);
  return !schedule || schedule.getCopy() != CopyKind::Sync;
}

void mlir::conv::releaseOperandMemory(OpBuilder &builder, Location loc) {
  Operation *parent = builder.getInsertionBlock()->getParentOp();
  auto func = dyn_cast<gpu::GPUFuncOp>(parent);
  if (copiesAsync(func ? func : parent->getParentOfType<gpu::GPUFuncOp>()))
    NVVM::CpAsyncWaitGroupOp::create(builder, loc, 0);
  gpu::BarrierOp::create(builder, loc);
}

int64_t mlir::conv::getNumThreads(gpu::GPUFuncOp func) {
  std::optional<ArrayRef<int32_t>> size = func.getKnownBlockSize();
  return size ? llvm::product_of(*size, int64_t(1)) : 0;
}

Value mlir::conv::getThreadIndex(gpu::GPUFuncOp func) {
  Block &entry = func.getBody().front();
  for (auto op : entry.getOps<gpu::ThreadIdOp>())
    if (op.getDimension() == gpu::Dimension::x && &entry.front() == op)
      return op;
  OpBuilder builder = OpBuilder::atBlockBegin(&entry);
  return gpu::ThreadIdOp::create(builder, func.getLoc(), gpu::Dimension::x);
}

Value mlir::conv::getSharingIndex(IndexMath &math, Value thread,
                                  int64_t threads) {
  return math.rem(thread,
                  kWarpgroupSize % threads == 0 ? threads : kWarpgroupSize);
}

FailureOr<int64_t> mlir::conv::getSharingWarps(Operation *op) {
  auto warps = op->getAttrOfType<IntegerAttr>(kProducersAttrName);
  if (!warps)
    return op->emitOpError() << "is done by warps of a producer, and needs '"
                             << kProducersAttrName << "', their number";
  return warps.getInt();
}

Value mlir::conv::getFlatView(Value memref) {
  OpBuilder builder(memref.getContext());
  setInsertionPointAfter(builder, memref);
  auto type = cast<MemRefType>(memref.getType());
  if (type.getRank() == 1)
    return memref;
  return memref::CollapseShapeOp::create(
      builder, memref.getLoc(), memref,
      ReassociationIndices(
          llvm::to_vector(llvm::seq<int64_t>(type.getRank()))));
}

void mlir::conv::setInsertionPointAfter(OpBuilder &builder, Value value) {
  if (Operation *op = value.getDefiningOp())
    builder.setInsertionPointAfter(op);
  else
    builder.setInsertionPointToStart(cast<BlockArgument>(value).getOwner());
}

/// Moves to where an argument of a block is known, if it is not yet.
static void moveInsertionPointInto(OpBuilder &builder, Block *owner) {
  Block *block = builder.getInsertionBlock();
  if (block != owner && !owner->findAncestorOpInBlock(*block->getParentOp()))
    builder.setInsertionPointToStart(owner);
}

void mlir::conv::moveInsertionPointBehind(OpBuilder &builder, Value value) {
  if (auto argument = dyn_cast_or_null<BlockArgument>(value))
    return moveInsertionPointInto(builder, argument.getOwner());
  Operation *known = value ? value.getDefiningOp() : nullptr;
  if (!known)
    return;
  Block *block = builder.getInsertionBlock();
  Operation *above = block->findAncestorOpInBlock(*known);
  if (!above)
    return;
  bool isLater = builder.getInsertionPoint() != block->end() &&
                 !above->isBeforeInBlock(&*builder.getInsertionPoint());
  if (above != known || isLater)
    builder.setInsertionPointAfter(known);
}
