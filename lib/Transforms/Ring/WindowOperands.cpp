//===- WindowOperands.cpp - blocks of positions and their windows ---------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a nest whose contraction reads rows of dy, and the same rows of x for
// several taps. Output: `engine.load_box` of the positions of dy and of the
// window of x, `engine.read_taps` of the window (conv/Geometry/WindowBlock.h).
// Where dy has its channels first, the box is [channel, position] of an image.
// What else has its channels first is made of boxes of positions as they lie
// (RawWindows.h), or gathered, as the plan of the kernel says.
//
//===----------------------------------------------------------------------===//

#include "BoxOperand.h"
#include "GroupedTiles.h"
#include "RingOperands.h"
#include "WindowCoordinates.h"
#include "conv/Schedule/Forms/KMajorWgrad.h"
#include "conv/Schedule/Forms/WgradWindowShape.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "conv/Dialect/Engine/IR/EngineOps.h"
#include "conv/Geometry/WindowBlock.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::Spatial;
using convmlir::WindowBlock;

namespace {

class WindowOperands : public RingOperands {
public:
  WindowOperands(OpBuilder &builder, GemmKNest &nest, ScheduleAttr schedule)
      : builder(builder), nest(nest), schedule(schedule),
        loc(nest.contraction.getLoc()), math(builder, loc),
        blocks(builder, nest, rings) {}

  LogicalResult match();
  void createMemory(int64_t slots) override;
  int64_t getBytes() const override { return bytes; }
  bool isGathered() const override {
    return !boxRing && (positions.isGathered() || window.isGathered());
  }
  std::optional<RingShape> getBoxRing() const override { return boxRing; }
  int64_t getBoxSlots() const override { return boxSlots; }
  std::optional<int64_t> countOwnSlots(ScheduleAttr) const override {
    return boxRing ? std::optional(boxSlots) : std::nullopt;
  }
  void emitBoxLoads(ValueRange digits, RingBarriers &boxes,
                    RingPosition box) override;
  void emitTransposition(ValueRange digits, Value slot, RingBarriers &boxes,
                         RingPosition box) override;
  void emitLoads(ValueRange digits, Value slot, Value full) override;
  void emitGathers(ValueRange digits, Value slot, int64_t warps) override;
  Value emitContraction(Value slot, Value acc, Value) override;
  Value emitRowSum(Value slot, Value sums) override;

private:
  FailureOr<BoxOperand> getOperand(Value vector, bool isKMajor);
  LogicalResult verifyImages();
  LogicalResult planMemory();
  Value getLines(const BoxOperand &operand, Value slot, int64_t number);
  Value getBoxLines(const BoxOperand &operand, Value slot);
  Value getBox(BoxOperand &operand, Value slot);
  SmallVector<Value> getCoordinates(BoxOperand &operand, ValueRange digits);
  Value getSlot(BoxOperand &operand, Value slot);
  Value readPositions(Value slot);
  Value readTaps(Value slot);

  OpBuilder &builder;
  GemmKNest &nest;
  ScheduleAttr schedule;
  Location loc;
  IndexMath math;
  llvm::DenseMap<Value, Value> rings; ///< None of tiles.
  BlockBuilder blocks;
  BoxOperand positions, window;
  std::optional<RingShape> boxRing; ///< Of what comes as it lies.
  int64_t boxSlots = 1;
  int64_t bytes = 0; ///< That TMA copies.
};

} // namespace

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

bool conv::hasTapsOfWindow(GemmKNest &nest) {
  return cast<VectorType>(nest.contraction.getRhs().getType()).getRank() == 3;
}

FailureOr<BoxOperand> WindowOperands::getOperand(Value vector, bool isKMajor) {
  BoxOperand operand;
  operand.copy = nest.getCopy(vector);
  operand.isKMajor = isKMajor;
  operand.storedPositions = operand.getTileType().getShape().back();
  if (isKMajor)
    return operand;
  Im2colOp copy = operand.copy;
  MemRefType type = operand.getTileType();
  convmlir::MatrixView view =
      operand.getView().getMatrixView(copy.getTensorShape());
  if (type.getRank() == 3) {
    auto taps =
        convmlir::getTapBox(view.taps, view.spatialRank, type.getDimSize(1));
    if (!taps)
      return copy.emitOpError() << "has no window: " << taps.error();
    operand.taps = *taps;
  }
  auto block = convmlir::getWindowBlock(view, operand.taps, type.getDimSize(0));
  if (!block)
    return copy.emitOpError() << "has no window: " << block.error();
  operand.block = *block;
  return operand;
}

/// Blocks of images with channels first are runs of positions of one image.
LogicalResult WindowOperands::verifyImages() {
  Im2colOp copy = positions.copy;
  if (window.block.images != 1 || window.getView().getStrips() != 1 ||
      copy.getTensorShape().size() != 3 ||
      copy.getTensorShape().back() != window.getView().getRowsPerImage())
    return nest.contraction.emitOpError(
        "must have blocks of neighbouring positions of one image, where the "
        "left operand has its channels first");
  return success();
}

/// Divides shared memory, also for what comes as it lies. One thread loads
/// boxes and what else there is, a block's boxes first: so they are as far
/// ahead as their memory lets them be.
LogicalResult WindowOperands::planMemory() {
  SmallVector<BoxOperand *> gathered;
  int64_t lineBytes = 0, boxes = 0, boxBytes = 0;
  for (BoxOperand *operand : {&positions, &window})
    if (operand->isGathered())
      gathered.push_back(operand);
  auto getMatrix = [](BoxOperand *operand) {
    return operand->getView().getMatrixView(operand->copy.getTensorShape());
  };
  auto getRaw = [&](BoxOperand *operand) {
    return convmlir::getRawWindow(getMatrix(operand), operand->taps,
                                  operand->block);
  };
  bool hasRaw = llvm::any_of(gathered, [&](BoxOperand *operand) {
    return nest.getWay(operand->copy) == OperandCopy::Boxes;
  });
  for (BoxOperand *operand : gathered)
    if (hasRaw && !getRaw(operand))
      return operand->copy.emitOpError(
          "has no boxes, as the plan of its kernel says");
  for (BoxOperand *operand : {&positions, &window}) {
    if (operand->isKMajor)
      continue;
    if (!hasRaw || !operand->isGathered()) {
      lineBytes += operand->getSlotLines() * operand->getLineBytes();
      continue;
    }
    auto raw = *getRaw(operand);
    lineBytes += getRawSlotBytes(operand->block, operand->getChannels());
    boxes += raw.getBoxes();
    boxBytes += raw.getBytes(operand->getChannels());
  }
  if (positions.isKMajor && !nest.rowSum)
    positions.storedPositions = getStoredPositions(
        schedule, schedule.getStages() * lineBytes + boxBytes + kBarrierBytes);
  if (window.block.packed && (!hasRaw || !window.isGathered()))
    return window.copy.emitOpError(
        "has a window with a stride, which only warps can write");
  if (!hasRaw)
    return success();
  boxSlots = nest.plan.slots.value_or(conv::getBoxSlots(
      schedule, boxes, boxBytes,
      lineBytes + (positions.isKMajor ? positions.getBytes() : 0)));
  for (BoxOperand *operand : gathered) {
    FailureOr<RawWindows> raw =
        RawWindows::get(operand->copy,
                        convmlir::getWindowTile(getMatrix(operand),
                                                operand->taps, operand->block),
                        boxSlots, /*hasOneThread=*/true);
    if (failed(raw))
      return failure();
    RingShape shape = raw->getShape();
    if (boxRing) {
      raw->setFirstBarrier(boxRing->slots);
      shape.slots += boxRing->slots;
    }
    boxRing = shape;
    operand->raw = *raw;
  }
  return success();
}

LogicalResult WindowOperands::match() {
  AffineMap lhs = nest.contraction.getIndexingMapsArray()[0];
  bool isKMajor = nest.contraction.getIndexingMapsArray()[2].isFunctionOfDim(
      lhs.getDimPosition(0));
  FailureOr<BoxOperand> left = getOperand(nest.contraction.getLhs(), isKMajor);
  if (failed(left))
    return failure();
  FailureOr<BoxOperand> right =
      getOperand(nest.contraction.getRhs(), /*isKMajor=*/false);
  if (failed(right))
    return failure();
  positions = *left;
  window = *right;
  if (isKMajor) {
    if (failed(verifyImages()))
      return failure();
  } else if (positions.block.images != window.block.images ||
             positions.block.box != window.block.box) {
    return nest.contraction.emitOpError(
        "must have operands whose blocks are the same boxes of positions");
  }
  if (failed(planMemory()))
    return failure();
  for (BoxOperand *operand : {&positions, &window})
    bytes += operand->isGathered() ? 0 : operand->getBytes();
  return success();
}

/// Windows come first. compute-sanitizer takes the lines of an instruction's
/// taps, which overlap, for as many bytes behind each other, and would report
/// the last lines of shared memory.
void WindowOperands::createMemory(int64_t slots) {
  for (BoxOperand *operand : {&window, &positions}) {
    MemRefType tile = operand->getTileType();
    if (operand->isKMajor) {
      operand->ring = createRing(builder, loc, operand->getStoredType(), slots);
      continue;
    }
    auto type = MemRefType::get(
        {operand->getSlotLines(), operand->getChannels()},
        tile.getElementType(), AffineMap(), tile.getMemorySpace());
    operand->ring = createRing(builder, loc, type, slots);
    if (operand->raw)
      operand->raw->createMemory(builder, loc, operand->ring,
                                 getNumThreads(schedule));
  }
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// The first lines of a slot.
Value WindowOperands::getLines(const BoxOperand &operand, Value slot,
                               int64_t number) {
  auto type = cast<MemRefType>(operand.ring.getType());
  SmallVector<int64_t> shape = {number, type.getDimSize(2)};
  SmallVector<OpFoldResult> offsets = {slot, builder.getIndexAttr(0),
                                       builder.getIndexAttr(0)};
  SmallVector<OpFoldResult> sizes = {builder.getIndexAttr(1),
                                     builder.getIndexAttr(shape[0]),
                                     builder.getIndexAttr(shape[1])};
  SmallVector<OpFoldResult> strides(3, builder.getIndexAttr(1));
  MemRefType lines = memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, sizes, strides);
  return memref::SubViewOp::create(builder, loc, lines, operand.ring, offsets,
                                   sizes, strides);
}

/// Those that the box fills.
Value WindowOperands::getBoxLines(const BoxOperand &operand, Value slot) {
  return getLines(operand, slot, operand.block.getWindowLines());
}

Value WindowOperands::getBox(BoxOperand &operand, Value slot) {
  SmallVector<int64_t> extents = operand.getExtents();
  int64_t rank = extents.size();
  ReassociationIndices lines = llvm::to_vector(llvm::seq<int64_t>(rank - 1));
  return memref::ExpandShapeOp::create(
      builder, loc, extents, getBoxLines(operand, slot),
      ArrayRef<ReassociationIndices>{lines, {rank - 1}});
}

//===----------------------------------------------------------------------===//
// One block
//===----------------------------------------------------------------------===//

/// What of a slot the copy of an operand fills.
Value WindowOperands::getSlot(BoxOperand &operand, Value slot) {
  return operand.isKMajor
             ? getLines(operand, slot, operand.getTileType().getDimSize(0))
             : getBox(operand, slot);
}

/// Where the box of a block begins in the tensor.
SmallVector<Value> WindowOperands::getCoordinates(BoxOperand &operand,
                                                  ValueRange digits) {
  if (operand.isKMajor)
    return getImageCoordinates(math, operand.copy,
                               blocks.getOffsets(operand.copy, digits));
  ViewAttr view = operand.getView();
  SmallVector<Value> offsets =
      dropGroups(builder, operand.copy, blocks.getOffsets(operand.copy, digits))
          .offsets;
  SmallVector<Value> coordinates = emitPosition(math, view, offsets[0]);
  for (auto [d, distance] :
       llvm::enumerate(emitTapDistance(math, view, offsets[1])))
    coordinates[d + 1] = math.add(coordinates[d + 1], distance);
  coordinates.push_back(offsets.back());
  return coordinates;
}

void WindowOperands::emitLoads(ValueRange digits, Value slot, Value full) {
  for (BoxOperand *operand : {&positions, &window})
    if (!operand->isGathered())
      markProducer(LoadBoxOp::create(builder, loc, operand->copy.getSource(),
                                     getCoordinates(*operand, digits),
                                     getSlot(*operand, slot), full, slot,
                                     /*to_tf32=*/false));
}

void WindowOperands::emitGathers(ValueRange digits, Value slot, int64_t warps) {
  for (BoxOperand *operand : {&positions, &window})
    if (operand->isGathered())
      markProducers(GatherBoxOp::create(builder, loc, operand->copy.getSource(),
                                        getCoordinates(*operand, digits),
                                        getBox(*operand, slot)),
                    warps);
}

void WindowOperands::emitBoxLoads(ValueRange digits, RingBarriers &boxes,
                                  RingPosition box) {
  for (BoxOperand *operand : {&positions, &window})
    if (operand->raw)
      operand->raw->emitLoads(math, getCoordinates(*operand, digits), boxes,
                              box);
}

void WindowOperands::emitTransposition(ValueRange digits, Value slot,
                                       RingBarriers &boxes, RingPosition box) {
  for (BoxOperand *operand : {&positions, &window})
    if (operand->raw)
      operand->raw->emitTransposition(
          math, getCoordinates(*operand, digits),
          getLines(*operand, slot, operand->raw->getSlotLines()), boxes, box);
}

Value WindowOperands::readPositions(Value slot) {
  auto type = cast<VectorType>(nest.contraction.getLhs().getType());
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  return vector::TransferReadOp::create(builder, loc, type,
                                        positions.isKMajor
                                            ? getSlot(positions, slot)
                                            : getBoxLines(positions, slot),
                                        SmallVector<Value>(2, math.constant(0)),
                                        zero, SmallVector<bool>(2, true));
}

Value WindowOperands::readTaps(Value slot) {
  const WindowBlock &block = window.block;
  int rank = block.spatialRank;
  SmallVector<int64_t> box = {block.images};
  llvm::append_range(box, ArrayRef(block.box).take_front(rank));
  DenseI64ArrayAttr stride, phaseLines;
  if (block.packed) {
    stride = builder.getDenseI64ArrayAttr(window.getView().getStride());
    phaseLines = builder.getDenseI64ArrayAttr(
        ArrayRef(block.packed->phaseLines).take_front(rank));
  }
  return ReadTapsOp::create(
      builder, loc, nest.contraction.getRhs().getType(), getBox(window, slot),
      builder.getDenseI64ArrayAttr(box),
      builder.getDenseI64ArrayAttr(ArrayRef(window.taps).take_front(rank)),
      builder.getDenseI64ArrayAttr(window.getView().getStep()), stride,
      phaseLines);
}

Value WindowOperands::emitContraction(Value slot, Value acc, Value) {
  IRMapping operands;
  operands.map(nest.contraction.getLhs(), readPositions(slot));
  operands.map(nest.contraction.getRhs(), readTaps(slot));
  return blocks.emitContraction(slot, acc, std::move(operands));
}

/// Positions that padding adds are zero.
Value WindowOperands::emitRowSum(Value slot, Value sums) {
  IRMapping operands;
  operands.map(nest.contraction.getLhs(), readPositions(slot));
  return blocks.emitRowSum(slot, sums, std::move(operands));
}

FailureOr<std::unique_ptr<RingOperands>>
conv::makeWindowOperands(OpBuilder &builder, GemmKNest &nest,
                         ScheduleAttr schedule) {
  auto operands = std::make_unique<WindowOperands>(builder, nest, schedule);
  if (failed(operands->match()))
    return failure();
  return std::unique_ptr<RingOperands>(std::move(operands));
}
