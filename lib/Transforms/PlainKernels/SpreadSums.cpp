//===- SpreadSums.cpp - sums of plain kernels, by more threads ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  F4, an scf.forall over threads, each of which may add parts in an
//         scf.for.
// Output: the same with one more index, the lane, where the loop has too few
//         threads for a chip: lane l of L adds parts l, l + L, …, a
//         gpu.subgroup_reduce adds the lanes, the first lane does what follows.
//         Loops that only read are unrolled, with or without lanes; threads
//         that copy little take more (BatchedCopies.h).
//
// A read takes hundreds of cycles and nothing in such a loop waits for the one
// before but the sum, so what counts is how many reads are under way: those of
// unrolled iterations, times threads.
//
//===----------------------------------------------------------------------===//

#include "BatchedCopies.h"
#include "PlainKernels.h"
#include "conv/Transforms/PlainKernels/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVSPREADSUMS
#include "conv/Transforms/PlainKernels/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// As many threads as give each multiprocessor of a large chip a workgroup.
static constexpr int64_t kBusyThreads = 128 * kPlainThreads;

/// Lanes are neighbours in a warp.
static constexpr int64_t kMaxLanes = 32;

/// A lane without this many parts saves no time.
static constexpr int64_t kMinPartsPerLane = 2;

/// Iterations whose reads are under way together. With 16 bytes each they take
/// 32 registers.
static constexpr int64_t kUnrolled = 8;

/// Reads that stand one after the other in what was unrolled. The loops around
/// such a loop stay: a sum over the positions of images is up to three loops,
/// and its code, the registers and the time to compile it would grow with their
/// product.
static constexpr int64_t kMostReads = 64;

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

/// The number of iterations of a loop that counts from 0 in steps of 1; none
/// where it does otherwise.
static std::optional<int64_t> getCount(scf::ForOp loop) {
  if (getConstantIntValue(loop.getLowerBound()) != 0 ||
      getConstantIntValue(loop.getStep()) != 1)
    return std::nullopt;
  return getConstantIntValue(loop.getUpperBound());
}

static bool hasNestedRegions(scf::ForOp loop) {
  return llvm::any_of(loop.getBody()->without_terminator(),
                      [](Operation &op) { return op.getNumRegions() > 0; });
}

static bool isZero(Value value) {
  return matchPattern(value, m_PosZeroFloat()) || matchPattern(value, m_Zero());
}

/// A loop that carries a vector of one element and no dimension, which is what
/// a thread with a single element has, carries the element itself.
static void carryElement(RewriterBase &rewriter, scf::ForOp loop) {
  auto type = loop->getNumResults() == 1
                  ? dyn_cast<VectorType>(loop.getResult(0).getType())
                  : VectorType();
  if (!type || type.getRank() != 0)
    return;
  Location loc = loop.getLoc();
  auto extract = [&](Value vector) {
    return rewriter.createOrFold<vector::ExtractOp>(loc, vector,
                                                    ArrayRef<int64_t>());
  };
  rewriter.setInsertionPoint(loop);
  auto scalar = scf::ForOp::create(rewriter, loc, loop.getLowerBound(),
                                   loop.getUpperBound(), loop.getStep(),
                                   extract(loop.getInitArgs().front()));
  Value carried = scalar.getRegionIterArg(0);
  rewriter.setInsertionPointToStart(scalar.getBody());
  auto vector = vector::BroadcastOp::create(rewriter, loc, type, carried);
  rewriter.mergeBlocks(loop.getBody(), scalar.getBody(),
                       {scalar.getInductionVar(), vector});
  Operation *yield = scalar.getBody()->getTerminator();
  rewriter.setInsertionPoint(yield);
  yield->setOperand(0, extract(yield->getOperand(0)));
  for (Operation *user : llvm::make_early_inc_range(vector->getUsers()))
    if (isa<vector::ExtractOp>(user))
      rewriter.replaceOp(user, carried);
  if (vector->use_empty())
    rewriter.eraseOp(vector);
  rewriter.setInsertionPointAfter(scalar);
  rewriter.replaceOpWithNewOp<vector::BroadcastOp>(loop, type,
                                                   scalar.getResult(0));
}

/// The loop that is a thread's only one, if it sums numbers over a constant
/// count of parts, starting from zero: then the order of its additions is ours.
static scf::ForOp findSum(scf::ForallOp block) {
  auto loops = block.getBody()->getOps<scf::ForOp>();
  if (!llvm::hasSingleElement(loops))
    return nullptr;
  scf::ForOp loop = *loops.begin();
  if (loop->getNumResults() != 1 || !getCount(loop) || hasNestedRegions(loop) ||
      !isZero(loop.getInitArgs().front()))
    return nullptr;
  Type type = loop.getResult(0).getType();
  auto vector = dyn_cast<VectorType>(type);
  Type element = getElementTypeOrSelf(type);
  if ((!element.isF32() && !element.isF64() && !element.isInteger(32)) ||
      (vector && vector.getRank() != 1))
    return nullptr;
  Value carried = loop.getRegionIterArg(0);
  Operation *add = loop.getYieldedValues()[0].getDefiningOp();
  return isa_and_nonnull<arith::AddFOp, arith::AddIOp>(add) &&
                 carried.hasOneUse() && *carried.user_begin() == add
             ? loop
             : nullptr;
}

/// By a rule of the extents alone, or the result would depend on the machine.
static int64_t getNumLanes(int64_t threads, int64_t parts) {
  int64_t lanes = 1;
  while (lanes < kMaxLanes && threads * lanes < kBusyThreads &&
         parts >= 2 * lanes * kMinPartsPerLane)
    lanes *= 2;
  return lanes;
}

namespace {

/// Divides the sum of a thread among the lanes of a new, fastest index.
class SumSpreading {
public:
  SumSpreading(RewriterBase &rewriter, scf::ForOp loop, int64_t lanes)
      : rewriter(rewriter), loop(loop), loc(loop.getLoc()), lanes(lanes),
        parts(*getCount(loop)) {}

  scf::ForallOp apply(scf::ForallOp block);

private:
  scf::ForallOp addIndex(scf::ForallOp block);
  void shortenLoop();
  Value addLastParts();
  void leaveRestToFirstLane(Operation *last);
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  }

  RewriterBase &rewriter;
  scf::ForOp loop;
  Location loc;
  int64_t lanes, parts;
  Value lane, isFirst;
};

} // namespace

scf::ForallOp SumSpreading::addIndex(scf::ForallOp block) {
  rewriter.setInsertionPoint(block);
  SmallVector<OpFoldResult> bounds = block.getMixedUpperBound();
  bounds.push_back(rewriter.getIndexAttr(lanes));
  auto wider =
      scf::ForallOp::create(rewriter, loc, bounds, ValueRange(),
                            rewriter.getArrayAttr(getPlainMapping(
                                rewriter.getContext(), bounds.size())));
  SmallVector<Value> indices(wider.getInductionVars());
  lane = indices.pop_back_val();
  rewriter.eraseOp(block.getTerminator());
  rewriter.inlineBlockBefore(block.getBody(), wider.getTerminator(), indices);
  rewriter.eraseOp(block);
  return wider;
}

/// Iteration k takes part k * lanes + lane, while there is one for every lane.
void SumSpreading::shortenLoop() {
  rewriter.modifyOpInPlace(
      loop, [&] { loop.setUpperBound(constant(parts / lanes)); });
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  AffineExpr k, l;
  bindDims(rewriter.getContext(), k, l);
  Value number = loop.getInductionVar();
  auto part = affine::AffineApplyOp::create(
      rewriter, loc, AffineMap::get(2, 0, k * lanes + l), {number, lane});
  rewriter.replaceAllUsesExcept(number, part, part);
}

/// Parts that are left over are for the first lanes.
Value SumSpreading::addLastParts() {
  Value sum = loop.getResult(0);
  int64_t rest = parts % lanes;
  if (rest == 0)
    return sum;
  Value takesPart = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::ult, lane, constant(rest));
  Value number = constant(parts / lanes);
  auto branch = scf::IfOp::create(rewriter, loc, TypeRange(sum.getType()),
                                  takesPart, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), number);
  mapping.map(loop.getRegionIterArg(0), sum);
  for (Operation &op : *loop.getBody())
    rewriter.clone(op, mapping);
  rewriter.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(rewriter, loc, sum);
  return branch.getResult(0);
}

void SumSpreading::leaveRestToFirstLane(Operation *last) {
  rewriter.setInsertionPointAfter(last);
  auto branch =
      scf::IfOp::create(rewriter, loc, isFirst, /*withElseRegion=*/false);
  Block *block = branch->getBlock();
  for (Operation &op : llvm::make_early_inc_range(llvm::make_range(
           std::next(branch->getIterator()), std::prev(block->end()))))
    rewriter.moveOpBefore(&op, branch.thenYield());
}

scf::ForallOp SumSpreading::apply(scf::ForallOp block) {
  scf::ForallOp wider = addIndex(block);
  rewriter.setInsertionPoint(loop);
  isFirst = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, lane,
                                  constant(0));
  SmallVector<OpOperand *> uses = llvm::map_to_vector(
      loop.getResult(0).getUses(), [](OpOperand &use) { return &use; });
  shortenLoop();
  rewriter.setInsertionPointAfter(loop);
  auto sum = gpu::SubgroupReduceOp::create(
      rewriter, loc, addLastParts(), gpu::AllReduceOperation::ADD,
      /*uniform=*/false, static_cast<uint32_t>(lanes));
  for (OpOperand *use : uses)
    use->set(sum);
  leaveRestToFirstLane(sum);
  return wider;
}

//===----------------------------------------------------------------------===//
// Unrolling
//===----------------------------------------------------------------------===//

/// Whether iterations can be read ahead: none writes.
static bool onlyReads(scf::ForOp loop) {
  return llvm::all_of(loop.getBody()->without_terminator(), [](Operation &op) {
    return isMemoryEffectFree(&op) || hasSingleEffect<MemoryEffects::Read>(&op);
  });
}

static int64_t countReads(scf::ForOp loop) {
  return llvm::count_if(loop.getBody()->without_terminator(),
                        [](Operation &op) { return !isMemoryEffectFree(&op); });
}

/// How often a loop's body stands there once it is unrolled: of fewer than two
/// times kUnrolled iterations nothing is left to repeat.
static int64_t countCopies(int64_t count) {
  return count < 2 * kUnrolled ? count : kUnrolled + count % kUnrolled;
}

static LogicalResult unroll(scf::ForOp loop) {
  std::optional<int64_t> count = getCount(loop);
  if (!count || hasNestedRegions(loop) || !onlyReads(loop) ||
      countReads(loop) * countCopies(*count) > kMostReads)
    return success();
  if (*count <= kUnrolled)
    return loopUnrollFull(loop);
  FailureOr<UnrolledLoopInfo> unrolled = loopUnrollByFactor(loop, kUnrolled);
  if (failed(unrolled) || !unrolled->epilogueLoopOp)
    return unrolled;
  return loopUnrollFull(*unrolled->epilogueLoopOp);
}

static LogicalResult spreadBlock(RewriterBase &rewriter, scf::ForallOp block) {
  for (scf::ForOp loop :
       llvm::make_early_inc_range(block.getBody()->getOps<scf::ForOp>()))
    carryElement(rewriter, loop);
  if (scf::ForOp sum = findSum(block);
      sum && block.getRank() < static_cast<int64_t>(kMaxPlainRank)) {
    int64_t threads = llvm::product_of(block.getStaticUpperBound(), int64_t(1));
    int64_t lanes = getNumLanes(threads, *getCount(sum));
    if (lanes > 1)
      block = SumSpreading(rewriter, sum, lanes).apply(block);
  }
  SmallVector<scf::ForOp> loops;
  block.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops)
    if (failed(unroll(loop)))
      return loop.emitOpError("could not be unrolled");
  return success();
}

namespace {
struct ConvSpreadSums : public conv::impl::ConvSpreadSumsBase<ConvSpreadSums> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (scf::ForallOp block : getPlainBlocks(getOperation()))
      if (failed(spreadBlock(rewriter, block)))
        return signalPassFailure();
    for (scf::ForallOp block : getPlainBlocks(getOperation()))
      batchCopies(rewriter, block);
  }
};
} // namespace
