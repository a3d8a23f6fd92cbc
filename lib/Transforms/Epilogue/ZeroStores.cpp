//===- ZeroStores.cpp - zeros between the rows of a result ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a kernel of warpgroups whose `conv.scatter` has zero_fill, channels
// last, and whose result TMA stores.
// Output: `engine.store_tile` of zeros in front of the products of each tile,
// and the `conv.scatter` without zero_fill.
//
// The positions between the rows are rows of other matrices (CellViews.h): rows
// i to j of the result go with rows f i to f j of each. All zeros come from one
// panel in shared memory, which is written at the kernel's start and never
// again. So nobody waits for these stores but the kernel's end. Bulk groups
// belong to threads: the one that stores zeros is in another warp than that
// which stores values and waits for what it has stored.
//
//===----------------------------------------------------------------------===//

#include "ZeroStores.h"

#include "Recomputation.h"
#include "Roles/Synchronization.h"
#include "StagedTile.h"
#include "Support/TileChunks.h"
#include "TensorCores/TileDistribution.h"
#include "conv/Dialect/Engine/IR/EngineOps.h"
#include "conv/Geometry/CellViews.h"
#include "conv/Schedule/Forms/ZeroFill.h"
#include "conv/Schedule/Resources.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::MatrixView;

/// Of a warpgroup: in another warp than the one that stores values.
static constexpr int64_t kStoringThread = mlir::conv::kWarpSize;

namespace {

/// A scatter with zeros, and where those of a tile can be stored ahead.
class ZerosOfTile {
public:
  ZerosOfTile(ScatterOp op, const KernelTiles &tiles)
      : op(op), tiles(tiles), shape(op, tiles) {}

  /// Why TMA cannot store them, whether there is room for a panel or not; empty
  /// if it can. Finds the places of the stores.
  std::string whyNot();
  /// Of a panel with so many rows.
  int64_t getPanelBytes(int64_t rows) {
    return rows * shape.getPart().getPanelColumns() * getElementBytes();
  }
  int64_t countRows(const SharedRoom &room);
  std::string whyNoRows(int64_t rows, const SharedRoom &room);

protected:
  bool findPlaces();
  SmallVector<Value> getOffsetValues();
  int64_t getElementBytes() {
    return op.getDestType().getElementTypeBitWidth() / 8;
  }

  ScatterOp op;
  const KernelTiles &tiles;
  StagedShape shape;
  Operation *place = nullptr;   ///< In front of all products of a tile.
  Operation *barrier = nullptr; ///< In front of the first one of all threads.
};

class ZeroStorer : public ZerosOfTile {
public:
  ZeroStorer(ScatterOp op, TileDistribution &distribution, int64_t panelRows)
      : ZerosOfTile(op, distribution), distribution(distribution),
        layout(distribution.layout), loc(op.getLoc()), tile(op, distribution),
        panelRows(panelRows) {}

  void store();

private:
  MatrixView getValues() {
    return op.getView().getMatrixView(op.getTensorShape());
  }
  void createPanel();
  SmallVector<Value> emitOffsets(IndexMath &math);
  /// What the tile has of these, for the calling warpgroup.
  void emitStores(IndexMath &math, const convmlir::RowsBetween &between,
                  ArrayRef<Value> tileOffsets);

  TileDistribution &distribution;
  const FragmentLayout &layout;
  Location loc;
  StagedTile tile;
  int64_t panelRows;
  Value panel; ///< Of zeros.
};

} // namespace

/// A team comes here before it waits for its turn.
bool ZerosOfTile::findPlaces() {
  gpu::GPUFuncOp func = tiles.func;
  Operation *contraction = nullptr;
  func.walk([&](vector::ContractionOp found) {
    contraction = found;
    return WalkResult::interrupt();
  });
  func.walk(
      [&](NVVM::FenceMbarrierInitOp fence) { barrier = fence->getParentOp(); });
  if (!contraction || !isa_and_nonnull<scf::IfOp>(barrier) ||
      contraction->getBlock() != op->getBlock())
    return false;
  place = &contraction->getBlock()->front();
  return true;
}

SmallVector<Value> ZerosOfTile::getOffsetValues() {
  SmallVector<Value> values;
  for (OpFoldResult offset : op.getMixedOffsets())
    if (auto value = dyn_cast<Value>(offset))
      values.push_back(value);
  return values;
}

std::string ZerosOfTile::whyNot() {
  if (!tiles.usesWarpgroups())
    return "TMA stores zeros in kernels with wgmma";
  if (!op.getZeroFill() || op.getChannelsFirst())
    return "zeros that TMA stores are of results with channels last";
  if (shape.isBox() || !shape.isCopiedByTma())
    return "TMA cannot store the result";
  if (!findPlaces())
    return "the products of a tile do not follow each other";
  Recomputation known(place);
  bool areKnown = llvm::all_of(
      getOffsetValues(), [&](Value value) { return known.isPossible(value); });
  return areKnown ? "" : "where the tile lies is not known before the sums";
}

/// The largest panel that shared memory has room for beside the staged tile.
int64_t ZerosOfTile::countRows(const SharedRoom &room) {
  int64_t staged = conv::getStagedBytes(tiles.schedule, getElementBytes());
  int64_t bytes = kMostZeroBytes;
  while (bytes > 0 && !room.hasRoomFor(staged + bytes))
    bytes -= kBarrierBytes;
  return getZeroPanelRows(tiles.schedule, getElementBytes(), bytes);
}

std::string ZerosOfTile::whyNoRows(int64_t rows, const SharedRoom &room) {
  constexpr int64_t period = convmlir::SharedTile::kSwizzlePeriod;
  int64_t all = tiles.schedule.getTile()[0] * kWarpsPerWarpgroup /
                tiles.schedule.getWarps()[0];
  if (rows % period != 0 || all % rows != 0)
    return llvm::formatv("a panel has a multiple of {0} rows that divides the "
                         "{1} of a warpgroup, not {2}",
                         +period, all, rows);
  int64_t staged = conv::getStagedBytes(tiles.schedule, getElementBytes());
  return room.whyNoRoom(staged + getPanelBytes(rows));
}

/// All threads write it, before their first barrier.
void ZeroStorer::createPanel() {
  OpBuilder builder(barrier);
  IndexMath math(builder, loc);
  Type elementType = tile.getDestType().getElementType();
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get({panelRows, tile.getPart().getPanelColumns()},
                              elementType, MemRefLayoutAttrInterface(), space);
  panel = memref::AllocOp::create(builder, loc, type);
  Value flat = getFlatView(panel);
  Value thread =
      gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x).getResult();
  int64_t held = convmlir::kChunkBytes / getElementBytes();
  auto chunkType = VectorType::get(held, elementType);
  Value zeros =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(chunkType));
  int64_t chunks = type.getNumElements() / held;
  int64_t threads = getNumThreads(distribution.schedule);
  for (int64_t first = 0; first < chunks; first += threads) {
    Value chunk = math.add(thread, first);
    Value isThere =
        first + threads > chunks ? math.isBelow(chunk, chunks) : Value();
    math.guard(isThere, [&] {
      vector::StoreOp::create(builder, loc, zeros, flat, math.mul(chunk, held),
                              /*nontemporal=*/false,
                              llvm::MaybeAlign(convmlir::kChunkBytes));
    });
  }
  emitProxyFence(builder, loc);
}

SmallVector<Value> ZeroStorer::emitOffsets(IndexMath &math) {
  Recomputation known(place);
  SmallVector<Value> offsets;
  for (OpFoldResult offset : op.getMixedOffsets()) {
    auto value = dyn_cast<Value>(offset);
    offsets.push_back(value ? known.get(math.getBuilder(), value)
                            : math.toValue(offset));
  }
  return offsets;
}

void ZeroStorer::emitStores(IndexMath &math,
                            const convmlir::RowsBetween &between,
                            ArrayRef<Value> tileOffsets) {
  OpBuilder &builder = math.getBuilder();
  SmallVector<Value> offsets =
      tile.getOffsets(math, tileOffsets, /*firstRow=*/0, /*firstColumn=*/0);
  Value &row = offsets[op.getView().getRowDim()];
  row = math.mul(row, between.perRow);
  auto views = builder.getArrayAttr(ViewAttr::get(
      builder.getContext(), between.view, op.getView().getGroups()));
  auto loop =
      scf::ForOp::create(builder, loc, math.constant(0),
                         math.constant(layout.getWarpgroupM() * between.perRow),
                         math.constant(panelRows));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  row = math.add(row, loop.getInductionVar());
  math.guard(math.isBelow(row, between.view.numRows()), [&] {
    int64_t columns = tile.getPart().getPanelColumns();
    for (int64_t column = 0; column < layout.getTileN(); column += columns) {
      SmallVector<Value> ofPanel(offsets);
      ofPanel.back() = math.add(offsets.back(), column);
      StoreTileOp::create(builder, loc, panel, op.getDest(), ofPanel,
                          /*phase=*/Value(), views, /*interleaved=*/false);
    }
  });
}

void ZeroStorer::store() {
  createPanel();
  OpBuilder builder(place);
  IndexMath math(builder, loc);
  Value thread = math.rem(distribution.thread, kWarpgroupSize);
  Value stores = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       thread, math.constant(kStoringThread));
  math.guard(stores, [&] {
    SmallVector<Value> offsets = emitOffsets(math);
    for (const convmlir::RowsBetween &between :
         convmlir::getRowsBetween(getValues()))
      emitStores(math, between, offsets);
    NVVM::CpAsyncBulkCommitGroupOp::create(builder, loc);
  });
  op.setZeroFill(false);
}

//===----------------------------------------------------------------------===//
// As planned
//===----------------------------------------------------------------------===//

int64_t conv::countZeroRows(ScatterOp op, const KernelTiles &tiles,
                            const SharedRoom &room) {
  ZerosOfTile zeros(op, tiles);
  return zeros.whyNot().empty() ? zeros.countRows(room) : 0;
}

std::string conv::whyNoZeroRows(ScatterOp op, int64_t rows,
                                const KernelTiles &tiles,
                                const SharedRoom &room) {
  if (rows == 0)
    return "";
  ZerosOfTile zeros(op, tiles);
  std::string why = zeros.whyNot();
  return why.empty() ? zeros.whyNoRows(rows, room) : why;
}

int64_t conv::getZeroBytes(ScatterOp op, int64_t rows,
                           const KernelTiles &tiles) {
  return ZerosOfTile(op, tiles).getPanelBytes(rows);
}

LogicalResult mlir::conv::storeZerosAhead(TileDistribution &distribution) {
  std::optional<int64_t> rows = getKernelPlan(distribution.func).zeroRows;
  for (ScatterOp op : distribution.getScatters()) {
    if (!op.getZeroFill())
      continue;
    if (!rows)
      return emitNoPlan(distribution.func, "zero_rows", "conv-plan-stores");
    if (*rows == 0)
      continue;
    ZeroStorer storer(op, distribution, *rows);
    std::string why = storer.whyNot();
    if (why.empty())
      why = storer.whyNoRows(*rows, SharedRoom(distribution));
    if (!why.empty())
      return op.emitOpError("has no zeros that TMA stores: ") << why;
    storer.store();
  }
  return success();
}
