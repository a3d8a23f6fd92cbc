//===- Gathers.cpp - tiles that threads transpose -------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which lines of a tile of a view, or of a box, a thread has, and where they
// are in the tensor. How it copies them is in TileGather.cpp.
//
//===----------------------------------------------------------------------===//

#include "Gathers.h"

#include "Support/KnownDivisor.h"
#include "Support/TileChunks.h"
#include "Support/ViewAddressing.h"
#include "TileGather.h"
#include "conv/Dialect/Conv/IR/KernelAttributes.h"
#include "conv/Dialect/Conv/IR/KernelPlan.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

static FailureOr<PanelTile> getPanelTile(Operation *op, MemRefType type) {
  int64_t bits = type.getElementTypeBitWidth();
  int64_t rows = llvm::product_of(type.getShape().drop_back(), int64_t(1));
  if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type) || bits != 16 ||
      !PanelTile::isPossible(type.getShape().back(), bits / 8))
    return op->emitOpError()
           << "gathers a tile of 16-bit elements in workgroup memory, with "
              "rows of a multiple of "
           << +PanelTile::kMinSpanBytes << " bytes, but its destination is "
           << type;
  return PanelTile(rows, type.getShape().back(), bits / 8);
}

static FailureOr<GatheringTeam> getTeam(Operation *op) {
  auto warps = op->getAttrOfType<IntegerAttr>(kProducersAttrName);
  if (!warps)
    return op->emitOpError() << "gathers by warps of a producer, and needs '"
                             << kProducersAttrName << "', their number";
  return GatheringTeam{warps.getInt(),
                       getThreadIndex(op->getParentOfType<gpu::GPUFuncOp>())};
}

template <typename OpTy> static FailureOr<GatherEnds> getEnds(OpTy op) {
  FailureOr<PanelTile> tile =
      getPanelTile(op, cast<MemRefType>(op.getDest().getType()));
  if (failed(tile))
    return failure();
  FailureOr<GatheringTeam> team = getTeam(op);
  if (failed(team))
    return failure();
  return GatherEnds{*tile, *team, getFlatView(op.getSource()),
                    getFlatView(op.getDest())};
}

FailureOr<GatherEnds> conv::getGatherEnds(Im2colOp op) {
  if (op.getDest())
    return getEnds(op);
  return op.emitOpError("with channels_first has no place in shared memory");
}

/// Lets the value be known in front of `place`, where only index arithmetic
/// that it needs stands between.
static void moveBefore(Value value, Operation *place) {
  Operation *op = value ? value.getDefiningOp() : nullptr;
  if (!op || op->getBlock() != place->getBlock() || op->isBeforeInBlock(place))
    return;
  for (Value operand : op->getOperands())
    moveBefore(operand, place);
  op->moveBefore(place);
}

/// Loads need not wait for the slot that is filled: where the copy is the first
/// one behind the wait, they come in front of it. `needed` are known there
/// then.
static Operation *findPlaceOfLoads(Operation *copy, ValueRange needed) {
  Operation *wait = copy->getPrevNode();
  while (wait && isMemoryEffectFree(wait) && wait->getNumRegions() == 0)
    wait = wait->getPrevNode();
  if (!isa_and_nonnull<nvgpu::MBarrierTryWaitParityOp>(wait))
    return copy;
  for (Value value : needed)
    moveBefore(value, wait);
  return wait;
}

//===----------------------------------------------------------------------===//
// Tiles of a view
//===----------------------------------------------------------------------===//

/// Lines that a load can read at once. Taps move them by any distance.
static int64_t getRun(Im2colOp op, const ViewAddressing &view) {
  bool hasTaps = llvm::any_of(
      op.getAllViews(), [](ViewAttr view) { return view.getNumTaps() > 1; });
  return hasTaps ? 1 : view.getRowRun(TileGather::kMostRun);
}

LogicalResult conv::lowerGather(Im2colOp op) {
  FailureOr<GatherEnds> ends = getGatherEnds(op);
  if (failed(ends))
    return failure();
  FailureOr<int64_t> loads = getLoadsAhead(op);
  if (failed(loads))
    return failure();
  const PanelTile &tile = ends->tile;
  Value thread = ends->team.thread;

  // Taps of rows that stay have their tests in a mask. No block is past the
  // last one.
  auto row = dyn_cast<Value>(op.getRowOffset());
  ChangingOffsets changing;
  changing.tap =
      row && row.getParentBlock() != op->getBlock() &&
      !getConstantIntValue(op.getMixedOffsets()[op.getView().getTapDim()]);
  SmallVector<int64_t> shape = op.getTensorShape();
  ViewAddressing view(ViewTile(op), shape, tile.getRows(), tile.getColumns(),
                      changing, /*channelsFirst=*/true);

  SmallVector<Value> needed(op.getOffsets());
  needed.push_back(op.getPhase());
  Operation *place = findPlaceOfLoads(op, needed);
  OpBuilder builder(place);
  bool isOfTile = row && row.getParentBlock() != thread.getParentBlock();
  setInsertionPointAfter(builder, isOfTile ? row : thread);
  if (!isOfTile)
    moveInsertionPointBehind(builder, row);
  moveInsertionPointBehind(builder, op.getPhase());
  IndexMath before(builder, op.getLoc());
  int64_t run = getRun(op, view);
  TileGather gather(before, tile, tile.getRows() / run, run, ends->team,
                    *loads);
  Value line = before.mul(gather.getFirstUnit(), run);
  SmallVector<ViewAddressing::Position> rows;
  for (int64_t set = 0; set < gather.getNumSets(); ++set)
    rows.push_back(
        view.getRow(before, before.add(line, gather.getUnitsBelow(set) * run)));

  OpBuilder earlyBuilder(place), lateBuilder(op);
  IndexMath early(earlyBuilder, op.getLoc()), late(lateBuilder, op.getLoc());
  ViewAddressing::Origin origin = view.getOrigin(early);
  TileGather::Copy copy = {ends->source,
                           ends->dest,
                           view.getChannelPitch(),
                           origin.channel,
                           shape.back() / op.getView().getGroups(),
                           view.testsColumns(),
                           {}};
  for (auto [set, position] : llvm::enumerate(rows))
    copy.sets.push_back(
        {view.getElement(early, position, origin, early.constant(0)),
         view.isInside(early, position, origin), line,
         gather.getUnitsBelow(set) * run});
  gather.emit(early, late, copy);
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// Whether a coordinate is odd, if that is known.
static std::optional<bool> isKnownOdd(Value value) {
  if (auto sum = value.getDefiningOp<arith::AddIOp>()) {
    std::optional<bool> a = isKnownOdd(sum.getLhs());
    std::optional<bool> b = isKnownOdd(sum.getRhs());
    return a && b ? std::optional(*a != *b) : std::nullopt;
  }
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant % 2 != 0;
  return getKnownDivisor(value) % 2 == 0 ? std::optional(false) : std::nullopt;
}

namespace {
/// A box, divided into units of `run` lines: positions of the innermost
/// dimension. Pairs begin at even positions of the tensor, wherever the box
/// begins, so that a row of the box may have half of one at each end.
struct BoxUnits {
  explicit BoxUnits(GatherBoxOp op)
      : shape(cast<MemRefType>(op.getSource().getType()).getShape()),
        box(cast<MemRefType>(op.getDest().getType()).getShape().drop_back()),
        origin(op.getCoordinates().drop_back()) {
    std::optional<bool> isOdd = isKnownOdd(origin.back());
    if (isOdd && shape.back() % TileGather::kMostRun == 0) {
      run = TileGather::kMostRun;
      before = *isOdd;
    }
    perRow = llvm::divideCeil(box.back() + before, run);
  }

  int64_t getNumber() const {
    return llvm::product_of(box.drop_back(), int64_t(1)) * perRow;
  }
  GatheredLines getLines(IndexMath &math, Value unit) const;

  ArrayRef<int64_t> shape; ///< Batch, channels, extents.
  ArrayRef<int64_t> box;   ///< Innermost positions, and batch.
  SmallVector<Value> origin;
  int64_t run = 1, before = 0; ///< Positions of the first unit before the box.
  int64_t perRow;
};
} // namespace

GatheredLines BoxUnits::getLines(IndexMath &math, Value unit) const {
  int64_t rank = origin.size(), columns = box.back(), pitch = 1;
  Value place = math.mul(box.size() > 1 ? math.rem(unit, perRow) : unit, run);
  Value rest = box.size() > 1 ? math.div(unit, perRow) : math.constant(0);
  GatheredLines lines = {math.constant(0), Value(), math.mul(rest, columns), 0};
  // Innermost first; channels stand between the batch and the others.
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    int64_t inBox = dim - (rank - int64_t(box.size()));
    Value coordinate = origin[dim];
    if (dim == rank - 1) {
      place = math.add(place, -before);
      coordinate = math.add(coordinate, place);
      if (run > 1 && (before > 0 || columns % run != 0))
        for (int64_t i = 0; i < run; ++i)
          lines.exist.push_back(math.isBelow(math.add(place, i), columns));
      lines.line = math.add(lines.line, place);
    } else if (inBox >= 0) {
      bool isLast = inBox == 0;
      coordinate =
          math.add(coordinate, isLast ? rest : math.rem(rest, box[inBox]));
      rest = isLast ? rest : math.div(rest, box[inBox]);
    }
    int64_t extent = dim == 0 ? shape[0] : shape[dim + 1];
    if (dim == 0)
      pitch *= shape[1];
    lines.element = math.add(lines.element, math.mul(coordinate, pitch));
    lines.inside = math.both(lines.inside, math.isBelow(coordinate, extent));
    pitch *= extent;
  }
  return lines;
}

LogicalResult conv::lowerGather(GatherBoxOp op) {
  FailureOr<GatherEnds> ends = getEnds(op);
  if (failed(ends))
    return failure();
  FailureOr<int64_t> loads = getLoadsAhead(op);
  if (failed(loads))
    return failure();
  ArrayRef<int64_t> shape =
      cast<MemRefType>(op.getSource().getType()).getShape();

  Operation *place = findPlaceOfLoads(op, op.getCoordinates());
  OpBuilder builder(place);
  setInsertionPointAfter(builder, ends->team.thread);
  for (Value coordinate : op.getCoordinates().drop_back())
    moveInsertionPointBehind(builder, coordinate);
  IndexMath before(builder, op.getLoc());
  BoxUnits units(op);
  TileGather gather(before, ends->tile, units.getNumber(), units.run,
                    ends->team, *loads);
  SmallVector<GatheredLines> lines;
  for (int64_t set = 0; set < gather.getNumSets(); ++set)
    lines.push_back(units.getLines(
        before, before.add(gather.getFirstUnit(), gather.getUnitsBelow(set))));

  OpBuilder earlyBuilder(place), lateBuilder(op);
  IndexMath early(earlyBuilder, op.getLoc()), late(lateBuilder, op.getLoc());
  int64_t pitch = llvm::product_of(shape.drop_front(2), int64_t(1));
  Value channel = op.getCoordinates().back();
  for (GatheredLines &line : lines)
    line.element = early.add(line.element, early.mul(channel, pitch));
  gather.emit(early, late,
              {ends->source, ends->dest, pitch, channel, shape[1],
               shape[1] % ends->tile.getColumns() != 0, std::move(lines)});
  op.erase();
  return success();
}
