//===- TileOperands.cpp - one tile for each operand in a ring -------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a nest whose copies fill tiles. Output: `conv.load_tile` of each, or
// `conv.load_box` of images with their channels first. A `conv.im2col` with
// channels_first stays one: threads of the producer make it.
//
//===----------------------------------------------------------------------===//

#include "RingBarriers.h"
#include "RingOperands.h"

#include "Clusters.h"
#include "GroupedTiles.h"
#include "conv/Dialect/Conv/IR/ConvHopperOps.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
class TileOperands : public RingOperands {
public:
  TileOperands(OpBuilder &builder, GemmKNest &nest)
      : builder(builder), nest(nest), blocks(builder, nest, rings) {}

  void createMemory(int64_t slots) override {
    rings = createRings(builder, nest, slots);
  }
  SmallVector<Value> findPeers(Location loc, ScheduleAttr schedule) override;
  int64_t getBytes() const override {
    int64_t bytes = 0;
    for (Im2colOp copy : nest.copies)
      if (!copy.getChannelsFirst())
        bytes += getTileBytes(cast<MemRefType>(copy.getDest().getType()));
    return bytes;
  }
  bool isGathered() const override {
    return llvm::any_of(nest.copies,
                        [](Im2colOp copy) { return copy.getChannelsFirst(); });
  }
  bool gathersAsync() const override {
    return llvm::any_of(nest.copies,
                        [](Im2colOp copy) { return copy.getTransposed(); });
  }
  void emitLoads(ValueRange digits, Value slot, Value full) override {
    blocks.emitCopies(digits, slot,
                      [&](Im2colOp copy, ValueRange offsets, Value dest) {
                        if (!copy.getChannelsFirst())
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
  Value emitContraction(Value slot, Value acc) override {
    return blocks.emitContraction(slot, acc);
  }
  Value emitRowSum(Value slot, Value sums) override {
    return blocks.emitRowSum(slot, sums, IRMapping());
  }

private:
  void emitLoad(Im2colOp copy, ValueRange offsets, Value dest, Value full,
                Value slot);

  OpBuilder &builder;
  GemmKNest &nest;
  llvm::DenseMap<Value, Value> rings;
  BlockBuilder blocks;
  llvm::DenseMap<Value, ClusterPlace::Share> shares; ///< Of tiles.
};
} // namespace

void TileOperands::emitLoad(Im2colOp copy, ValueRange offsets, Value dest,
                            Value full, Value slot) {
  if (hasImageGroups(copy.getView(), copy.getTensorShape()))
    return markProducer(
        LoadBoxOp::create(builder, copy.getLoc(), copy.getSource(),
                          getImageCoordinates(offsets), dest, full, slot));
  ClusterPlace::Share share = shares.lookup(copy.getDest());
  UngroupedTile tile = dropGroups(builder, copy, offsets);
  markProducer(LoadTileOp::create(
      builder, copy.getLoc(), copy.getSource(), tile.offsets, dest, full, slot,
      copy.getPhase(), share.part, share.workgroups,
      builder.getArrayAttr(tile.views), share.parts, roundsToTF32(nest)));
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

std::unique_ptr<RingOperands> conv::makeTileOperands(OpBuilder &builder,
                                                     GemmKNest &nest) {
  return std::make_unique<TileOperands>(builder, nest);
}
