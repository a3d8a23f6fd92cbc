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
// Output: `conv.store_tile` of zeros in front of the products of each tile, and
// the `conv.scatter` without zero_fill.
//
// The positions between the rows are rows of other matrices (CellViews.h): rows
// i to j of the result go with rows f i to f j of each. All zeros come from one
// panel in shared memory, which is written at the kernel's start and never
// again. So nobody waits for these stores but the kernel's end. Bulk groups
// belong to threads: the one that stores zeros is in another warp than that
// which stores values and waits for what it has stored.
//
//===----------------------------------------------------------------------===//

#include "Recomputation.h"
#include "Roles/Synchronization.h"
#include "StagedTile.h"
#include "Support/TileChunks.h"
#include "TensorCores/TileDistribution.h"
#include "conv/Dialect/Conv/IR/ConvHopperOps.h"
#include "conv/Geometry/CellViews.h"
#include "conv/Schedule/Forms/ZeroFill.h"
#include "conv/Schedule/Resources.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::MatrixView;

/// Of a warpgroup: in another warp than the one that stores values.
static constexpr int64_t kStoringThread = mlir::conv::kWarpSize;

namespace {

class ZeroStorer {
public:
  ZeroStorer(ScatterOp op, TileDistribution &distribution)
      : op(op), distribution(distribution), layout(distribution.layout),
        loc(op.getLoc()), tile(op, distribution) {}

  bool isPossible();
  void store();

private:
  bool findPlaces();
  bool findPanel();
  SmallVector<Value> getOffsetValues();
  MatrixView getValues() {
    return op.getView().getMatrixView(op.getTensorShape());
  }
  int64_t getElementBytes() {
    return tile.getDestType().getElementTypeBitWidth() / 8;
  }
  void createPanel();
  SmallVector<Value> emitOffsets(IndexMath &math);
  /// What the tile has of these, for the calling warpgroup.
  void emitStores(IndexMath &math, const convmlir::RowsBetween &between,
                  ArrayRef<Value> tileOffsets);

  ScatterOp op;
  TileDistribution &distribution;
  const FragmentLayout &layout;
  Location loc;
  StagedTile tile;
  Operation *place = nullptr;   ///< In front of all products of a tile.
  Operation *barrier = nullptr; ///< In front of the first one of all threads.
  int64_t panelRows = 0;
  Value panel; ///< Of zeros.
};

} // namespace

/// A team comes here before it waits for its turn.
bool ZeroStorer::findPlaces() {
  Operation *contraction = nullptr;
  distribution.func.walk([&](vector::ContractionOp found) {
    contraction = found;
    return WalkResult::interrupt();
  });
  distribution.func.walk(
      [&](NVVM::FenceMbarrierInitOp fence) { barrier = fence->getParentOp(); });
  if (!contraction || !isa_and_nonnull<scf::IfOp>(barrier) ||
      contraction->getBlock() != op->getBlock())
    return false;
  place = &contraction->getBlock()->front();
  return true;
}

/// The largest one that shared memory has room for beside the staged tile.
bool ZeroStorer::findPanel() {
  ScheduleAttr schedule = distribution.schedule;
  int64_t staged = getStagedBytes(schedule, getElementBytes());
  int64_t room = kMostZeroBytes;
  while (room > 0 && !distribution.hasRoomFor(staged + room))
    room -= kBarrierBytes;
  panelRows = getZeroPanelRows(schedule, getElementBytes(), room);
  return panelRows > 0;
}

SmallVector<Value> ZeroStorer::getOffsetValues() {
  SmallVector<Value> values;
  for (OpFoldResult offset : op.getMixedOffsets())
    if (auto value = dyn_cast<Value>(offset))
      values.push_back(value);
  return values;
}

bool ZeroStorer::isPossible() {
  if (!op.getZeroFill() || op.getChannelsFirst() || tile.isBox() ||
      !tile.isCopiedByTma() || !findPlaces() || !findPanel())
    return false;
  Recomputation known(place);
  return llvm::all_of(getOffsetValues(),
                      [&](Value value) { return known.isPossible(value); });
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

void mlir::conv::storeZerosAhead(TileDistribution &distribution) {
  SmallVector<ScatterOp> scatters;
  distribution.func.walk([&](ScatterOp op) { scatters.push_back(op); });
  for (ScatterOp op : scatters)
    if (ZeroStorer storer(op, distribution); storer.isPossible())
      storer.store();
}
