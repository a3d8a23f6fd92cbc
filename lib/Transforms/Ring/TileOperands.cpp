//===- TileOperands.cpp - one tile for each operand in a ring -------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a nest whose copies fill tiles. Output: `engine.load_tile` of each, or
// `engine.load_box` of images with their channels first. A `conv.im2col` with
// channels_first stays one: threads of the producer make it. Or TMA loads boxes
// of its images (BoxRing.h).
//
//===----------------------------------------------------------------------===//

#include "MakeBoxRing.h"
#include "RingOperands.h"
#include "Roles/Synchronization.h"

#include "GroupedTiles.h"
#include "OuterParts.h"
#include "Roles/Clusters.h"
#include "conv/Dialect/Engine/IR/EngineOps.h"
#include "conv/Geometry/SharedTile.h"
#include "conv/Schedule/Forms/Kn2rowSchedule.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
class TileOperands : public RingOperands {
public:
  TileOperands(OpBuilder &builder, GemmKNest &nest, ScheduleAttr schedule)
      : builder(builder), nest(nest), blocks(builder, nest, rings),
        leavesOuter(schedule.getMma() == MmaKind::Wgmma &&
                    schedule.getClusterSize() == 1 && !schedule.getKn2row()),
        lasting(findLasting()) {}

  LogicalResult match(ScheduleAttr schedule) {
    auto boxes = makeBoxRing(builder, nest, schedule);
    if (failed(boxes))
      return failure();
    raw = std::move(*boxes);
    return success();
  }

  void createMemory(int64_t slots) override {
    for (Im2colOp copy : nest.copies)
      rings[copy.getDest()] =
          createRing(builder, copy.getLoc(), getSlotType(copy),
                     copy == lasting ? getLastingBlocks() : slots);
    if (raw)
      raw->createMemory();
  }
  int64_t getSlots(ScheduleAttr schedule) const override;
  std::optional<int64_t> countOwnSlots(ScheduleAttr schedule) const override;
  SmallVector<Value> findPeers(Location loc, ScheduleAttr schedule) override;
  int64_t getBytes() const override {
    int64_t bytes = 0;
    for (Im2colOp copy : nest.copies)
      if (!copy.getChannelsFirst() && copy != lasting)
        bytes += getTileBytes(getTileType(copy));
    return bytes;
  }
  Value emitBytes(IndexMath &math, ValueRange digits) override {
    Value bytes = math.constant(getBytes());
    for (Im2colOp copy : nest.copies)
      if (OuterParts outer = getOuter(copy); outer.panels || outer.rows) {
        Value inner =
            emitInnerBytes(math, copy, blocks.getOffsets(copy, digits), outer);
        int64_t whole = getTileBytes(getTileType(copy));
        bytes = math.sub(bytes, math.sub(math.constant(whole), inner));
      }
    return bytes;
  }
  int64_t getLastingBlocks() const override {
    return lasting ? *nest.getConstantBlocks() : 0;
  }
  int64_t getLastingBytes() const override {
    return getTileBytes(getTileType(lasting));
  }
  void emitLastingLoad(ValueRange digits, Value block, Value full) override {
    emitLoad(lasting, blocks.getOffsets(lasting, digits),
             blocks.getSlot(lasting.getLoc(), lasting.getDest(), block), full,
             block);
  }
  bool isGathered() const override {
    return llvm::any_of(nest.copies,
                        [](Im2colOp copy) { return copy.getChannelsFirst(); });
  }
  bool gathersAsync() const override { return gathersTransposed() && !raw; }
  std::optional<RingShape> getBoxRing() const override {
    return raw ? std::optional(raw->getShape()) : std::nullopt;
  }
  int64_t getBoxSlots() const override { return raw ? raw->countSlots() : 1; }
  int64_t getBoxSlotsOfBlock() const override;
  void emitBoxLoads(ValueRange digits, RingBarriers &barriers,
                    RingPosition position) override;
  void emitTransposition(ValueRange digits, Value slot, RingBarriers &barriers,
                         RingPosition position) override;
  void emitLoads(ValueRange digits, Value slot, Value full) override {
    blocks.emitCopies(digits, slot,
                      [&](Im2colOp copy, ValueRange offsets, Value dest) {
                        if (!copy.getChannelsFirst() && copy != lasting)
                          emitLoad(copy, offsets, dest, full, slot);
                      });
  }
  void emitGathers(ValueRange digits, Value slot, int64_t warps) override {
    blocks.emitCopies(
        digits, slot, [&](Im2colOp copy, ValueRange offsets, Value dest) {
          if (copy.getChannelsFirst())
            markProducers(Im2colOp::create(builder, copy.getLoc(), TypeRange(),
                                           copy.getSource(), offsets, dest,
                                           copy.getPhase(), copy.getViews(),
                                           /*async=*/copy.getTransposedAttr(),
                                           copy.getChannelsFirstAttr(),
                                           copy.getTransposedAttr()),
                          warps);
        });
  }
  Value emitContraction(Value slot, Value acc, Value block) override {
    if (!lasting)
      return blocks.emitContraction(slot, acc);
    return blocks.emitContraction(slot, acc, {lasting.getDest(), block});
  }
  Value emitRowSum(Value slot, Value sums) override {
    return blocks.emitRowSum(slot, sums, IRMapping());
  }

private:
  /// Whether tiles are positions in their order.
  bool gathersTransposed() const {
    return llvm::any_of(nest.copies,
                        [](Im2colOp copy) { return copy.getTransposed(); });
  }
  static MemRefType getTileType(Im2colOp copy) {
    return cast<MemRefType>(copy.getDest().getType());
  }
  /// An instruction reads whole groups of lines, the last of which may be
  /// behind the tile; so its next panel or slot begins where the swizzle does.
  /// And lines are whole panels.
  static MemRefType getSlotType(Im2colOp copy) {
    MemRefType type = getTileType(copy);
    SmallVector<int64_t> shape(type.getShape());
    shape.front() =
        llvm::alignTo(shape.front(), convmlir::SharedTile::kSwizzlePeriod);
    if (copy.getTransposed())
      shape.back() = convmlir::PanelTile::alignColumns(
          shape.back(), type.getElementTypeBitWidth() / 8);
    return MemRefType::Builder(type).setShape(shape);
  }
  Im2colOp findLasting();
  /// What is left out of a tile past its matrix.
  OuterParts getOuter(Im2colOp copy) {
    if (!leavesOuter || copy == lasting)
      return {};
    return findOuterParts(nest, copy);
  }
  void emitLoad(Im2colOp copy, ValueRange offsets, Value dest, Value full,
                Value slot);

  OpBuilder &builder;
  GemmKNest &nest;
  llvm::DenseMap<Value, Value> rings;
  BlockBuilder blocks;
  llvm::DenseMap<Value, ClusterPlace::Share> shares; ///< Of tiles.
  /// Whether parts past an operand are left out. Workgroups of a cluster load
  /// all for each other, threads that read tiles themselves read all, and
  /// shifted taps begin in front of it.
  bool leavesOuter;
  Im2colOp lasting; ///< The copy that is made once; or null.
  std::unique_ptr<BoxRing> raw;
};
} // namespace

/// That of the operand that the plan keeps.
Im2colOp TileOperands::findLasting() {
  switch (nest.plan.keeps.value_or(KeptOperand::None)) {
  case KeptOperand::None:
    return nullptr;
  case KeptOperand::Left:
    return nest.getCopy(nest.contraction.getLhs());
  case KeptOperand::Right:
    return nest.getCopy(nest.contraction.getRhs());
  }
  llvm_unreachable("not an operand");
}

/// Of what is read beside filters that stay there are as many as these leave
/// room for.
std::optional<int64_t>
TileOperands::countOwnSlots(ScheduleAttr schedule) const {
  if (raw)
    return raw->countSlots();
  if (!lasting || !schedule.getKn2row())
    return std::nullopt;
  return nest.plan.slots.value_or(countSlotsBesideFilters(
      schedule, getLastingBlocks() * getTileBytes(getTileType(lasting))));
}

int64_t TileOperands::getSlots(ScheduleAttr schedule) const {
  std::optional<int64_t> own = countOwnSlots(schedule);
  return own && !raw ? *own : schedule.getStages();
}

void TileOperands::emitLoad(Im2colOp copy, ValueRange offsets, Value dest,
                            Value full, Value slot) {
  if (hasImageGroups(copy.getView(), copy.getTensorShape()))
    return markProducer(
        LoadBoxOp::create(builder, copy.getLoc(), copy.getSource(),
                          getImageCoordinates(offsets), dest, full, slot));
  ClusterPlace::Share share = shares.lookup(copy.getDest());
  LoadedTile tile = getLoadedTile(builder, nest, copy, offsets);
  OuterParts outer = getOuter(copy);
  markProducer(LoadTileOp::create(
      builder, copy.getLoc(), copy.getSource(), tile.offsets, dest, full, slot,
      copy.getPhase(), share.part, share.workgroups,
      builder.getArrayAttr(tile.views), share.parts, roundsToTF32(nest),
      outer.panels, outer.rows));
}

int64_t TileOperands::getBoxSlotsOfBlock() const {
  int64_t slots = 0;
  for (Im2colOp copy : nest.copies)
    if (raw && copy.getChannelsFirst())
      slots += raw->countParts(copy);
  return std::max<int64_t>(slots, 1);
}

void TileOperands::emitBoxLoads(ValueRange digits, RingBarriers &barriers,
                                RingPosition position) {
  for (Im2colOp copy : nest.copies) {
    if (!copy.getChannelsFirst())
      continue;
    SmallVector<Value> offsets = blocks.getOffsets(copy, digits);
    for (int64_t part = 0; part < raw->countParts(copy); ++part) {
      raw->emitLoads(copy, offsets, part, barriers, position);
      position = barriers.emitNext(position);
    }
  }
}

/// A slot of boxes is free when each warp has read its part.
void TileOperands::emitTransposition(ValueRange digits, Value slot,
                                     RingBarriers &barriers,
                                     RingPosition position) {
  int64_t warps = raw->countWarps();
  blocks.emitCopies(
      digits, slot, [&](Im2colOp copy, ValueRange offsets, Value) {
        if (!copy.getChannelsFirst())
          return;
        Value tile = getPart(builder, rings.lookup(copy.getDest()), slot);
        for (int64_t part = 0; part < raw->countParts(copy); ++part) {
          markProducers(barriers.emitAwait(position), warps);
          raw->emitPart(copy, offsets, part, tile, position.slot);
          markProducers(emitWarpSync(builder, copy.getLoc()), warps);
          markProducers(barriers.emitRelease(position.slot), warps);
          position = barriers.emitNext(position);
        }
      });
}

/// The operands of the contraction say along which dimension of the cluster
/// their tiles are the same.
SmallVector<Value> TileOperands::findPeers(Location loc,
                                           ScheduleAttr schedule) {
  if (schedule.getClusterSize() == 1)
    return {};
  ClusterPlace place = emitClusterPlace(builder, loc, schedule);
  for (bool isA : {true, false}) {
    Value operand = isA ? nest.contraction.getLhs() : nest.contraction.getRhs();
    shares[getOperandRead(operand).getBase()] =
        place.getShare(builder, loc, isA);
  }
  return place.getPeers(builder, loc);
}

FailureOr<std::unique_ptr<RingOperands>>
conv::makeTileOperands(OpBuilder &builder, GemmKNest &nest,
                       ScheduleAttr schedule) {
  auto operands = std::make_unique<TileOperands>(builder, nest, schedule);
  if (failed(operands->match(schedule)))
    return failure();
  return std::unique_ptr<RingOperands>(std::move(operands));
}
