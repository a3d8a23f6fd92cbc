//===- PipelineCopies.cpp - F5 to F6 --------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gemm-k nest (channel blocks outside, taps inside) is rebuilt as one loop
// over blocks k = 0 .. K-1. Block k lives in slot k mod S of a ring. The loop
// of iteration k waits for block k, starts the copies of block k + S - 1, whose
// slot every thread has left behind at the barrier, and multiplies block k. The
// loop carries the slot and the indices of the block to copy, so that it never
// divides.
//
// Nothing in the loop is conditional: the outermost digit of a block past the
// last one lies past the extents of both matrices, which read zero there,
// without a load. Copies stand behind the multiplications of the block, so that
// ptxas can weave the two (docs/Performance.md has both orders measured).
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Transforms/TilePasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVPIPELINECOPIES
#include "conv/Transforms/TilePasses.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

namespace {

/// A gemm-k nest, and what it is made of.
struct GemmKNest {
  vector::ContractionOp contraction;
  SmallVector<scf::ForOp> loops; ///< Outermost first; none if K is one block.
  SmallVector<int64_t> trips;    ///< Iterations of each loop.
  SmallVector<Im2colOp> copies;  ///< Fills of shared-memory tiles, in order.

  int64_t numBlocks() const { return llvm::product_of(trips, int64_t(1)); }
  bool contains(Operation *op) const {
    return !loops.empty() && loops.front()->isProperAncestor(op);
  }
};

/// Rebuilds parts of the nest for one block and one slot.
class BlockBuilder {
public:
  BlockBuilder(OpBuilder &builder, GemmKNest &nest,
               const llvm::DenseMap<Value, Value> &rings)
      : builder(builder), nest(nest), rings(rings) {}

  /// `digits` count the iterations of each loop of the nest.
  void emitCopies(ValueRange digits, Value slot);
  Value emitContraction(Value slot, Value acc);
  /// The digits of the next block. Past the last block the outermost one is
  /// past its loop's.
  SmallVector<Value> emitNext(ValueRange digits);

private:
  void mapInductionVariables(ValueRange digits, IRMapping &mapping);
  Value remap(Value value, IRMapping &mapping);
  Value getSlot(Location loc, Value tile, Value slot);

  OpBuilder &builder;
  GemmKNest &nest;
  const llvm::DenseMap<Value, Value> &rings;
};

} // namespace

static Value constant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

void BlockBuilder::mapInductionVariables(ValueRange digits,
                                         IRMapping &mapping) {
  Location loc = nest.contraction.getLoc();
  for (auto [loop, digit] : llvm::zip_equal(nest.loops, digits)) {
    Value step = constant(builder, loc, *getConstantIntValue(loop.getStep()));
    Value low =
        constant(builder, loc, *getConstantIntValue(loop.getLowerBound()));
    Value scaled = arith::MulIOp::create(builder, loc, digit, step);
    mapping.map(loop.getInductionVar(),
                arith::AddIOp::create(builder, loc, scaled, low).getResult());
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
      wraps =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, next,
                                constant(builder, loc, nest.trips[i]));
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

void BlockBuilder::emitCopies(ValueRange digits, Value slot) {
  IRMapping mapping;
  mapInductionVariables(digits, mapping);
  for (Im2colOp copy : nest.copies) {
    SmallVector<Value> offsets;
    for (Value offset : copy.getOffsets())
      offsets.push_back(remap(offset, mapping));
    Im2colOp::create(builder, copy.getLoc(), TypeRange(), copy.getSource(),
                     offsets, getSlot(copy.getLoc(), copy.getDest(), slot),
                     copy.getView(), builder.getUnitAttr());
  }
}

Value BlockBuilder::emitContraction(Value slot, Value acc) {
  IRMapping mapping;
  for (auto [tile, ring] : rings)
    mapping.map(tile, getSlot(nest.contraction.getLoc(), tile, slot));
  for (Value operand : {nest.contraction.getLhs(), nest.contraction.getRhs()}) {
    auto read = operand.getDefiningOp<vector::TransferReadOp>();
    if (!mapping.contains(operand))
      builder.clone(*read, mapping);
  }
  mapping.map(nest.contraction.getAcc(), acc);
  return builder.clone(*nest.contraction, mapping)->getResult(0);
}

//===----------------------------------------------------------------------===//
// Finding the nest
//===----------------------------------------------------------------------===//

static LogicalResult findLoops(GemmKNest &nest) {
  for (Operation *op = nest.contraction->getParentOp();
       !isa<gpu::GPUFuncOp>(op); op = op->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(op);
    std::optional<APInt> trips =
        loop ? loop.getStaticTripCount() : std::nullopt;
    if (!trips || loop.getInitArgs().size() != 1)
      return nest.contraction.emitOpError(
          "must be nested in loops with constant bounds that carry only the "
          "accumulator");
    nest.loops.insert(nest.loops.begin(), loop);
    nest.trips.insert(nest.trips.begin(), trips->getSExtValue());
  }
  return success();
}

static LogicalResult findNest(gpu::GPUFuncOp kernel, GemmKNest &nest) {
  int count = 0;
  kernel.walk([&](vector::ContractionOp op) {
    nest.contraction = op;
    ++count;
  });
  if (count != 1)
    return kernel.emitOpError("must have one contraction, but has ") << count;
  if (failed(findLoops(nest)))
    return failure();
  for (Im2colOp copy : nest.contraction->getBlock()->getOps<Im2colOp>())
    if (copy.getDest())
      nest.copies.push_back(copy);
  for (Value operand : {nest.contraction.getLhs(), nest.contraction.getRhs()}) {
    auto read = operand.getDefiningOp<vector::TransferReadOp>();
    if (!read || llvm::none_of(nest.copies, [&](Im2colOp copy) {
          return copy.getDest() == read.getBase();
        }))
      return nest.contraction.emitOpError(
          "must read tiles that a conv.im2col fills beside it");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Building the ring
//===----------------------------------------------------------------------===//

static llvm::DenseMap<Value, Value>
createRings(OpBuilder &builder, GemmKNest &nest, int64_t stages) {
  llvm::DenseMap<Value, Value> rings;
  for (Im2colOp copy : nest.copies) {
    auto tile = cast<MemRefType>(copy.getDest().getType());
    SmallVector<int64_t> shape = {stages};
    llvm::append_range(shape, tile.getShape());
    auto type = MemRefType::get(shape, tile.getElementType(), AffineMap(),
                                tile.getMemorySpace());
    rings[copy.getDest()] =
        memref::AllocOp::create(builder, copy.getLoc(), type);
  }
  return rings;
}

/// What the ring's loop carries: the accumulator, the slot of the block that is
/// multiplied, and the digits of the block that is copied.
struct RingState {
  Value acc, slot;
  SmallVector<Value> digits;

  SmallVector<Value> values() const {
    SmallVector<Value> result = {acc, slot};
    llvm::append_range(result, digits);
    return result;
  }
  static RingState of(ValueRange values) {
    return {values[0], values[1], SmallVector<Value>(values.drop_front(2))};
  }
};

/// The slots before and after `slot` in a ring.
static Value getPreviousSlot(OpBuilder &builder, Location loc, Value slot,
                             int64_t stages) {
  Value zero = constant(builder, loc, 0), one = constant(builder, loc, 1);
  Value isFirst =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, slot, zero);
  return arith::SelectOp::create(
      builder, loc, isFirst, constant(builder, loc, stages - 1),
      arith::SubIOp::create(builder, loc, slot, one));
}

static Value getNextSlot(OpBuilder &builder, Location loc, Value slot,
                         int64_t stages) {
  Value next =
      arith::AddIOp::create(builder, loc, slot, constant(builder, loc, 1));
  Value wraps = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      next, constant(builder, loc, stages));
  return arith::SelectOp::create(builder, loc, wraps, constant(builder, loc, 0),
                                 next);
}

/// One iteration of the ring's loop.
static RingState emitIteration(OpBuilder &builder, Location loc,
                               BlockBuilder &blocks, RingState state,
                               int64_t stages) {
  NVVM::CpAsyncWaitGroupOp::create(builder, loc,
                                   builder.getI32IntegerAttr(stages - 2));
  gpu::BarrierOp::create(builder, loc);
  state.acc = blocks.emitContraction(state.slot, state.acc);
  blocks.emitCopies(state.digits,
                    getPreviousSlot(builder, loc, state.slot, stages));
  NVVM::CpAsyncCommitGroupOp::create(builder, loc);
  state.slot = getNextSlot(builder, loc, state.slot, stages);
  state.digits = blocks.emitNext(state.digits);
  return state;
}

static Value buildRing(OpBuilder &builder, GemmKNest &nest, int64_t stages,
                       Value init) {
  Location loc = nest.contraction.getLoc();
  int64_t numBlocks = nest.numBlocks();
  llvm::DenseMap<Value, Value> rings = createRings(builder, nest, stages);
  BlockBuilder blocks(builder, nest, rings);
  RingState state = {init, constant(builder, loc, 0), {}};
  state.digits.assign(nest.loops.size(), constant(builder, loc, 0));
  for (int64_t block = 0; block < stages - 1; ++block) {
    if (block < numBlocks)
      blocks.emitCopies(state.digits, constant(builder, loc, block));
    NVVM::CpAsyncCommitGroupOp::create(builder, loc);
    state.digits = blocks.emitNext(state.digits);
  }
  auto loop = scf::ForOp::create(builder, loc, constant(builder, loc, 0),
                                 constant(builder, loc, numBlocks),
                                 constant(builder, loc, 1), state.values());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    RingState next = emitIteration(
        builder, loc, blocks, RingState::of(loop.getRegionIterArgs()), stages);
    scf::YieldOp::create(builder, loc, next.values());
  }
  // Nothing is in flight when the epilogue takes the shared memory over.
  NVVM::CpAsyncWaitGroupOp::create(builder, loc, builder.getI32IntegerAttr(0));
  return loop.getResult(0);
}

static LogicalResult pipelineKernel(gpu::GPUFuncOp kernel) {
  auto schedule =
      kernel->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
  if (!schedule)
    return success();
  if (schedule.getStages() < 2)
    return kernel.emitOpError("needs a ring of at least 2 stages, but its "
                              "schedule has ")
           << schedule.getStages();
  GemmKNest nest;
  if (failed(findNest(kernel, nest)))
    return failure();
  Operation *root = nest.loops.empty() ? nest.contraction.getOperation()
                                       : nest.loops.front().getOperation();
  OpBuilder builder(root);
  Value init = nest.loops.empty() ? nest.contraction.getAcc()
                                  : nest.loops.front().getInitArgs()[0];
  Value result = buildRing(builder, nest, schedule.getStages(), init);
  root->getResult(0).replaceAllUsesWith(result);
  SmallVector<Value> tiles;
  for (Im2colOp copy : nest.copies)
    tiles.push_back(copy.getDest());
  SmallVector<Operation *> reads;
  for (Value operand : {nest.contraction.getLhs(), nest.contraction.getRhs()})
    reads.push_back(operand.getDefiningOp());
  root->erase();
  if (nest.loops.empty()) {
    for (Operation *read : reads)
      read->erase();
    for (Im2colOp copy : nest.copies)
      copy.erase();
  }
  for (Value tile : tiles)
    if (tile.use_empty())
      tile.getDefiningOp()->erase();
  return success();
}

namespace {
struct ConvPipelineCopies
    : public conv::impl::ConvPipelineCopiesBase<ConvPipelineCopies> {
  void runOnOperation() override {
    if (failed(pipelineKernel(getOperation())))
      signalPassFailure();
  }
};
} // namespace
