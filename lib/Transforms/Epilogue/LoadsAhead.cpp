//===- LoadsAhead.cpp - operands of the epilogue before the sums ----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A residual is a tile that the epilogue reads where it writes the result. In a
// kernel of warpgroups, TMA loads it while these multiply, into the very memory
// where the result is staged; the epilogue reads it there, and writes the
// result over it.
//
// The memory is free for the load when the last store has read it. The thread
// that started that store is the only one that can wait for it, and starts the
// load. All other accesses of the last tile came before a proxy fence and a
// barrier, behind which this thread started the store. Each warpgroup has a
// barrier of its own, which completes one phase for each of its tiles.
//
//===----------------------------------------------------------------------===//

#include "LoadsAhead.h"

#include "Copies/EpilogueReads.h"
#include "Recomputation.h"
#include "Ring/RingBarriers.h"
#include "StagedTile.h"
#include "Support/TileChunks.h"
#include "WarpgroupStaging.h"
#include "conv/Dialect/Engine/IR/EngineOps.h"
#include "conv/Geometry/TmaView.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::conv;

/// Blocks of gemm-k that are multiplied before the last store is waited for: it
/// has long read its tile then.
static constexpr int64_t kBlocksBefore = 3;

//===----------------------------------------------------------------------===//
// The load
//===----------------------------------------------------------------------===//

namespace {

/// A read of a tile, and the scatter that writes to the same elements.
class AheadRead {
public:
  AheadRead(Im2colOp read, ScatterOp scatter, const KernelTiles &tiles)
      : read(read), scatter(scatter), tiles(tiles), shape(scatter, tiles) {}

  /// Why TMA cannot load the tile to where the result is staged, whether there
  /// is room or not; empty if it can. Finds the places of the load.
  std::string whyNot();

protected:
  bool namesSameElements();
  bool hasTensorMap();
  bool findTile();
  bool isKnownBefore();
  Operation *findPlace();
  SmallVector<Value> getTileOffsets();

  Im2colOp read;
  ScatterOp scatter;
  const KernelTiles &tiles;
  StagedShape shape;
  NVVM::FenceMbarrierInitOp barrierFence;
  Operation *contraction = nullptr; ///< The first one of the tile.
  scf::ForOp blocks;                ///< The loop over the others, or null.
  /// What must be true, or false, for the read.
  SmallVector<std::pair<Value, bool>> conditions;
};

/// Makes it a load by TMA.
class AheadLoader : public AheadRead {
public:
  AheadLoader(Im2colOp read, ScatterOp scatter, TileDistribution &distribution)
      : AheadRead(read, scatter, distribution), distribution(distribution),
        loc(read.getLoc()), tile(scatter, distribution) {}

  void load();

private:
  void createBarriers(TileAhead &ahead);
  void carryPhase(TileAhead &ahead);
  Value emitCondition(IndexMath &math, Recomputation &known);
  void emitWait(const TileAhead &ahead);
  void emitLoad(IndexMath &math, const TileAhead &ahead, Recomputation &known);

  TileDistribution &distribution;
  Location loc;
  StagedTile tile;
};

} // namespace

bool AheadRead::namesSameElements() {
  return read.getMixedOffsets() == scatter.getMixedOffsets() &&
         read.getPhase() == scatter.getPhase() &&
         read.getViews() == scatter.getViews() &&
         read.getSource().getType() == scatter.getDest().getType();
}

/// Rows past the end of a matrix are no hindrance for a load.
bool AheadRead::hasTensorMap() {
  if (!isa<BlockArgument>(read.getSource()))
    return false;
  if (shape.isBox())
    return true;
  MemRefType type = shape.getDestType();
  std::vector<convmlir::MatrixView> views;
  for (ViewAttr view : read.getAllViews())
    views.push_back(view.getMatrixView(type.getShape()));
  return convmlir::whyNoTensorMap(views, read.getView().getGroups(),
                                  type.getElementTypeBitWidth() / 8,
                                  shape.getPart().getRows(),
                                  shape.getPart().getColumns())
      .empty();
}

/// The body of the loop over tiles, or of a team's turn, is where the first
/// block is multiplied.
bool AheadRead::findTile() {
  gpu::GPUFuncOp func = tiles.func;
  func.walk([&](vector::ContractionOp op) {
    contraction = op;
    return WalkResult::interrupt();
  });
  func.walk([&](NVVM::FenceMbarrierInitOp op) { barrierFence = op; });
  if (!contraction || !barrierFence ||
      !isa<scf::IfOp>(barrierFence->getParentOp()))
    return false;
  Block *body = contraction->getBlock();
  for (Block *block = read->getBlock(); block != body;) {
    auto branch = dyn_cast<scf::IfOp>(block->getParentOp());
    if (!branch)
      return false;
    conditions.push_back({branch.getCondition(), block == branch.thenBlock()});
    block = branch->getBlock();
  }
  for (auto loop : body->getOps<scf::ForOp>())
    if (!loop.getBody()->getOps<vector::ContractionOp>().empty())
      blocks = loop;
  return true;
}

/// A team waits for its turn, and has time. Others start to multiply first, as
/// long as they have enough blocks.
Operation *AheadRead::findPlace() {
  if (tiles.schedule.getTeams() > 1 || !blocks)
    return &contraction->getBlock()->front();
  std::optional<int64_t> end = getConstantIntValue(blocks.getUpperBound());
  return end && *end > kBlocksBefore + 1 ? blocks.getBody()->getTerminator()
                                         : blocks.getOperation();
}

SmallVector<Value> AheadRead::getTileOffsets() {
  SmallVector<Value> offsets;
  for (OpFoldResult offset : read.getMixedOffsets())
    if (auto value = dyn_cast<Value>(offset))
      offsets.push_back(value);
  return offsets;
}

bool AheadRead::isKnownBefore() {
  Recomputation known(findPlace());
  SmallVector<Value> values = getTileOffsets();
  if (Value phase = read.getPhase())
    values.push_back(phase);
  for (auto [condition, isTrue] : conditions)
    values.push_back(condition);
  return llvm::all_of(values,
                      [&](Value value) { return known.isPossible(value); });
}

std::string AheadRead::whyNot() {
  if (!tiles.usesWarpgroups() ||
      tiles.getKind(read.getResult().getType()) != TileKind::Block)
    return "TMA loads tiles of the result's shape, in kernels with wgmma";
  if (!namesSameElements() || scatter.getZeroFill())
    return "the result is not written to the elements that are read";
  if (!shape.isWhole())
    return "the result is staged in parts";
  if (!shape.isCopiedByTma() || !hasTensorMap())
    return "TMA cannot copy the tile";
  if (!findTile() || !isKnownBefore())
    return "where the tile lies is not known before the sums";
  return "";
}

void AheadLoader::createBarriers(TileAhead &ahead) {
  OpBuilder builder(barrierFence->getParentOp());
  int64_t number = getNumConsumerWarpgroups(distribution.schedule);
  ahead.barriers = createBarrierGroup(builder, loc, number);
  builder.setInsertionPoint(barrierFence);
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  for (int64_t i = 0; i < number; ++i)
    nvgpu::MBarrierInitOp::create(builder, loc, ahead.barriers, constant(1),
                                  constant(i), /*predicate=*/Value());
}

/// Phases are counted by the loop over tiles; of teams, in a team's own turns.
void AheadLoader::carryPhase(TileAhead &ahead) {
  Operation *parent = contraction->getParentOp();
  Value isOwn;
  if (auto turn = dyn_cast<scf::IfOp>(parent)) {
    isOwn = turn.getCondition();
    parent = turn->getParentOp();
  }
  auto tiles = dyn_cast<scf::ForOp>(parent);
  IRRewriter rewriter(read.getContext());
  rewriter.setInsertionPoint(tiles ? parent : contraction);
  Value first = arith::ConstantIntOp::create(rewriter, loc, 0, 1);
  ahead.phase = first;
  if (!tiles)
    return;
  auto carrying = cast<scf::ForOp>(*tiles.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &builder, Location,
          ArrayRef<BlockArgument> arguments) -> SmallVector<Value> {
        Value flips =
            isOwn
                ? isOwn
                : arith::ConstantIntOp::create(builder, loc, 1, 1).getResult();
        return {arith::XOrIOp::create(builder, loc, arguments.front(), flips)};
      }));
  ahead.phase = carrying.getRegionIterArgs().back();
}

/// Null where the operand is always read.
Value AheadLoader::emitCondition(IndexMath &math, Recomputation &known) {
  OpBuilder &builder = math.getBuilder();
  Value all;
  for (auto [condition, isTrue] : conditions) {
    Value value = known.get(builder, condition);
    if (!isTrue)
      value = arith::XOrIOp::create(
          builder, loc, value,
          arith::ConstantIntOp::create(builder, loc, 1, 1));
    all = math.both(value, all);
  }
  return all;
}

/// What begins past the matrix, and is not stored, is loaded from its start.
void AheadLoader::emitLoad(IndexMath &math, const TileAhead &ahead,
                           Recomputation &known) {
  OpBuilder &builder = math.getBuilder();
  SmallVector<Value> tileOffsets;
  for (OpFoldResult offset : read.getMixedOffsets()) {
    auto value = dyn_cast<Value>(offset);
    tileOffsets.push_back(value ? known.get(builder, value)
                                : math.toValue(offset));
  }
  SmallVector<Value> offsets = tile.getOffsets(math, tileOffsets, 0, 0);
  Value slot = distribution.getWarpgroup();
  if (tile.isBox()) {
    LoadBoxOp::create(
        builder, loc, read.getSource(), tile.getBoxCoordinates(math, offsets),
        tile.viewAsBox(builder, ahead.staging), ahead.barriers, slot);
    return;
  }
  Value phase = read.getPhase();
  if (phase)
    phase = known.get(builder, phase);
  Value &row = offsets[read.getView().getRowDim()];
  row = math.select(tile.isPartThere(math, row, phase), row, math.constant(0));
  LoadTileOp::create(builder, loc, read.getSource(), offsets,
                     tile.dropScratch(builder, ahead.staging), ahead.barriers,
                     slot, phase, read.getViews(),
                     /*to_tf32=*/false);
}

/// In front of all that the epilogue reads: what it has read must not stay in
/// registers while it waits.
void AheadLoader::emitWait(const TileAhead &ahead) {
  Operation *place = read;
  auto isEpilogue = [](Operation *op) {
    return !isa<vector::ContractionOp, scf::ForOp>(op) &&
           (isMemoryEffectFree(op) ||
            isa<vector::TransferReadOp, Im2colOp>(op));
  };
  while (Operation *before = place->getPrevNode()) {
    if (!isEpilogue(before))
      break;
    place = before;
  }
  OpBuilder builder(place);
  emitPhaseWait(builder, loc, ahead.barriers, distribution.getWarpgroup(),
                ahead.phase);
}

void AheadLoader::load() {
  TileAhead ahead;
  ahead.staging = createStaging(distribution, loc, tile.getPart().getRows(),
                                tile.getPart().getColumns(),
                                tile.getDestType().getElementType());
  createBarriers(ahead);
  carryPhase(ahead);
  distribution.setTileAhead(read, ahead);
  distribution.setTileAhead(scatter, ahead);
  emitWait(ahead);

  Operation *place = findPlace();
  Recomputation known(place);
  OpBuilder builder(place);
  IndexMath math(builder, loc);
  Value starts = math.isBelow(math.rem(distribution.thread, kWarpgroupSize), 1);
  if (blocks && place->getParentOp() == blocks)
    starts =
        math.both(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        blocks.getInductionVar(),
                                        math.constant(kBlocksBefore)),
                  starts);
  math.guard(starts, [&] {
    NVVM::CpAsyncBulkWaitGroupOp::create(builder, loc, 0,
                                         builder.getUnitAttr());
    Value isRead = emitCondition(math, known);
    Value bytes = math.constant(tile.getBytes());
    nvgpu::MBarrierArriveExpectTxOp::create(
        builder, loc, ahead.barriers,
        math.select(isRead, bytes, math.constant(0)),
        distribution.getWarpgroup(), /*predicate=*/Value());
    math.guard(isRead, [&] { emitLoad(math, ahead, known); });
  });
}

//===----------------------------------------------------------------------===//
// As planned
//===----------------------------------------------------------------------===//

static constexpr char kNoPlace[] = "no tile is stored where it is read";

std::string conv::whyNotAhead(Im2colOp read, const KernelTiles &tiles,
                              ScatterOp &place) {
  std::string why = kNoPlace;
  for (auto scatter : read->getBlock()->getOps<ScatterOp>()) {
    why = AheadRead(read, scatter, tiles).whyNot();
    place = scatter;
    if (why.empty())
      break;
  }
  return why;
}

int64_t conv::getAheadBytes(ScatterOp place, const KernelTiles &tiles) {
  return getNumConsumerWarpgroups(tiles.schedule) *
         StagedShape(place, tiles).getBytesWithScratch();
}

static LogicalResult loadAhead(Im2colOp read, TileDistribution &distribution) {
  std::string why = kNoPlace;
  for (auto scatter : read->getBlock()->getOps<ScatterOp>()) {
    AheadLoader loader(read, scatter, distribution);
    why = loader.whyNot();
    if (!why.empty())
      continue;
    loader.load();
    return success();
  }
  return read.emitOpError("cannot be loaded ahead: ") << why;
}

LogicalResult mlir::conv::loadTileAhead(TileDistribution &distribution) {
  SmallVector<Im2colOp> reads = getEpilogueReads(distribution.func);
  auto ways = getPlannedReads(distribution.func, reads);
  if (failed(ways))
    return failure();
  for (auto [read, way] : llvm::zip_equal(reads, *ways))
    if (way == EpilogueRead::Ahead && failed(loadAhead(read, distribution)))
      return failure();
  return success();
}
