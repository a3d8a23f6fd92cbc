//===- WindowRing.cpp - rings of windows and of filter tiles --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a gemm-k nest, channel blocks outside and taps inside. Output: one
// loop over blocks. The window of a channel block is loaded at its first tap;
// each tap multiplies the part of the window that it sees by a filter tile of
// its own. So there are two rings, and a window is released where the next one
// is first multiplied: one block late, like a filter tile.
//
// Where the plan of the kernel keeps the filter, the ring of filter tiles has a
// slot for each block, the workgroup's first tile fills it, and nothing is
// released: the filter is resident.
//
// A tensor with channels first has a third ring, of one slot: a window as it
// lies, from which warps of the producer make those of the second one.
//
//===----------------------------------------------------------------------===//

#include "WindowRing.h"

#include "GroupedTiles.h"
#include "OuterParts.h"
#include "RawWindows.h"
#include "RingBarriers.h"
#include "Roles/Clusters.h"
#include "Support/OperandConversion.h"
#include "WindowCoordinates.h"
#include "conv/Dialect/Conv/IR/SwappedOperands.h"
#include "conv/Dialect/Engine/IR/EngineOps.h"
#include "conv/Schedule/Forms/Windows.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::WindowTile;

namespace {

/// Where an agent is in one ring, and the slot of the block before.
struct RingState {
  RingPosition position;
  Value lastSlot;
};

/// What the loop over blocks carries.
struct BlockState {
  Value acc;
  RingState filter, window;
  SmallVector<Value> digits;
  Value rawPhase; ///< Of a ring of boxes; or null.

  SmallVector<Value> values() const {
    SmallVector<Value> result = {acc};
    for (const RingState &ring : {filter, window})
      llvm::append_values(result, ring.position.slot, ring.position.phase,
                          ring.lastSlot);
    if (rawPhase)
      result.push_back(rawPhase);
    llvm::append_range(result, digits);
    return result;
  }
  static BlockState of(ValueRange values, bool hasRaw) {
    auto ring = [&](size_t first) -> RingState {
      return {{values[first], values[first + 1]}, values[first + 2]};
    };
    return {values[0], ring(1), ring(4),
            SmallVector<Value>(values.drop_front(hasRaw ? 8 : 7)),
            hasRaw ? values[7] : Value()};
  }
};

class WindowRing {
public:
  WindowRing(gpu::GPUFuncOp kernel, GemmKNest &nest, ScheduleAttr schedule)
      : kernel(kernel), nest(nest), schedule(schedule),
        loc(nest.contraction.getLoc()), builder(kernel.getContext()),
        math(builder, loc), blocks(builder, nest, filterRings) {}

  LogicalResult match();
  int64_t countSlots();
  FailureOr<Value> build();

private:
  SmallVector<RingPosition> openRings();
  void createMemory();
  BlockState emitBlocks(ArrayRef<RingPosition> starts);
  /// Whether a tile has several channel blocks.
  bool hasNextWindow() const { return nest.loops.size() > 1; }
  void emitWindowLoad(const BlockState &state);
  void emitNextWindow(const BlockState &state, Value isFirstTap);
  void emitFilterLoad(const BlockState &state);
  void emitFilterCopy(const BlockState &state);
  void emitFilterRelease(Value slot);
  void emitConsumer(BlockState &state);
  void emitNext(BlockState &state);
  Value getLines(Value slot, int64_t number);
  Value getBox(Value slot);
  Value readPart(Value slot, Value tap);

  gpu::GPUFuncOp kernel;
  GemmKNest &nest;
  ScheduleAttr schedule;
  Location loc;
  OpBuilder builder;
  IndexMath math;
  Im2colOp window, filter; ///< The copies, of A and of B.
  bool isResident = false; ///< The filter: it stays in its ring.
  Value isFirstTile;       ///< Of the workgroup; null: there is one.
  WindowTile tile;
  Value windowRing;
  std::optional<RawWindows> raw; ///< Of a tensor with channels first.
  llvm::DenseMap<Value, Value> filterRings;
  ClusterPlace::Share filterShare; ///< Its windows no workgroup shares.
  BlockBuilder blocks;
  SmallVector<RingBarriers> barriers; ///< Of filter tiles, windows, raw ones.
  SmallVector<Value> origin;          ///< Of the tile's window.
};

} // namespace

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

LogicalResult WindowRing::match() {
  window = nest.getCopy(nest.contraction.getLhs());
  filter = nest.getCopy(nest.contraction.getRhs());
  ViewAttr view = window.getView();
  if (nest.copies.size() != 2 || !filter || nest.loops.empty() ||
      window.getPhase() || !nest.trips.back() ||
      window.getOffsets()[view.getTapDim()] !=
          nest.loops.back().getInductionVar())
    return kernel.emitOpError("with a window needs a gemm-k nest whose inner "
                              "loop is over the taps of one view");
  auto found = getPaddedWindowTile(view.getMatrixView(window.getTensorShape()),
                                   schedule);
  if (!found)
    return kernel.emitOpError() << "cannot have a window: " << found.error();
  tile = *found;
  isResident = nest.plan.keeps == KeptOperand::Right;
  if (!window.getChannelsFirst())
    return success();
  FailureOr<RawWindows> windows =
      RawWindows::get(window, tile, /*slots=*/1, isResident);
  if (failed(windows))
    return failure();
  raw = *windows;
  return success();
}

/// Of an element of the kernel's result, which is first of what it stores:
/// parts of the last tiles follow.
static int64_t getStoredBytes(gpu::GPUFuncOp kernel) {
  int64_t bytes = 0;
  kernel.walk([&](ScatterOp scatter) {
    bytes = scatter.getDestType().getElementTypeBitWidth() / 8;
    return WalkResult::interrupt();
  });
  return bytes;
}

/// As the plan says, or, while it is made, as many as there is room for.
int64_t WindowRing::countSlots() {
  int64_t bytes = window.getMatrixType().getElementTypeBitWidth() / 8;
  return nest.plan.slots.value_or(getWindowSlots(schedule, tile, bytes,
                                                 getStoredBytes(kernel),
                                                 raw ? raw->getBytes() : 0));
}

void WindowRing::createMemory() {
  auto copied = cast<MemRefType>(window.getDest().getType());
  int64_t slots = countSlots();
  auto lines = MemRefType::get(
      {raw ? raw->getSlotLines() : tile.getSlotLines(), copied.getDimSize(1)},
      copied.getElementType(), AffineMap(), copied.getMemorySpace());
  builder.setInsertionPointToStart(&kernel.getBody().front());
  windowRing = createRing(builder, loc, lines, slots);
  filterRings[filter.getDest()] =
      createRing(builder, loc, cast<MemRefType>(filter.getDest().getType()),
                 schedule.getStages());
  if (raw)
    raw->createMemory(builder, loc, windowRing, getNumThreads(schedule));
  SmallVector<Value> peers;
  if (schedule.getClusterSize() > 1) {
    ClusterPlace place = emitClusterPlace(builder, loc, schedule);
    filterShare = place.getShare(builder, loc, /*isA=*/false);
    peers = place.getPeers(builder, loc);
  }
  SmallVector<RingShape> shapes = {{schedule.getStages(), peers}, {slots, {}}};
  if (raw) {
    shapes[1] = raw->getWindowShape(slots);
    shapes.push_back(raw->getShape());
  }
  barriers = createBarriers(builder, loc, schedule, shapes);
}

//===----------------------------------------------------------------------===//
// The window
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> getExtents(const convmlir::Spatial &positions,
                                       int rank, int64_t channels) {
  SmallVector<int64_t> extents(positions.begin(), positions.begin() + rank);
  extents.push_back(channels);
  return extents;
}

/// The first lines of a slot of the ring.
Value WindowRing::getLines(Value slot, int64_t number) {
  auto type = cast<MemRefType>(windowRing.getType());
  SmallVector<int64_t> shape = {1, number, type.getDimSize(2)};
  SmallVector<OpFoldResult> offsets(3, builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(3, builder.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(builder.getContext(), shape);
  offsets.front() = slot;
  MemRefType lines = memref::SubViewOp::inferRankReducedResultType(
      ArrayRef(shape).drop_front(), type, offsets, sizes, strides);
  return memref::SubViewOp::create(builder, loc, lines, windowRing, offsets,
                                   sizes, strides);
}

/// A slot of the ring as [positions..., channels], or as lines.
Value WindowRing::getBox(Value slot) {
  Value lines = getLines(slot, tile.getLines());
  int64_t channels = cast<MemRefType>(lines.getType()).getDimSize(1);
  if (tile.spatialRank == 1 || tile.isPacked)
    return lines;
  ReassociationIndices positions =
      llvm::to_vector(llvm::seq<int64_t>(tile.spatialRank));
  return memref::ExpandShapeOp::create(
      builder, loc, getExtents(tile.window, tile.spatialRank, channels), lines,
      ArrayRef<ReassociationIndices>{positions, {tile.spatialRank}});
}

/// The rows of A for a tap: the tile's positions, moved by the tap's distance.
Value WindowRing::readPart(Value slot, Value tap) {
  auto matrixType = cast<VectorType>(nest.contraction.getLhs().getType());
  SmallVector<Value> distance = emitTapDistance(math, window.getView(), tap);
  SmallVector<int64_t> extents =
      getExtents(tile.tile, tile.spatialRank, matrixType.getDimSize(1));
  SmallVector<OpFoldResult> offsets = getAsOpFoldResult(distance);
  if (tile.isPacked) {
    extents.assign(matrixType.getShape().begin(), matrixType.getShape().end());
    offsets = {getAsOpFoldResult(emitPackedLine(math, tile, distance))};
  }
  offsets.push_back(builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(extents.size(), builder.getIndexAttr(1));
  Value part = memref::SubViewOp::create(
      builder, loc, getBox(slot), offsets,
      getAsIndexOpFoldResult(builder.getContext(), extents), strides);
  Type element = cast<MemRefType>(windowRing.getType()).getElementType();
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
  Value read = vector::TransferReadOp::create(
      builder, loc, VectorType::get(extents, element), part,
      SmallVector<Value>(extents.size(), math.constant(0)), zero,
      SmallVector<bool>(extents.size(), true));
  VectorType rowsType = matrixType.clone(element);
  if (read.getType() != rowsType)
    read = vector::ShapeCastOp::create(builder, loc, rowsType, read);
  return convertOperand(builder, loc, read, matrixType.getElementType());
}

//===----------------------------------------------------------------------===//
// One block
//===----------------------------------------------------------------------===//

void WindowRing::emitWindowLoad(const BlockState &state) {
  RingPosition position = state.window.position;
  SmallVector<Value> coordinates = origin;
  coordinates.push_back(
      dropGroups(builder, window, blocks.getOffsets(window, state.digits))
          .offsets.back());
  if (raw)
    return raw->emit(math, coordinates,
                     getLines(position.slot, raw->getSlotLines()), barriers[1],
                     position, barriers[2], {Value(), state.rawPhase});
  Value box = getBox(position.slot);
  barriers[1].emitFill(position, getTileBytes(cast<MemRefType>(box.getType())));
  markProducer(LoadBoxOp::create(builder, window.getLoc(), window.getSource(),
                                 coordinates, box, barriers[1].getFull(),
                                 position.slot, roundsToTF32(nest)));
}

/// The window of another channel block, at its first tap.
void WindowRing::emitNextWindow(const BlockState &state, Value isFirstTap) {
  if (!hasNextWindow())
    return;
  Operation *branch = math.guard(isFirstTap, [&] { emitWindowLoad(state); });
  if (raw)
    raw->markBranch(branch);
  else
    markProducer(branch);
}

void WindowRing::emitFilterLoad(const BlockState &state) {
  if (isResident && isFirstTile)
    markProducer(math.guard(isFirstTile, [&] { emitFilterCopy(state); }));
  else
    emitFilterCopy(state);
}

void WindowRing::emitFilterCopy(const BlockState &state) {
  RingPosition position = state.filter.position;
  Value dest = blocks.getSlot(loc, filter.getDest(), position.slot);
  SmallVector<Value> offsets = blocks.getOffsets(filter, state.digits);
  OuterParts outer;
  if (!isResident && schedule.getClusterSize() == 1)
    outer = findOuterParts(nest, filter);
  if (isResident)
    barriers[0].emitOnlyFill(position.slot,
                             getTileBytes(cast<MemRefType>(dest.getType())));
  else
    barriers[0].emitFill(position,
                         emitInnerBytes(math, filter, offsets, outer));
  LoadedTile tile = dropGroups(builder, filter, offsets);
  markProducer(LoadTileOp::create(
      builder, filter.getLoc(), filter.getSource(), tile.offsets, dest,
      barriers[0].getFull(), position.slot, filter.getPhase(), filterShare.part,
      filterShare.workgroups, builder.getArrayAttr(tile.views),
      filterShare.parts, roundsToTF32(nest), outer.panels, outer.rows));
}

void WindowRing::emitConsumer(BlockState &state) {
  barriers[1].emitAwait(state.window.position);
  barriers[0].emitAwait(state.filter.position);
  IRMapping operands;
  operands.map(nest.contraction.getLhs(),
               readPart(state.window.position.slot, state.digits.back()));
  state.acc = blocks.emitContraction(state.filter.position.slot, state.acc,
                                     std::move(operands));
}

void WindowRing::emitFilterRelease(Value slot) {
  if (!isResident)
    barriers[0].emitRelease(slot);
}

/// The phase of a resident filter never changes.
void WindowRing::emitNext(BlockState &state) {
  RingPosition last = state.filter.position;
  state.filter = {barriers[0].emitNext(last), last.slot};
  if (isResident)
    state.filter.position.phase = last.phase;
  Value nextTap = math.add(state.digits.back(), 1);
  Value wraps =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, nextTap,
                            nest.getTrips(builder, nest.loops.size() - 1));
  RingPosition here = state.window.position;
  RingPosition next = barriers[1].emitNext(here);
  state.window = {{math.select(wraps, next.slot, here.slot),
                   math.select(wraps, next.phase, here.phase)},
                  here.slot};
  if (raw)
    state.rawPhase = arith::XOrIOp::create(builder, loc, state.rawPhase, wraps);
  state.digits = blocks.emitNext(state.digits);
}

//===----------------------------------------------------------------------===//
// All blocks of a tile
//===----------------------------------------------------------------------===//

BlockState WindowRing::emitBlocks(ArrayRef<RingPosition> starts) {
  BlockState state = {nest.getInit(),
                      {starts[0], Value()},
                      {starts[1], Value()},
                      {},
                      raw ? starts[2].phase : Value()};
  state.digits.assign(nest.loops.size(), math.constant(0));
  Value numBlocks = nest.getBlocks(builder);
  emitWindowLoad(state);
  emitFilterLoad(state);
  emitConsumer(state);
  emitNext(state);
  auto loop = scf::ForOp::create(builder, loc, math.constant(1), numBlocks,
                                 math.constant(1), state.values());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    BlockState inside =
        BlockState::of(loop.getRegionIterArgs(), raw.has_value());
    Value isFirstTap =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                              inside.digits.back(), math.constant(0));
    emitNextWindow(inside, isFirstTap);
    emitFilterLoad(inside);
    emitConsumer(inside);
    emitFilterRelease(inside.filter.lastSlot);
    if (hasNextWindow())
      math.guard(isFirstTap,
                 [&] { barriers[1].emitRelease(inside.window.lastSlot); });
    emitNext(inside);
    scf::YieldOp::create(builder, loc, inside.values());
  }
  state = BlockState::of(loop.getResults(), raw.has_value());
  emitFilterRelease(state.filter.lastSlot);
  barriers[1].emitRelease(state.window.lastSlot);
  return state;
}

/// The positions in all rings at which a tile begins. Each tile reads a
/// resident filter from its first slot on.
SmallVector<RingPosition> WindowRing::openRings() {
  SmallVector<RingPosition> starts = openPositions(
      builder, nest, (isResident ? 1 : 2) + (raw.has_value() ? 1 : 0));
  if (!isResident)
    return starts;
  isFirstTile = emitIsFirstTile(builder, nest);
  Value phase = arith::ConstantIntOp::create(builder, loc, 0, 1);
  starts.insert(starts.begin(), {math.constant(0), phase});
  return starts;
}

FailureOr<Value> WindowRing::build() {
  if (!nest.plan.slots)
    return emitNoPlan(kernel, "slots");
  if (failed(match()) || failed(verifyGroups(nest)))
    return failure();
  createMemory();
  SmallVector<RingPosition> starts = openRings();
  origin =
      emitPosition(math, window.getView(), math.toValue(window.getRowOffset()));
  BlockState end = emitBlocks(starts);
  SmallVector<RingPosition> ends = {end.filter.position, end.window.position};
  if (raw)
    ends.push_back({starts[2].slot, end.rawPhase});
  carryPositions(nest, ArrayRef(ends).drop_front(isResident ? 1 : 0));
  return end.acc;
}

FailureOr<int64_t> conv::countWindowSlots(gpu::GPUFuncOp kernel,
                                          GemmKNest &nest,
                                          ScheduleAttr schedule) {
  WindowRing ring(kernel, nest, schedule);
  if (failed(ring.match()))
    return failure();
  return ring.countSlots();
}

FailureOr<Value> conv::buildWindowRing(gpu::GPUFuncOp kernel, GemmKNest &nest,
                                       ScheduleAttr schedule) {
  return WindowRing(kernel, nest, schedule).build();
}
