//===- ImageTapOperands.cpp - dy and images as they lie -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a nest whose contraction reads dy, K-major, and rows of x for several
// taps, where x has its channels first. Output: `engine.load_box` of a tile
// [filter, position] of dy and of boxes [channel, position] of x as it lies,
// `engine.read_image_taps` of these (conv/Geometry/ImageTaps.h).
//
//===----------------------------------------------------------------------===//

#include "BoxRing.h"
#include "GroupedTiles.h"
#include "RingOperands.h"
#include "Support/TileChunks.h"
#include "WindowCoordinates.h"
#include "conv/Dialect/Engine/IR/EngineOps.h"
#include "conv/Geometry/WindowBlock.h"
#include "conv/Schedule/Forms/ImageTapShape.h"
#include "conv/Schedule/Forms/KMajorWgrad.h"
#include "conv/Schedule/Resources.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::ImageTaps;

/// Positions of the products with which a block begins: one instruction for
/// each tap.
static constexpr int64_t kFirstPositions = ImageTaps::kStep;

namespace {

class ImageTapOperands : public RingOperands {
public:
  ImageTapOperands(OpBuilder &builder, GemmKNest &nest, ScheduleAttr schedule)
      : builder(builder), nest(nest), schedule(schedule),
        loc(nest.contraction.getLoc()), math(builder, loc),
        blocks(builder, nest, rings) {}

  LogicalResult match();
  void createMemory(int64_t slots) override;
  int64_t getBytes() const override {
    return getTileBytes(dyType) + block.getBytes(channels);
  }
  void emitLoads(ValueRange digits, Value slot, Value full) override;
  bool isReadByThreads() const override { return true; }
  Value emitFirstProducts(Value slot, Value acc) override;
  Value emitContraction(Value slot, Value acc, Value) override;
  Value emitRowSum(Value slot, Value sums) override;

private:
  /// Where the first tap of a block meets its first position.
  struct Start {
    Value image, row, column, channel;
  };
  Start getStart(ValueRange digits);
  Value getFirst(const Start &start);
  Value getFront(const Start &start);
  void createSource();
  void emitBoxLoads(const Start &start, Value slot, Value full);
  Value readPositions(Value slot, int64_t first, int64_t number);
  Value readTaps(Value slot);
  Value multiply(Value slot, Value acc, int64_t first, int64_t number);

  OpBuilder &builder;
  GemmKNest &nest;
  ScheduleAttr schedule;
  Location loc;
  IndexMath math;
  llvm::DenseMap<Value, Value> rings; ///< None of tiles.
  BlockBuilder blocks;
  Im2colOp dy, x; ///< The copies.
  MemRefType dyType;
  ImageTaps block;
  int64_t channels = 0, numPositions = 0; ///< Of a tile and a block.
  Value dyRing, boxRing;
  Value source;              ///< x, or as images [channel, position].
  SmallVector<Value> digits; ///< Of the block whose loads came last.
  Value taps;                ///< Of that whose first products did.
};

} // namespace

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

LogicalResult ImageTapOperands::match() {
  dy = nest.getCopy(nest.contraction.getLhs());
  x = nest.getCopy(nest.contraction.getRhs());
  auto tile = cast<MemRefType>(x.getDest().getType());
  if (!x.getChannelsFirst() || tile.getRank() != 3)
    return nest.contraction.emitOpError(
        "must have a right operand with its channels first, of taps");
  convmlir::MatrixView view = x.getView().getMatrixView(x.getTensorShape());
  auto taps =
      convmlir::getTapBox(view.taps, view.spatialRank, tile.getDimSize(1));
  if (!taps)
    return x.emitOpError() << "has no taps: " << taps.error();
  auto found = convmlir::getImageTaps(view, *taps, tile.getDimSize(0));
  if (!found)
    return x.emitOpError() << "cannot be read as it lies: " << found.error();
  block = *found;
  channels = tile.getShape().back();
  auto ofTile = cast<MemRefType>(dy.getDest().getType());
  numPositions = ofTile.getDimSize(1);
  int64_t stored = getStoredPositions(
      schedule,
      schedule.getStages() * block.getBytes(channels) + kBarrierBytes);
  dyType =
      MemRefType::get({ofTile.getDimSize(0), stored}, ofTile.getElementType(),
                      AffineMap(), ofTile.getMemorySpace());
  return success();
}

void ImageTapOperands::createSource() {
  source = x.getSource();
  if (block.kind == ImageTaps::Kind::Part ||
      cast<MemRefType>(source.getType()).getRank() == 3)
    return;
  OpBuilder::InsertionGuard guard(builder);
  setInsertionPointAfter(builder, source);
  source = memref::CollapseShapeOp::create(
      builder, loc, source, ArrayRef<ReassociationIndices>{{0}, {1}, {2, 3}});
}

void ImageTapOperands::createMemory(int64_t slots) {
  auto tile = cast<MemRefType>(x.getDest().getType());
  auto boxes = MemRefType::get({block.boxes, channels, block.boxLength},
                               tile.getElementType(), AffineMap(),
                               tile.getMemorySpace());
  dyRing = createRing(builder, loc, dyType, slots);
  boxRing = createRing(builder, loc, boxes, slots);
  createSource();
}

//===----------------------------------------------------------------------===//
// One block
//===----------------------------------------------------------------------===//

/// Column 0 of a part is the one that its first position meets.
ImageTapOperands::Start ImageTapOperands::getStart(ValueRange digits) {
  ViewAttr view = x.getView();
  SmallVector<Value> offsets =
      dropGroups(builder, x, blocks.getOffsets(x, digits)).offsets;
  SmallVector<Value> position = emitPosition(math, view, offsets[0]);
  Value row = math.constant(0);
  if (view.getSpatialRank() == 2)
    row =
        math.add(position[1], emitTapDistance(math, view, offsets[1]).front());
  Value column = math.add(position.back(), -view.getOffset().back());
  return {position[0], row, column, offsets.back()};
}

/// The position at which the first box begins, or the column of a part.
Value ImageTapOperands::getFirst(const Start &start) {
  if (block.kind == ImageTaps::Kind::Part)
    return math.add(start.column,
                    x.getView().getOffset().back() - block.margin);
  Value column0 = math.add(math.mul(start.row, block.extent), -block.margin);
  if (block.front)
    return math.add(column0, -*block.front);
  return math.bitAnd(column0, -ImageTaps::kUnit);
}

/// Elements in front of the margin.
Value ImageTapOperands::getFront(const Start &start) {
  if (block.front)
    return math.constant(*block.front);
  return math.sub(math.add(math.mul(start.row, block.extent), -block.margin),
                  getFirst(start));
}

void ImageTapOperands::emitBoxLoads(const Start &start, Value slot,
                                    Value full) {
  bool isPart = block.kind == ImageTaps::Kind::Part;
  bool hasRows = isPart && x.getView().getSpatialRank() == 2;
  Value boxes = getPart(builder, boxRing, slot);
  Value first = getFirst(start);
  for (int64_t i = 0; i < block.boxes; ++i) {
    Value box = getPart(builder, boxes, math.constant(i));
    SmallVector<Value> place = {start.image, start.channel};
    if (hasRows) {
      place.push_back(math.add(start.row, i * block.boxDistance));
      box = memref::ExpandShapeOp::create(
          builder, loc, ArrayRef<int64_t>{channels, 1, block.boxLength}, box,
          ArrayRef<ReassociationIndices>{{0, 1}, {2}});
    }
    place.push_back(isPart ? first : math.add(first, i * block.boxDistance));
    markProducer(LoadBoxOp::create(builder, loc, source, place, box, full, slot,
                                   /*to_tf32=*/false, /*dense=*/true));
  }
}

void ImageTapOperands::emitLoads(ValueRange digits, Value slot, Value full) {
  markProducer(LoadBoxOp::create(
      builder, loc, dy.getSource(),
      getImageCoordinates(math, dy, blocks.getOffsets(dy, digits)),
      getPart(builder, dyRing, slot), full, slot, /*to_tf32=*/false));
  emitBoxLoads(getStart(digits), slot, full);
  this->digits.assign(digits.begin(), digits.end());
}

/// Some of the positions of a block; others may be stored beside them.
Value ImageTapOperands::readPositions(Value slot, int64_t first,
                                      int64_t number) {
  auto type =
      VectorType::get({dyType.getDimSize(0), number}, dyType.getElementType());
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  return vector::TransferReadOp::create(
      builder, loc, type, getPart(builder, dyRing, slot),
      ValueRange{math.constant(0), math.constant(first)}, zero,
      SmallVector<bool>(2, true));
}

/// All taps of a block.
Value ImageTapOperands::readTaps(Value slot) {
  Value front = getFront(getStart(digits));
  auto type = VectorType::get({numPositions, block.numTaps(), channels},
                              dyType.getElementType());
  return ReadImageTapsOp::create(
      builder, loc, type, getPart(builder, boxRing, slot), front, block.width,
      ArrayRef<int64_t>{block.tapRows, block.tapColumns}, block.extent,
      block.column, block.margin,
      ArrayRef<int64_t>{block.columnStride, block.columnStep},
      ArrayRef<int64_t>{block.rowStride, block.rowStep});
}

Value ImageTapOperands::multiply(Value slot, Value acc, int64_t first,
                                 int64_t number) {
  vector::ContractionOp all = nest.contraction;
  int64_t offsets[] = {first, 0, 0};
  int64_t sizes[] = {number, block.numTaps(), channels};
  int64_t strides[] = {1, 1, 1};
  Value part = vector::ExtractStridedSliceOp::create(builder, loc, taps,
                                                     offsets, sizes, strides);
  return vector::ContractionOp::create(
      builder, loc, readPositions(slot, first, number), part, acc,
      all.getIndexingMaps(), all.getIteratorTypes(), all.getKind());
}

Value ImageTapOperands::emitFirstProducts(Value slot, Value acc) {
  taps = readTaps(slot);
  return multiply(slot, acc, /*first=*/0, kFirstPositions);
}

Value ImageTapOperands::emitContraction(Value slot, Value acc, Value) {
  if (numPositions == kFirstPositions)
    return acc;
  return multiply(slot, acc, kFirstPositions, numPositions - kFirstPositions);
}

/// No schedule has sums of rows of dy here.
Value ImageTapOperands::emitRowSum(Value, Value) {
  llvm_unreachable("images in registers have no sums of rows");
}

FailureOr<std::unique_ptr<RingOperands>>
conv::makeImageTapOperands(OpBuilder &builder, GemmKNest &nest,
                           ScheduleAttr schedule) {
  auto operands = std::make_unique<ImageTapOperands>(builder, nest, schedule);
  if (failed(operands->match()))
    return failure();
  return std::unique_ptr<RingOperands>(std::move(operands));
}
