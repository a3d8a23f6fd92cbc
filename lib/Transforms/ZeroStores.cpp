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
// The positions between the rows are matrices of their own, at most as long as
// that of the rows: rows i to j of each go with rows i to j of the result. All
// come from one panel of zeros, which is written at the kernel's start and
// never again. So nobody waits for these stores but the kernel's end. Bulk
// groups belong to threads: the one that stores zeros is another one of the
// warpgroup than that which stores values and waits for what it has stored.
//
//===----------------------------------------------------------------------===//

#include "HopperSchedule.h"
#include "Recomputation.h"
#include "StagedTile.h"
#include "TileChunks.h"
#include "TileDistribution.h"
#include "Warpgroups.h"
#include "ZeroFill.h"
#include "conv/Dialect/Conv/IR/ConvHopperOps.h"
#include "conv/Geometry/CellViews.h"

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
  int64_t getElementBytes() {
    return tile.getDestType().getElementTypeBitWidth() / 8;
  }
  void createPanel();
  SmallVector<Value> emitOffsets(IndexMath &math);
  /// The zeros of `view` beside the rows of the warpgroup.
  void emitStores(IndexMath &math, ArrayRef<Value> tileOffsets,
                  const MatrixView &view);

  ScatterOp op;
  TileDistribution &distribution;
  const FragmentLayout &layout;
  Location loc;
  StagedTile tile;
  Operation *place = nullptr;   ///< In front of all products of a tile.
  Operation *barrier = nullptr; ///< In front of the first one of all threads.
  int64_t panelRows = 0;
  Value panel;
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

/// The largest panel that shared memory has room for beside the staged tile.
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
  int64_t columns = tile.getPart().getPanelColumns();
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get({panelRows, columns}, elementType,
                              MemRefLayoutAttrInterface(), space);
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
  NVVM::FenceProxyOp::create(
      builder, loc, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(builder.getContext(),
                                 NVVM::SharedSpace::shared_cta));
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

void ZeroStorer::emitStores(IndexMath &math, ArrayRef<Value> tileOffsets,
                            const MatrixView &view) {
  OpBuilder &builder = math.getBuilder();
  unsigned rowDim = op.getView().getRowDim();
  int64_t rows = view.numRows();
  // All tiles are of rows that this matrix has, too.
  bool isFull =
      rows == op.getView().getMatrixView(op.getTensorShape()).numRows() &&
      rows % layout.getTileM() == 0;
  auto attribute = builder.getArrayAttr(
      {ViewAttr::get(builder.getContext(), view, op.getView().getGroups())});
  int64_t panelColumns = tile.getPart().getPanelColumns();
  for (int64_t row = 0; row < layout.getWarpgroupM(); row += panelRows) {
    SmallVector<Value> offsets =
        tile.getOffsets(math, tileOffsets, row, /*firstColumn=*/0);
    Value isThere = isFull ? Value() : math.isBelow(offsets[rowDim], rows);
    math.guard(isThere, [&] {
      for (int64_t column = 0; column < layout.getTileN();
           column += panelColumns) {
        SmallVector<Value> ofPanel(offsets);
        ofPanel.back() = math.add(offsets.back(), column);
        StoreTileOp::create(builder, loc, panel, op.getDest(), ofPanel,
                            /*phase=*/Value(), attribute,
                            /*interleaved=*/false);
      }
    });
  }
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
    for (const MatrixView &view : convmlir::getViewsBetween(
             op.getView().getMatrixView(op.getTensorShape())))
      emitStores(math, offsets, view);
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
