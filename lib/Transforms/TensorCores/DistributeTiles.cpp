//===- DistributeTiles.cpp - tiles of a workgroup to one thread's part ----===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of a kernel are visited in order; each one on tiles gets its
// counterpart on fragments, and is erased at the end. Loops are rebuilt with
// one loop-carried value for each fragment, or for each accumulator of a
// warpgroup.
//
//===----------------------------------------------------------------------===//

#include "Roles/Warpgroups.h"
#include "Support/OperandConversion.h"
#include "Support/TileChunks.h"
#include "TileDistribution.h"
#include "WindowTaps.h"
#include "conv/Dialect/Conv/IR/KernelAttributes.h"
#include "conv/Dialect/Engine/IR/EngineOps.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::conv;

//===----------------------------------------------------------------------===//
// TileDistribution
//===----------------------------------------------------------------------===//

TileDistribution::TileDistribution(gpu::GPUFuncOp func, ScheduleAttr schedule)
    : KernelTiles(func, schedule), thread(getThreadIndex(func)),
      scatters(getScatters()) {
  OpBuilder builder(func.getContext());
  setInsertionPointAfter(builder, thread);
  IndexMath math(builder, func.getLoc());
  if (schedule.getTeams() > 1)
    thread = math.rem(thread, schedule.getThreads());
  origin = layout.getOrigin(math, thread);
}

Value TileDistribution::getWarpgroup() {
  if (!warpgroup) {
    OpBuilder builder(func.getContext());
    Value index = getThreadIndex(func);
    setInsertionPointAfter(builder, index);
    warpgroup = emitWarpgroupIndex(builder, func.getLoc(), index);
  }
  return warpgroup;
}

Value TileDistribution::getWarpgroupOfTile(IndexMath &math) {
  // Each of several teams is one warpgroup.
  return schedule.getTeams() > 1 ? math.constant(0) : getWarpgroup();
}

Value TileDistribution::getWarpgroupRow(IndexMath &math) {
  if (layout.getWarpgroupM() == layout.getTileM())
    return math.constant(0);
  return math.div(getWarpgroupOfTile(math), layout.getWarpgroupsN());
}

TileDistribution::Part TileDistribution::getPart(IndexMath &math) {
  Value warpgroup = getWarpgroupOfTile(math);
  if (!layout.isSwapped())
    return {math.mul(warpgroup, layout.getWarpgroupM()), math.constant(0)};
  int64_t beside = layout.getWarpgroupsN();
  return {math.mul(getWarpgroupRow(math), layout.getWarpgroupM()),
          math.mul(math.rem(warpgroup, beside), layout.getWarpgroupN())};
}

FailureOr<StoreForm> TileDistribution::getStore(ScatterOp op) {
  KernelPlan plan = getKernelPlan(func);
  if (!plan.stores)
    return emitNoPlan(func, "stores", "conv-plan-stores");
  if (plan.stores->size() != scatters.size())
    return func.emitOpError()
           << "stores " << scatters.size()
           << " tiles, but its plan says how to store " << plan.stores->size();
  return (*plan.stores)[llvm::find(scatters, op) - scatters.begin()];
}

int64_t TileDistribution::getNumFragments(Type type) const {
  switch (getKind(type)) {
  case TileKind::Block:
    return layout.getNumBlocks();
  case TileKind::TapSums:
    return getNumTaps() * layout.getNumBlocks();
  case TileKind::Rows:
    return layout.getBlocksM();
  default:
    return layout.getBlocksOfColumns();
  }
}

VectorType TileDistribution::getFragmentType(Type type) const {
  Type element = getElementTypeOrSelf(type);
  switch (getKind(type)) {
  case TileKind::Block:
  case TileKind::TapSums:
    return layout.getBlockType(element);
  case TileKind::Rows:
    return VectorType::get({FragmentLayout::kHeldM, 1}, element);
  default:
    // A transposed accumulator has a filter in each row.
    return layout.isSwapped()
               ? VectorType::get({FragmentLayout::kHeldM, 1}, element)
               : layout.getColumnsType(element);
  }
}

Value TileDistribution::getSharedElement(IndexMath &math,
                                         const convmlir::SharedTile &tile,
                                         int64_t blockN) const {
  return math.sharedElementAt(
      tile, origin.row,
      math.add(origin.column, layout.getColumnOffset(blockN)));
}

void TileDistribution::setCarried(Value tile, SmallVector<Value> values,
                                  bool isAccumulator) {
  if (isAccumulator)
    accumulators[tile] = std::move(values);
  else
    fragments[tile] = std::move(values);
}

bool mlir::conv::isZeroTile(Value tile) {
  return matchPattern(tile, m_AnyZeroFloat()) || matchPattern(tile, m_Zero());
}

ArrayRef<Value> TileDistribution::getCarried(Value tile) {
  auto it = accumulators.find(tile);
  if (it != accumulators.end())
    return it->second;
  return getFragments(tile);
}

void TileDistribution::emitBarrier(OpBuilder &builder, Location loc) {
  if (schedule.getTeams() > 1)
    emitWarpgroupBarrier(builder, loc, getWarpgroup());
  else
    emitConsumerBarrier(builder, loc, schedule);
}

ArrayRef<Value> TileDistribution::getFragments(Value tile) {
  auto it = fragments.find(tile);
  if (it != fragments.end())
    return it->second;
  DenseElementsAttr constant;
  if (getKind(tile.getType()) == TileKind::None ||
      !matchPattern(tile, m_Constant(&constant)) || !constant.isSplat())
    return {};
  OpBuilder builder(tile.getDefiningOp());
  Value fragment = arith::ConstantOp::create(
      builder, tile.getLoc(),
      DenseElementsAttr::get(getFragmentType(tile.getType()),
                             constant.getSplatValue<Attribute>()));
  return fragments[tile] =
             SmallVector<Value>(getNumFragments(tile.getType()), fragment);
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

namespace {

/// Visits the operations of one kernel.
class Distributor {
public:
  explicit Distributor(TileDistribution &distribution)
      : distribution(distribution) {}
  LogicalResult run();

private:
  LogicalResult visitBlock(Block &block);
  LogicalResult visit(Operation *op);
  LogicalResult visitLoop(scf::ForOp loop);
  LogicalResult visitYield(scf::YieldOp yield);
  bool isOnTiles(Operation *op) const;
  LogicalResult distribute(Operation *op);
  LogicalResult requireFragments(Operation *op, ValueRange tiles);
  /// `values` with the parts of each tile in its place.
  SmallVector<Value> expand(ValueRange values);

  TileDistribution &distribution;
  SmallVector<Operation *> replaced; ///< In the order of their visit.
};

} // namespace

/// The tile of an operand is read where its contraction is.
static bool readsOperand(Operation *op) {
  if (!isOperandConversion(op) &&
      !isa<vector::TransferReadOp, vector::ShapeCastOp, ReadTapsOp,
           ReadImageTapsOp, vector::ExtractStridedSliceOp>(op))
    return false;
  return llvm::any_of(op->getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto contract = dyn_cast<vector::ContractionOp>(user))
      return use.get() != contract.getAcc();
    bool passesOn =
        isOperandConversion(user) ||
        isa<vector::ShapeCastOp, vector::ExtractStridedSliceOp>(user);
    return passesOn && readsOperand(user);
  });
}

/// True for operations that make tiles and those that use them. Vectors that
/// are one thread's own, in copies that were lowered before, are left alone.
bool Distributor::isOnTiles(Operation *op) const {
  auto isKnown = [&](Value value) { return distribution.isKnown(value); };
  if (llvm::any_of(op->getOperands(), isKnown))
    return true;
  if (isa<vector::ContractionOp, ScatterOp>(op))
    return true;
  return isa<vector::TransferReadOp, vector::BroadcastOp, Im2colOp>(op) &&
         op->getNumResults() == 1 &&
         distribution.getKind(op->getResult(0).getType()) != TileKind::None;
}

SmallVector<Value> Distributor::expand(ValueRange values) {
  SmallVector<Value> result;
  for (Value value : values) {
    if (distribution.getKind(value.getType()) == TileKind::None)
      result.push_back(value);
    else
      llvm::append_range(result, distribution.getCarried(value));
  }
  return result;
}

LogicalResult Distributor::requireFragments(Operation *op, ValueRange tiles) {
  for (Value tile : tiles)
    if (distribution.getKind(tile.getType()) != TileKind::None &&
        distribution.getCarried(tile).empty())
      return op->emitOpError()
             << "uses a tile that no operation before could divide among the "
                "threads: "
             << tile.getType();
  return success();
}

/// The body moves into a loop over fragments. Until the tiles' users are gone,
/// a cast of nothing stands for each tile that the loop carried.
LogicalResult Distributor::visitLoop(scf::ForOp loop) {
  if (distribution.usesMatrices())
    for (Value init : loop.getInitArgs())
      distribution.getMatrices(init);
  if (failed(requireFragments(loop, loop.getInitArgs())))
    return failure();
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  auto newLoop = scf::ForOp::create(rewriter, loop.getLoc(),
                                    loop.getLowerBound(), loop.getUpperBound(),
                                    loop.getStep(), expand(loop.getInitArgs()));
  newLoop->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  replaced.push_back(loop);

  Block *body = newLoop.getBody();
  rewriter.setInsertionPointToStart(body);
  SmallVector<Value> arguments = {newLoop.getInductionVar()};
  unsigned next = 0;
  for (auto [argument, init, result] : llvm::zip(
           loop.getRegionIterArgs(), loop.getInitArgs(), loop.getResults())) {
    Type type = argument.getType();
    if (distribution.getKind(type) == TileKind::None) {
      arguments.push_back(newLoop.getRegionIterArg(next));
      result.replaceAllUsesWith(newLoop.getResult(next++));
      continue;
    }
    ValueRange inits = distribution.getCarried(init);
    int64_t number = inits.size();
    auto tile = UnrealizedConversionCastOp::create(rewriter, loop.getLoc(),
                                                   type, ValueRange());
    replaced.push_back(tile);
    arguments.push_back(tile.getResult(0));
    auto part = [&](ValueRange values) {
      return llvm::to_vector_of<Value>(values.slice(next, number));
    };
    bool isMatrix = isa<gpu::MMAMatrixType>(inits.front().getType());
    bool isAccumulator = isMatrix || isa<nvgpu::WarpgroupAccumulatorType>(
                                         inits.front().getType());
    distribution.setCarried(tile.getResult(0),
                            part(newLoop.getRegionIterArgs()), isAccumulator);
    rewriter.setInsertionPointAfter(loop);
    distribution.setCarried(result, part(newLoop.getResults()), isAccumulator);
    if (isMatrix) {
      readMatricesIfUsed(rewriter, result, distribution);
    } else if (isAccumulator) {
      // Others begin while this sum is completed.
      while (isa<NVVM::BarrierArriveOp>(*rewriter.getInsertionPoint()))
        rewriter.setInsertionPointAfter(&*rewriter.getInsertionPoint());
      readAccumulatorsIfUsed(rewriter, result, distribution);
    }
    next += number;
  }
  rewriter.mergeBlocks(loop.getBody(), body, arguments);
  return visitBlock(*body);
}

LogicalResult Distributor::visitYield(scf::YieldOp yield) {
  if (failed(requireFragments(yield, yield.getOperands())))
    return failure();
  OpBuilder builder(yield);
  scf::YieldOp::create(builder, yield.getLoc(), expand(yield.getOperands()));
  replaced.push_back(yield);
  return success();
}

LogicalResult Distributor::distribute(Operation *op) {
  TileDistribution &d = distribution;
  auto contract = dyn_cast<vector::ContractionOp>(op);
  if (failed(requireFragments(op, contract ? contract.getAcc()
                                           : ValueRange(op->getOperands()))))
    return failure();
  replaced.push_back(op);
  if (contract && d.schedule.getMma() == MmaKind::Fma)
    return distributeFma(contract, d);
  if (contract && d.usesMatrices())
    return distributeWmma(contract, d);
  if (contract)
    return !d.usesWarpgroups()             ? distributeContract(contract, d)
           : multipliesImageTaps(contract) ? distributeImageTaps(contract, d)
           : d.layout.hasTaps()            ? distributeWindow(contract, d)
           : d.layout.isSwapped()          ? distributeSwapped(contract, d)
                                  : distributeToWarpgroups(contract, d);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](AddTapsOp op) { return distributeAddTaps(op, d); })
      .Case([&](vector::BroadcastOp op) { return distributeBroadcast(op, d); })
      .Case([&](vector::ShapeCastOp op) { return distributeShapeCast(op, d); })
      .Case([&](vector::TransferReadOp op) {
        TileKind kind = d.getKind(op.getType());
        return kind == TileKind::Block  ? distributeSharedRead(op, d)
               : kind == TileKind::Rows ? distributeColumnRead(op, d)
                                        : distributeRowRead(op, d);
      })
      .Case([&](Im2colOp op) {
        return d.getTileAhead(op) ? distributeTileAhead(op, d)
                                  : distributeTileRead(op, d);
      })
      .Case([&](ScatterOp op) { return distributeStore(op, d); })
      .Default([&](Operation *op) -> LogicalResult {
        if (op->getNumResults() == 1 && op->getNumRegions() == 0 &&
            OpTrait::hasElementwiseMappableTraits(op))
          return distributeElementwise(op, d);
        return op->emitOpError(
            "cannot be divided among the threads of a workgroup: it is no "
            "elementwise operation, constant, broadcast, contraction, loop, "
            "read or scatter of a tile");
      });
}

LogicalResult Distributor::visit(Operation *op) {
  if (op->hasAttr(kHelperAttrName))
    return success(); // It has no tiles.
  auto isTile = [&](Value value) {
    return distribution.getKind(value.getType()) != TileKind::None;
  };
  if (auto loop = dyn_cast<scf::ForOp>(op))
    if (llvm::any_of(loop.getInitArgs(), isTile))
      return visitLoop(loop);
  if (auto yield = dyn_cast<scf::YieldOp>(op))
    if (isa<scf::ForOp>(op->getParentOp()) &&
        llvm::any_of(yield.getOperands(), isTile))
      return visitYield(yield);
  if (readsOperand(op)) {
    replaced.push_back(op);
    return success();
  }
  if (isOnTiles(op))
    return distribute(op);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(visitBlock(block)))
        return failure();
  return success();
}

LogicalResult Distributor::visitBlock(Block &block) {
  SmallVector<Operation *> ops = llvm::map_to_vector(
      block, [](Operation &op) { return &op; }); // New ones are not visited.
  for (Operation *op : ops)
    if (failed(visit(op)))
      return failure();
  return success();
}

LogicalResult Distributor::run() {
  if (failed(visitBlock(distribution.func.getBody().front())))
    return failure();
  for (Operation *op : llvm::reverse(replaced)) {
    if (!op->use_empty())
      return op->emitOpError("is used by an operation that is not divided "
                             "among the threads: ")
             << (*op->user_begin())->getName();
    op->erase();
  }
  return success();
}

LogicalResult mlir::conv::distributeTiles(TileDistribution &distribution) {
  return Distributor(distribution).run();
}
