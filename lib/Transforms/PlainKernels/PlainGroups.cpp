//===- PlainGroups.cpp - plain loops that run together --------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlainGroups.h"
#include "PlainKernels.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
/// The buffers that an operation reads and writes.
struct Accesses {
  llvm::SmallPtrSet<Value, 4> read, written;
  bool areKnown = true;

  explicit Accesses(Operation *root);
  /// Whether neither one writes what the other one touches.
  bool isIndependentOf(const Accesses &other) const;
};
} // namespace

/// What a buffer is a part of, or has another shape of.
static Value getWholeBuffer(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

Accesses::Accesses(Operation *root) {
  root->walk([&](Operation *op) {
    auto interface = dyn_cast<MemoryEffectOpInterface>(op);
    if (!interface) {
      // Sums over lanes say nothing of memory, and touch none.
      areKnown &= isa<gpu::SubgroupReduceOp>(op) ||
                  op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
                  op->hasTrait<OpTrait::IsTerminator>();
      return;
    }
    SmallVector<MemoryEffects::EffectInstance> effects;
    interface.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects) {
      Value buffer = effect.getValue();
      if (!buffer) {
        areKnown = false;
        continue;
      }
      bool isRead = isa<MemoryEffects::Read>(effect.getEffect());
      (isRead ? read : written).insert(getWholeBuffer(buffer));
    }
  });
}

bool Accesses::isIndependentOf(const Accesses &other) const {
  auto touches = [](const Accesses &accesses, Value buffer) {
    return accesses.read.contains(buffer) || accesses.written.contains(buffer);
  };
  return areKnown && other.areKnown &&
         llvm::none_of(written, [&](Value v) { return touches(other, v); }) &&
         llvm::none_of(other.written,
                       [&](Value v) { return touches(*this, v); });
}

/// Whether nothing but views and allocations stands between two loops.
static bool areNeighbours(scf::ForallOp first, scf::ForallOp second) {
  if (first->getBlock() != second->getBlock())
    return false;
  for (Operation *op = first->getNextNode(); op != second;
       op = op->getNextNode())
    if (!op || !(isMemoryEffectFree(op) || isa<memref::AllocOp>(op)))
      return false;
  return true;
}

SmallVector<LoopGroup> conv::groupPlainLoops(ArrayRef<scf::ForallOp> loops) {
  SmallVector<LoopGroup> groups;
  for (scf::ForallOp loop : loops) {
    auto joins = [&](const LoopGroup &group) {
      Accesses accesses(loop);
      return isPlainBlock(group.back()) && isPlainBlock(loop) &&
             areNeighbours(group.back(), loop) &&
             llvm::all_of(group, [&](scf::ForallOp other) {
               return Accesses(other).isIndependentOf(accesses);
             });
    };
    if (!groups.empty() && joins(groups.back()))
      groups.back().push_back(loop);
    else
      groups.push_back({loop});
  }
  return groups;
}
