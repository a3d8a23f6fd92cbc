//===- SinkEpilogues.cpp - epilogues into the branch that needs them ------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A conv.scatter with a condition has become one in a branch; what makes its
// value stands in front of that. It must not be done for nothing, and reads of
// rows that are not there must not be done at all. Branches of opposite
// conditions become the two sides of one: what the first needs is in registers
// no longer than there.
//
//===----------------------------------------------------------------------===//

#include "PlainKernels/PlainKernels.h"
#include "conv/Schedule/Schedule.h"
#include "conv/Transforms/Tiling/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVSINKEPILOGUES
#include "conv/Transforms/Tiling/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

static bool isGlobal(Value buffer) {
  auto type = dyn_cast_or_null<MemRefType>(buffer ? buffer.getType() : Type());
  return type && !gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type);
}

/// Whether `op` reads global memory and does nothing else.
static bool readsGlobalMemory(Operation *op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects || op->getNumRegions() > 0)
    return false;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  return !instances.empty() && llvm::all_of(instances, [](const auto &effect) {
    return isa<MemoryEffects::Read>(effect.getEffect()) &&
           isGlobal(effect.getValue());
  });
}

/// Whether `op` may write global memory; what is unknown may.
static bool writesGlobalMemory(Operation *op) {
  auto effects = getEffectsRecursively(op);
  return !effects || llvm::any_of(*effects, [](const auto &effect) {
    return isa<MemoryEffects::Write>(effect.getEffect()) &&
           (!effect.getValue() || isGlobal(effect.getValue()));
  });
}

/// Whether what `op` reads may have changed when the branch is reached.
static bool isOverwritten(Operation *op, Operation *branch) {
  for (Operation *next = op->getNextNode(); next != branch;
       next = next->getNextNode())
    if (writesGlobalMemory(next))
      return true;
  return false;
}

static bool canSink(Operation *op, Region &region) {
  bool isUsedThere = llvm::all_of(op->getUsers(), [&](Operation *user) {
    return region.isAncestor(user->getParentRegion());
  });
  if (op->use_empty() || !isUsedThere || op->getNumRegions() > 0)
    return false;
  if (isMemoryEffectFree(op))
    return !op->hasTrait<OpTrait::ConstantLike>();
  return readsGlobalMemory(op) && !isOverwritten(op, region.getParentOp());
}

/// The last operation in front first: then its own operands have no other user
/// left.
static void sinkInto(Region &region) {
  if (region.empty())
    return;
  Operation *branch = region.getParentOp();
  for (Operation *op = branch->getPrevNode(); op;) {
    Operation *before = op->getPrevNode();
    if (canSink(op, region))
      op->moveBefore(&region.front(), region.front().begin());
    op = before;
  }
}

//===----------------------------------------------------------------------===//
// Opposite branches
//===----------------------------------------------------------------------===//

static bool areOpposite(Value a, Value b) {
  auto first = a.getDefiningOp<arith::CmpIOp>();
  auto second = b.getDefiningOp<arith::CmpIOp>();
  return first && second && first.getLhs() == second.getLhs() &&
         first.getRhs() == second.getRhs() &&
         first.getPredicate() == arith::invertPredicate(second.getPredicate());
}

/// The branch behind `branch` whose condition is the opposite, with nothing
/// between them but what `between` receives, which has no effects.
static scf::IfOp findOpposite(scf::IfOp branch,
                              SmallVectorImpl<Operation *> &between) {
  for (Operation *op = branch->getNextNode(); op; op = op->getNextNode()) {
    if (auto next = dyn_cast<scf::IfOp>(op))
      return next.getNumResults() == 0 && next.getElseRegion().empty() &&
                     areOpposite(branch.getCondition(), next.getCondition())
                 ? next
                 : nullptr;
    if (!isMemoryEffectFree(op))
      return nullptr;
    between.push_back(op);
  }
  return nullptr;
}

/// Makes two branches one. Returns the operation that is gone, if any.
static Operation *mergeWithOpposite(scf::IfOp branch) {
  SmallVector<Operation *> between;
  if (branch.getNumResults() > 0 || !branch.getElseRegion().empty())
    return nullptr;
  scf::IfOp other = findOpposite(branch, between);
  if (!other)
    return nullptr;
  for (Operation *op : between)
    op->moveBefore(branch);
  branch.getElseRegion().takeBody(other.getThenRegion());
  Operation *gone = other;
  other.erase();
  return gone;
}

namespace {
struct ConvSinkEpilogues
    : public conv::impl::ConvSinkEpiloguesBase<ConvSinkEpilogues> {
  void runOnOperation() override {
    SmallVector<scf::IfOp> branches;
    getOperation().walk([&](scf::IfOp branch) {
      auto block = dyn_cast<scf::ForallOp>(branch->getParentOp());
      if (block && (isPlainBlock(block) ||
                    block->hasAttr(ScheduleAttr::attributeName())))
        branches.push_back(branch);
    });
    for (scf::IfOp branch : branches)
      for (Region &region : branch->getRegions())
        sinkInto(region);
    llvm::SmallPtrSet<Operation *, 4> merged;
    for (scf::IfOp branch : branches)
      if (!merged.contains(branch))
        if (Operation *other = mergeWithOpposite(branch))
          merged.insert(other);
  }
};
} // namespace
