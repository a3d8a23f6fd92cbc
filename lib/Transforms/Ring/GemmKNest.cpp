//===- GemmKNest.cpp - the gemm-k loops of a block program ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GemmKNest.h"

#include "Support/OperandConversion.h"
#include "conv/Dialect/Conv/IR/ConvChip.h"
#include "conv/Schedule/Shape/ClusterShape.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::conv;

static Value constant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

//===----------------------------------------------------------------------===//
// The nest
//===----------------------------------------------------------------------===//

vector::TransferReadOp mlir::conv::getOperandRead(Value operand) {
  return getUnconverted(operand).getDefiningOp<vector::TransferReadOp>();
}

/// The read of the tile whose rows are summed. Its elements may be widened in
/// between.
static vector::TransferReadOp getSummedRead(vector::MultiDimReductionOp sum) {
  Value rows = sum.getSource();
  if (auto widen = rows.getDefiningOp<arith::ExtFOp>())
    rows = widen.getIn();
  return rows.getDefiningOp<vector::TransferReadOp>();
}

bool mlir::conv::roundsToTF32(GemmKNest &nest) {
  return isa<FloatTF32Type>(getElementTypeOrSelf(nest.contraction.getLhs()));
}

std::optional<int64_t> GemmKNest::getConstantBlocks() const {
  int64_t blocks = 1;
  for (std::optional<int64_t> number : trips) {
    if (!number)
      return std::nullopt;
    blocks *= *number;
  }
  return blocks;
}

/// A bound that is not constant is a multiple of the step.
Value GemmKNest::getTrips(OpBuilder &builder, size_t loop) {
  Location loc = contraction.getLoc();
  if (trips[loop])
    return constant(builder, loc, *trips[loop]);
  Value bound = loops[loop].getUpperBound();
  int64_t step = *getConstantIntValue(loops[loop].getStep());
  if (step == 1)
    return bound;
  return arith::DivUIOp::create(builder, loc, bound,
                                constant(builder, loc, step));
}

Value GemmKNest::getBlocks(OpBuilder &builder) {
  Location loc = contraction.getLoc();
  if (std::optional<int64_t> blocks = getConstantBlocks())
    return constant(builder, loc, *blocks);
  Value blocks = getTrips(builder, 0);
  for (size_t loop = 1; loop < loops.size(); ++loop)
    blocks =
        arith::MulIOp::create(builder, loc, blocks, getTrips(builder, loop));
  return blocks;
}

Operation *GemmKNest::getRoot() {
  return loops.empty() ? contraction.getOperation()
                       : loops.front().getOperation();
}

Value GemmKNest::getInit() {
  return loops.empty() ? contraction.getAcc() : loops.front().getInitArgs()[0];
}

Value GemmKNest::getRowSumInit() {
  return loops.empty() ? rowSum.getAcc() : loops.front().getInitArgs()[1];
}

/// Whether a value follows from constants, induction variables of the nest and
/// what `isKnown` says.
static bool followsFromBlock(GemmKNest &nest, Value value,
                             llvm::function_ref<bool(Value)> isKnown) {
  if (getConstantIntValue(value) || isKnown(value) ||
      llvm::any_of(nest.loops, [&](scf::ForOp loop) {
        return value == loop.getInductionVar();
      }))
    return true;
  Operation *op = value.getDefiningOp();
  return op && isPure(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return followsFromBlock(nest, operand, isKnown);
         });
}

bool GemmKNest::isOfBlock(Value offset) {
  return followsFromBlock(*this, offset, [](Value) { return false; });
}

/// Workgroups step from tile to tile by their number, unless each has one tile.
/// So the remainder of a tile's number by a divisor of it stays what it is.
static bool isSameRemainder(Value remainder, scf::ForOp tiles) {
  auto op = remainder.getDefiningOp<arith::RemUIOp>();
  if (!op || op.getLhs() != tiles.getInductionVar())
    return false;
  std::optional<int64_t> divisor = getConstantIntValue(op.getRhs());
  auto schedule =
      tiles->getParentOfType<gpu::GPUFuncOp>()->getAttrOfType<ScheduleAttr>(
          ScheduleAttr::attributeName());
  return divisor &&
         getPersistentWorkgroups(schedule, getChip(tiles)) % *divisor == 0;
}

bool GemmKNest::isOfBlockAndWorkgroup(Value offset) {
  auto tiles = dyn_cast<scf::ForOp>(getRoot()->getParentOp());
  return followsFromBlock(*this, offset, [&](Value value) {
    return tiles && isSameRemainder(value, tiles);
  });
}

Value GemmKNest::getRowSumResult() {
  if (!loops.empty())
    return loops.front().getResult(1);
  return rowSumShare ? rowSumShare.getResult() : rowSum.getResult();
}

Im2colOp GemmKNest::getCopy(Value vector) {
  vector::TransferReadOp read = getOperandRead(vector);
  auto copy = llvm::find_if(copies, [&](Im2colOp copy) {
    return read && copy.getDest() == read.getBase();
  });
  return copy == copies.end() ? nullptr : *copy;
}

OperandCopy GemmKNest::getWay(Im2colOp copy) {
  return copy == getCopy(contraction.getLhs()) ? *plan.left : *plan.right;
}

void GemmKNest::replaceBy(Value result) {
  SmallVector<Value> tiles;
  for (Im2colOp copy : copies)
    tiles.push_back(copy.getDest());
  // Both operands may be one tile.
  llvm::SmallSetVector<Operation *, 8> reads;
  if (rowSum) {
    if (rowSumShare)
      reads.insert(rowSumShare);
    reads.insert(rowSum);
    if (auto widen = rowSum.getSource().getDefiningOp<arith::ExtFOp>())
      reads.insert(widen);
  }
  for (Value operand : {contraction.getLhs(), contraction.getRhs()}) {
    if (Operation *conversion = getOperandConversion(operand))
      reads.insert(conversion);
    reads.insert(getOperandRead(operand));
  }
  bool isOneBlock = loops.empty();
  Operation *root = getRoot();
  root->getResult(0).replaceAllUsesWith(result);
  root->erase();
  if (isOneBlock) {
    for (Operation *read : reads)
      read->erase();
    for (Im2colOp copy : copies)
      copy.erase();
  }
  for (Value tile : tiles)
    if (tile.use_empty())
      tile.getDefiningOp()->erase();
}

static LogicalResult findLoops(GemmKNest &nest) {
  for (Operation *op = nest.contraction->getParentOp();
       !isa<gpu::GPUFuncOp>(op); op = op->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (loop && loop.getInitArgs().empty())
      break; // The loop over the workgroup's tiles.
    if (!loop || loop.getInitArgs().size() != (nest.rowSum ? 2 : 1) ||
        !isConstantIntValue(loop.getLowerBound(), 0) ||
        !getConstantIntValue(loop.getStep()))
      return nest.contraction.emitOpError(
          "must be nested in loops from 0 with constant steps that carry only "
          "the accumulator, and sums of rows where there are any");
    std::optional<APInt> trips = loop.getStaticTripCount();
    nest.loops.insert(nest.loops.begin(), loop);
    nest.trips.insert(nest.trips.begin(),
                      trips ? std::optional(trips->getSExtValue())
                            : std::nullopt);
  }
  for (scf::ForOp loop : nest.loops)
    if (!loop.getUpperBound().getParentRegion()->isProperAncestor(
            &nest.loops.front().getRegion()))
      return loop.emitOpError("must have a bound that is known in front of the "
                              "gemm-k loops");
  return success();
}

FailureOr<GemmKNest> mlir::conv::findGemmKNest(gpu::GPUFuncOp kernel) {
  GemmKNest nest;
  auto schedule =
      kernel->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
  if (schedule && schedule.getStages() < 2)
    return kernel.emitOpError("needs a ring of at least 2 stages, but its "
                              "schedule has ")
           << schedule.getStages();
  int count = 0;
  kernel.walk([&](vector::ContractionOp op) {
    nest.contraction = op;
    ++count;
  });
  if (count != 1)
    return kernel.emitOpError("must have one contraction, but has ") << count;
  for (auto sum :
       nest.contraction->getBlock()->getOps<vector::MultiDimReductionOp>())
    nest.rowSum = sum;
  if (nest.rowSum && nest.rowSum->hasOneUse())
    nest.rowSumShare = dyn_cast<arith::SelectOp>(*nest.rowSum->user_begin());
  if (failed(findLoops(nest)))
    return failure();
  for (Im2colOp copy : nest.contraction->getBlock()->getOps<Im2colOp>())
    if (copy.getDest())
      nest.copies.push_back(copy);
  for (Value operand : {nest.contraction.getLhs(), nest.contraction.getRhs()})
    if (!nest.getCopy(operand))
      return nest.contraction.emitOpError(
          "must read tiles that a conv.im2col fills beside it");
  if (nest.rowSum &&
      getSummedRead(nest.rowSum) != getOperandRead(nest.contraction.getLhs()))
    return nest.rowSum.emitOpError(
        "must add rows of the contraction's left operand");
  return nest;
}

LogicalResult mlir::conv::replaceByRing(
    gpu::GPUFuncOp kernel, ArrayRef<CopyKind> engines,
    llvm::function_ref<FailureOr<Value>(OpBuilder &, GemmKNest &, ScheduleAttr)>
        build) {
  auto schedule =
      kernel->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
  if (!schedule || !llvm::is_contained(engines, schedule.getCopy()))
    return success();
  FailureOr<GemmKNest> nest = findGemmKNest(kernel);
  if (failed(nest))
    return failure();
  nest->plan = getKernelPlan(kernel);
  if (!nest->plan.left || !nest->plan.right)
    return emitNoPlan(kernel, nest->plan.left ? "right" : "left");
  if (nest->rowSum && !hasProducer(schedule))
    return nest->rowSum.emitOpError(
        "is for kernels with copy=tma, whose warps have roles");
  OpBuilder builder(nest->getRoot());
  FailureOr<Value> result = build(builder, *nest, schedule);
  if (failed(result))
    return failure();
  nest->replaceBy(*result);
  return success();
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

Value mlir::conv::createRing(OpBuilder &builder, Location loc, MemRefType tile,
                             int64_t slots) {
  SmallVector<int64_t> shape = {slots};
  llvm::append_range(shape, tile.getShape());
  auto type = MemRefType::get(shape, tile.getElementType(), AffineMap(),
                              tile.getMemorySpace());
  return memref::AllocOp::create(builder, loc, type);
}

llvm::DenseMap<Value, Value>
mlir::conv::createRings(OpBuilder &builder, GemmKNest &nest, int64_t stages) {
  llvm::DenseMap<Value, Value> rings;
  for (Im2colOp copy : nest.copies)
    rings[copy.getDest()] =
        createRing(builder, copy.getLoc(),
                   cast<MemRefType>(copy.getDest().getType()), stages);
  return rings;
}

Value mlir::conv::getPreviousSlot(OpBuilder &builder, Location loc, Value slot,
                                  int64_t stages) {
  Value zero = constant(builder, loc, 0), one = constant(builder, loc, 1);
  Value isFirst =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, slot, zero);
  return arith::SelectOp::create(
      builder, loc, isFirst, constant(builder, loc, stages - 1),
      arith::SubIOp::create(builder, loc, slot, one));
}

Value mlir::conv::getNextSlot(OpBuilder &builder, Location loc, Value slot,
                              int64_t stages) {
  Value next =
      arith::AddIOp::create(builder, loc, slot, constant(builder, loc, 1));
  Value wraps = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      next, constant(builder, loc, stages));
  return arith::SelectOp::create(builder, loc, wraps, constant(builder, loc, 0),
                                 next);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

void BlockBuilder::mapInductionVariables(ValueRange digits,
                                         IRMapping &mapping) {
  Location loc = nest.contraction.getLoc();
  for (auto [loop, digit] : llvm::zip_equal(nest.loops, digits)) {
    Value step = constant(builder, loc, *getConstantIntValue(loop.getStep()));
    mapping.map(loop.getInductionVar(),
                arith::MulIOp::create(builder, loc, digit, step).getResult());
  }
}

SmallVector<Value> BlockBuilder::emitNext(ValueRange digits) {
  Location loc = nest.contraction.getLoc();
  Value zero = constant(builder, loc, 0), one = constant(builder, loc, 1);
  SmallVector<Value> result(digits);
  Value carry; // Null: always.
  for (size_t i = digits.size(); i-- > 0;) {
    Value next = arith::AddIOp::create(builder, loc, digits[i], one);
    Value wraps;
    if (i > 0) {
      // A loop of no iterations begins anew each time.
      auto reaches =
          nest.trips[i] ? arith::CmpIPredicate::eq : arith::CmpIPredicate::uge;
      wraps = arith::CmpIOp::create(builder, loc, reaches, next,
                                    nest.getTrips(builder, i));
      next = arith::SelectOp::create(builder, loc, wraps, zero, next);
    }
    if (carry) {
      next = arith::SelectOp::create(builder, loc, carry, next, digits[i]);
      if (wraps)
        wraps = arith::AndIOp::create(builder, loc, carry, wraps);
    }
    result[i] = next;
    carry = wraps;
  }
  return result;
}

/// `value` outside of the nest: index arithmetic inside it is cloned.
Value BlockBuilder::remap(Value value, IRMapping &mapping) {
  if (Value mapped = mapping.lookupOrNull(value))
    return mapped;
  Operation *op = value.getDefiningOp();
  if (!op || !nest.contains(op))
    return value;
  for (Value operand : op->getOperands())
    mapping.map(operand, remap(operand, mapping));
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}

/// The part of the ring of `tile` that is `slot`.
Value BlockBuilder::getSlot(Location loc, Value tile, Value slot) {
  auto type = cast<MemRefType>(tile.getType());
  SmallVector<OpFoldResult> offsets(type.getRank() + 1,
                                    builder.getIndexAttr(0));
  SmallVector<OpFoldResult> sizes = {builder.getIndexAttr(1)};
  llvm::append_range(
      sizes, getAsIndexOpFoldResult(builder.getContext(), type.getShape()));
  SmallVector<OpFoldResult> strides(offsets.size(), builder.getIndexAttr(1));
  offsets[0] = getAsOpFoldResult(slot);
  Value ring = rings.lookup(tile);
  MemRefType slotType = memref::SubViewOp::inferRankReducedResultType(
      type.getShape(), cast<MemRefType>(ring.getType()), offsets, sizes,
      strides);
  return memref::SubViewOp::create(builder, loc, slotType, ring, offsets, sizes,
                                   strides);
}

SmallVector<Value> BlockBuilder::getOffsets(Im2colOp copy, ValueRange digits) {
  IRMapping mapping;
  mapInductionVariables(digits, mapping);
  SmallVector<Value> offsets;
  for (Value offset : copy.getOffsets())
    offsets.push_back(remap(offset, mapping));
  return offsets;
}

void BlockBuilder::emitCopies(ValueRange digits, Value slot, EmitCopy emit) {
  IRMapping mapping;
  mapInductionVariables(digits, mapping);
  for (Im2colOp copy : nest.copies) {
    SmallVector<Value> offsets;
    for (Value offset : copy.getOffsets())
      offsets.push_back(remap(offset, mapping));
    emit(copy, offsets, getSlot(copy.getLoc(), copy.getDest(), slot));
  }
}

Value BlockBuilder::emitContraction(Value slot, Value acc, OtherSlot other) {
  return emitContraction(slot, acc, IRMapping(), other);
}

Value BlockBuilder::emitContraction(Value slot, Value acc, IRMapping mapping,
                                    OtherSlot other) {
  Value left = nest.contraction.getLhs(), right = nest.contraction.getRhs();
  for (Value operand : {left, right}) {
    vector::TransferReadOp read = getOperandRead(operand);
    if (mapping.contains(operand))
      continue;
    Value tile = read.getBase();
    Value own = tile == other.tile ? other.slot : slot;
    mapping.map(tile, getSlot(nest.contraction.getLoc(), tile, own));
    builder.clone(*read, mapping);
    if (read != operand.getDefiningOp())
      builder.clone(*operand.getDefiningOp(), mapping);
  }
  mapping.map(nest.contraction.getAcc(), acc);
  return builder.clone(*nest.contraction, mapping)->getResult(0);
}

Value BlockBuilder::emitRowSum(Value slot, Value sums, IRMapping mapping) {
  vector::TransferReadOp read = getSummedRead(nest.rowSum);
  if (!mapping.contains(read.getResult())) {
    mapping.map(read.getBase(),
                getSlot(nest.rowSum.getLoc(), read.getBase(), slot));
    builder.clone(*read, mapping);
  }
  if (auto widen = nest.rowSum.getSource().getDefiningOp<arith::ExtFOp>())
    builder.clone(*widen, mapping);
  mapping.map(nest.rowSum.getAcc(), sums);
  return builder.clone(*nest.rowSum, mapping)->getResult(0);
}

Value BlockBuilder::emitRowSumCondition(ValueRange digits) {
  if (!nest.rowSumShare)
    return nullptr;
  IRMapping mapping;
  mapInductionVariables(digits, mapping);
  return remap(nest.rowSumShare.getCondition(), mapping);
}
