//===- SharedLayout.cpp - where shared globals lie ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SharedLayout.h.
//
//===----------------------------------------------------------------------===//

#include "SharedLayout.h"
#include "../Runtime/MemoryOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv::emulator;

/// Bytes of a global; 0 for the dynamic array, whose extent is 0.
static uint64_t globalBytes(Type type) {
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
    return array.getNumElements() * globalBytes(array.getElementType());
  return hostBytes(type);
}

static uint64_t globalAlignment(LLVM::GlobalOp global) {
  // A row of a matrix is the widest access; without a word about it, every
  // global is fit for that.
  return std::max<uint64_t>(global.getAlignment().value_or(16), 16);
}

namespace {

struct SharedUse {
  LLVM::AddressOfOp address;
  LLVM::GlobalOp global;
};

} // namespace

static SmallVector<SharedUse> findUses(LLVM::LLVMFuncOp kernel) {
  SmallVector<SharedUse> uses;
  auto module = kernel->getParentOfType<ModuleOp>();
  kernel.walk([&](LLVM::AddressOfOp address) {
    auto global = module.lookupSymbol<LLVM::GlobalOp>(address.getGlobalName());
    if (global && global.getAddrSpace() == emu::kSharedSpace)
      uses.push_back({address, global});
  });
  return uses;
}

FailureOr<uint32_t>
mlir::conv::emulator::lowerSharedGlobals(KernelLowering &lowering) {
  SmallVector<SharedUse> uses = findUses(lowering.function());
  llvm::MapVector<Operation *, uint64_t> offsets;
  uint64_t end = 0, dynamicAlignment = 1;
  for (SharedUse &use : uses) {
    uint64_t bytes = globalBytes(use.global.getGlobalType());
    uint64_t alignment = globalAlignment(use.global);
    if (!bytes)
      dynamicAlignment = std::max(dynamicAlignment, alignment);
    if (!bytes || offsets.contains(use.global))
      continue;
    offsets[use.global] = llvm::alignTo(end, alignment);
    end = offsets[use.global] + bytes;
  }
  end = llvm::alignTo(end, dynamicAlignment);
  if (end > UINT32_MAX)
    return lowering.function().emitOpError("has too much shared memory");
  OpBuilder &builder = lowering.rewriter();
  for (SharedUse &use : uses) {
    Location loc = use.address.getLoc();
    builder.setInsertionPoint(use.address);
    auto found = offsets.find(use.global);
    uint64_t offset = found == offsets.end() ? end : found->second;
    Value address =
        lowering.addressOf(loc, lowering.sharedBase(), unsigned(offset));
    Value cast = LLVM::AddrSpaceCastOp::create(builder, loc,
                                               use.address.getType(), address);
    use.address.replaceAllUsesWith(cast);
    use.address.erase();
  }
  return uint32_t(end);
}
