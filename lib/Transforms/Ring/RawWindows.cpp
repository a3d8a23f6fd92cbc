//===- RawWindows.cpp - windows of tensors with channels first ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Output: `engine.load_box` of the rows of a window, as they lie, and
// `engine.transpose_rows`, which makes the window.
//
//===----------------------------------------------------------------------===//

#include "RawWindows.h"

#include "BoxRing.h"
#include "Roles/Synchronization.h"
#include "Support/TileChunks.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::RawWindow;
using convmlir::WindowTile;

static constexpr int64_t kUnit = RawWindow::kUnit;

FailureOr<RawWindows> RawWindows::get(Im2colOp copy, const WindowTile &tile,
                                      int64_t slots, bool hasOneThread) {
  convmlir::MatrixView view =
      copy.getView().getMatrixView(copy.getTensorShape());
  auto raw = convmlir::getRawWindow(view, tile);
  if (!raw)
    return copy.emitOpError() << "has no window: " << raw.error();
  RawWindows result(copy, *raw, tile);
  result.slots = slots;
  result.hasOneThread = hasOneThread;
  // Positions of the first line from one tile to the next.
  int64_t pitch = raw->isFlat ? raw->width : 1;
  int dim = raw->isFlat ? 0 : view.spatialRank - 1;
  if (tile.getDistance(dim) * pitch % raw->unit == 0) {
    int64_t first = view.offset[dim] * pitch % raw->unit;
    result.inFront = (first + raw->unit) % raw->unit;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

int64_t RawWindows::getSlotLines() const {
  return tile.getSlotLines() + RawWindow::getScratchLines(getChannels());
}

/// What is read before the first copy or product is what the generic proxy has
/// written.
void RawWindows::emitZeros(OpBuilder &builder, Location loc, Value ring,
                           int64_t threads) const {
  auto type = cast<MemRefType>(ring.getType());
  auto zeros = VectorType::get(kUnit, type.getElementType());
  SmallVector<ReassociationIndices> dims = {{0, 1, 2}};
  Value flat = memref::CollapseShapeOp::create(builder, loc, ring, dims);
  IndexMath math(builder, loc);
  Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(zeros));
  auto loop = scf::ForOp::create(builder, loc, math.mul(thread, kUnit),
                                 math.constant(type.getNumElements()),
                                 math.constant(threads * kUnit));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    vector::StoreOp::create(builder, loc, zero, flat, loop.getInductionVar(),
                            /*nontemporal=*/false, llvm::MaybeAlign(2 * kUnit));
  }
  emitProxyFence(builder, loc);
}

Value RawWindows::createBoxes(OpBuilder &builder, Location loc, int64_t number,
                              int64_t positions) const {
  SmallVector<int64_t> shape = {getChannels()};
  if (hasRowDim())
    shape.push_back(1);
  shape.push_back(positions);
  auto box = MemRefType::get(shape, getTileType().getElementType(), AffineMap(),
                             getTileType().getMemorySpace());
  return createRing(builder, loc, box, number);
}

void RawWindows::createMemory(OpBuilder &builder, Location loc, Value ring,
                              int64_t threads) {
  int64_t runs = slots * raw.runs;
  if (raw.boxesPerRun > 1)
    memory = createBoxes(builder, loc, runs * (raw.boxesPerRun - 1),
                         raw.boxPositions);
  lastMemory = createBoxes(builder, loc, runs, raw.lastPositions);
  if (raw.isFlat)
    emitZeros(builder, loc, ring, threads);
  source = copy.getSource();
  if (!raw.isFlat)
    return;
  OpBuilder::InsertionGuard guard(builder);
  setInsertionPointAfter(builder, source);
  SmallVector<ReassociationIndices> dims = {{0}, {1}, {2, 3}};
  source = memref::CollapseShapeOp::create(builder, loc, source, dims);
}

Value RawWindows::getBox(IndexMath &math, RingPosition place,
                         int64_t box) const {
  int64_t run = box / raw.boxesPerRun, inRun = box % raw.boxesPerRun;
  bool isLast = inRun == raw.boxesPerRun - 1;
  Value ring = isLast ? lastMemory : memory;
  int64_t perRun = isLast ? 1 : raw.boxesPerRun - 1;
  Value number = math.constant(run * perRun + (isLast ? 0 : inRun));
  if (place.slot)
    number = math.add(math.mul(place.slot, raw.runs * perRun), number);
  return getPart(math.getBuilder(), ring, number);
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// The position of a run's first line.
Value RawWindows::getStart(IndexMath &math, ValueRange coordinates) const {
  return raw.isFlat ? math.mul(coordinates[1], raw.width)
                    : *std::prev(coordinates.end(), 2);
}

/// Positions between the beginning of a run's first box and it.
Value RawWindows::getInFront(IndexMath &math, ValueRange coordinates) const {
  return inFront ? math.constant(*inFront)
                 : math.bitAnd(getStart(math, coordinates), kUnit - 1);
}

void RawWindows::emitLoad(IndexMath &math, ValueRange coordinates, Value box,
                          int64_t number, Value full, Value barrier) const {
  int64_t run = number / raw.boxesPerRun, inRun = number % raw.boxesPerRun;
  SmallVector<Value> place = {coordinates.front(), coordinates.back()};
  if (hasRowDim())
    place.push_back(math.add(coordinates[1], run));
  Value start =
      math.sub(getStart(math, coordinates), getInFront(math, coordinates));
  place.push_back(math.add(start, inRun * raw.boxPositions));
  markLoad(LoadBoxOp::create(math.getBuilder(), math.getLoc(), source, place,
                             box, full, barrier,
                             /*to_tf32=*/false, raw.isDense()));
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

/// Where filter tiles follow each other, the thread that copies them waits for
/// their slots, and another one loads boxes; else one thread does both.
int64_t RawWindows::getWarps() const {
  return kWarpsPerWarpgroup - (hasOneThread ? 1 : 2);
}

void RawWindows::markLoad(Operation *op) const {
  if (hasOneThread)
    markProducer(op);
  else
    markLoader(op);
}

void RawWindows::markBranch(Operation *branch) const {
  markLoad(branch);
  markProducers(branch, getWarps());
}

RingShape RawWindows::getShape() const {
  RingShape shape = {slots * raw.getBoxes(), {}};
  shape.hasLoader = !hasOneThread;
  shape.readers = getWarps();
  return shape;
}

RingShape RawWindows::getWindowShape(int64_t slots) const {
  RingShape shape = {slots, {}};
  shape.isCopied = false;
  shape.gatheringWarps = getWarps();
  return shape;
}

void RawWindows::emit(IndexMath &math, ValueRange coordinates, Value slot,
                      RingBarriers &windows, RingPosition position,
                      RingBarriers &boxes, RingPosition box) const {
  emitLoads(math, coordinates, boxes, box);
  windows.emitGather(position, [&] {
    emitTransposition(math, coordinates, slot, boxes, box);
  });
}

/// Of a box among those of all slots.
Value RawWindows::getNumber(IndexMath &math, RingPosition place,
                            int64_t box) const {
  if (!place.slot)
    return math.constant(box);
  return math.add(math.mul(place.slot, raw.getBoxes()), box);
}

void RawWindows::emitLoads(IndexMath &math, ValueRange coordinates,
                           RingBarriers &boxes, RingPosition box) const {
  for (int64_t i = 0; i < raw.getBoxes(); ++i) {
    Value barrier = math.add(getNumber(math, box, i), firstBarrier);
    boxes.emitFill({barrier, box.phase}, raw.getBoxBytes(i, getChannels()));
    emitLoad(math, coordinates, getBox(math, box, i), i, boxes.getFull(),
             barrier);
  }
}

/// A box is free when each warp has read its part.
void RawWindows::emitTransposition(IndexMath &math, ValueRange coordinates,
                                   Value slot, RingBarriers &boxes,
                                   RingPosition box) const {
  OpBuilder &builder = math.getBuilder();
  Location loc = math.getLoc();
  auto get = [&](const convmlir::Spatial &values) {
    return tile.hasStride() ? builder.getDenseI64ArrayAttr(
                                  ArrayRef(values).take_front(tile.spatialRank))
                            : DenseI64ArrayAttr();
  };
  Value before = getInFront(math, coordinates);
  for (int64_t i = 0; i < raw.getBoxes(); ++i) {
    int64_t run = i / raw.boxesPerRun, inRun = i % raw.boxesPerRun;
    Value barrier = math.add(getNumber(math, box, i), firstBarrier);
    Value memory = getBox(math, box, i);
    markProducers(boxes.emitAwait({barrier, box.phase}), getWarps());
    markProducers(TransposeRowsOp::create(
                      builder, loc, memory,
                      math.add(before, -inRun * raw.boxPositions), slot,
                      run * raw.rows, raw.rows, raw.width, raw.column,
                      tile.getPitch(), tile.getLines(), get(tile.stride),
                      get(tile.phases), get(tile.phaseLines), raw.isDense()),
                  getWarps());
    markProducers(emitWarpSync(builder, loc), getWarps());
    markProducers(boxes.emitRelease(barrier), getWarps());
  }
}
