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
#include "Runtime/Memory/MemoryOps.h"
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

namespace {

/// Offsets from the start of shared memory.
struct SharedLayout {
  llvm::DenseMap<Operation *, uint64_t> offsets;
  uint64_t end = 0;
};

} // namespace

/// Places the globals that are used, in the order of the module.
static SharedLayout layOut(ModuleOp module, ArrayRef<SharedUse> uses) {
  SmallVector<LLVM::GlobalOp> dynamic;
  SharedLayout layout;
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    if (llvm::none_of(
            uses, [&](const SharedUse &use) { return use.global == global; }))
      continue;
    uint64_t bytes = globalBytes(global.getGlobalType());
    if (!bytes) {
      dynamic.push_back(global);
      continue;
    }
    layout.offsets[global] = llvm::alignTo(layout.end, globalAlignment(global));
    layout.end = layout.offsets[global] + bytes;
  }
  // All dynamic arrays start at the same place.
  for (LLVM::GlobalOp global : dynamic)
    layout.end = llvm::alignTo(layout.end, globalAlignment(global));
  for (LLVM::GlobalOp global : dynamic)
    layout.offsets[global] = layout.end;
  return layout;
}

FailureOr<uint32_t>
mlir::conv::emulator::lowerSharedGlobals(KernelLowering &lowering) {
  LLVM::LLVMFuncOp kernel = lowering.function();
  SmallVector<SharedUse> uses = findUses(kernel);
  SharedLayout layout = layOut(kernel->getParentOfType<ModuleOp>(), uses);
  if (layout.end > emu::kSharedWindowBytes)
    return kernel.emitOpError("has ")
           << layout.end << " bytes of shared memory: expected at most "
           << emu::kSharedWindowBytes;
  OpBuilder &builder = lowering.rewriter();
  for (SharedUse &use : uses) {
    Location loc = use.address.getLoc();
    builder.setInsertionPoint(use.address);
    Value address = lowering.addressOf(loc, lowering.sharedBase(),
                                       unsigned(layout.offsets[use.global]));
    Value cast = LLVM::AddrSpaceCastOp::create(builder, loc,
                                               use.address.getType(), address);
    use.address.replaceAllUsesWith(cast);
    use.address.erase();
  }
  return uint32_t(layout.end);
}
