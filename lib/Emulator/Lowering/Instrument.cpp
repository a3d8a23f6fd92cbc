//===- Instrument.cpp - checks on plain loads and stores ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Instrument.h.
//
//===----------------------------------------------------------------------===//

#include "Instrument.h"
#include "Runtime/Memory/MemoryOps.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <optional>

using namespace llvm;

namespace convmlir::emu {

/// KernelLowering.h's kRuntimeAddressSpace; that header is not for LLVM IR.
static constexpr unsigned kRuntimeSpace = 200;

namespace {

/// One side of a memory access.
struct Access {
  Instruction *instruction;
  Value *pointer;
  /// Bytes: the store size of `type`, or `length` for copies of memory.
  Type *type = nullptr;
  Value *length = nullptr;
  uint32_t alignment = 1;
  bool isStore = false;
  bool isAtomic = false;
};

/// Instruments one function, whose first argument is the thread.
class FunctionInstrumenter {
public:
  FunctionInstrumenter(Function &function, SiteTable &sites)
      : function(function), sites(sites), context(function.getContext()) {}

  void run();

private:
  std::string describeLocation(const Instruction &instruction) const;
  Constant *pointerTo(const void *address, unsigned space);
  void check(const Access &access);
  void guard(Instruction *terminator);

  Function &function;
  SiteTable &sites;
  LLVMContext &context;
};

} // namespace

//===----------------------------------------------------------------------===//
// Finding accesses
//===----------------------------------------------------------------------===//

/// Tables that LLVM's optimiser made of switches: a module has no variables of
/// its own, neither global nor local ones.
static bool isHostObject(const Value *pointer) {
  return isa<GlobalVariable>(getUnderlyingObject(pointer));
}

static void addAccesses(Instruction &instruction,
                        SmallVectorImpl<Access> &accesses) {
  auto alignOf = [](auto *access) { return access->getAlign().value(); };
  if (auto *load = dyn_cast<LoadInst>(&instruction)) {
    accesses.push_back({load, load->getPointerOperand(), load->getType(),
                        nullptr, uint32_t(alignOf(load))});
  } else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
    accesses.push_back({store, store->getPointerOperand(),
                        store->getValueOperand()->getType(), nullptr,
                        uint32_t(alignOf(store)), /*isStore=*/true});
  } else if (auto *update = dyn_cast<AtomicRMWInst>(&instruction)) {
    accesses.push_back({update, update->getPointerOperand(), update->getType(),
                        nullptr, uint32_t(alignOf(update)), /*isStore=*/true,
                        /*isAtomic=*/true});
  } else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
    accesses.push_back({exchange, exchange->getPointerOperand(),
                        exchange->getNewValOperand()->getType(), nullptr,
                        uint32_t(alignOf(exchange)), /*isStore=*/true,
                        /*isAtomic=*/true});
  } else if (auto *fill = dyn_cast<MemIntrinsic>(&instruction)) {
    // Not getSource() and getDest(), which look through casts between address
    // spaces: a shared array's address is made of one of the emulator's own.
    if (auto *copy = dyn_cast<MemTransferInst>(fill))
      accesses.push_back(
          {copy, copy->getRawSource(), nullptr, copy->getLength()});
    accesses.push_back({fill, fill->getRawDest(), nullptr, fill->getLength(), 1,
                        /*isStore=*/true});
  }
}

static SmallVector<Access> findAccesses(Function &function) {
  SmallVector<Access> all, checked;
  for (Instruction &instruction : instructions(function))
    addAccesses(instruction, all);
  for (const Access &access : all) {
    unsigned space = access.pointer->getType()->getPointerAddressSpace();
    if (space != kRuntimeSpace && !isHostObject(access.pointer))
      checked.push_back(access);
  }
  return checked;
}

static SmallVector<Instruction *> findLoopEnds(Function &function) {
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>> edges;
  FindFunctionBackedges(function, edges);
  SmallPtrSet<const BasicBlock *, 8> seen;
  SmallVector<Instruction *> ends;
  for (auto [from, to] : edges)
    if (seen.insert(from).second)
      ends.push_back(const_cast<BasicBlock *>(from)->getTerminator());
  return ends;
}

//===----------------------------------------------------------------------===//
// Inserting calls
//===----------------------------------------------------------------------===//

std::string
FunctionInstrumenter::describeLocation(const Instruction &instruction) const {
  if (const DILocation *location = instruction.getDebugLoc())
    if (location->getLine())
      return sys::path::filename(location->getFilename()).str() + ":" +
             std::to_string(location->getLine());
  return "@" + function.getName().str();
}

Constant *FunctionInstrumenter::pointerTo(const void *address, unsigned space) {
  auto *number = ConstantInt::get(Type::getInt64Ty(context),
                                  reinterpret_cast<uintptr_t>(address));
  return ConstantExpr::getIntToPtr(number, PointerType::get(context, space));
}

static const char *accessName(const Access &access) {
  if (access.isAtomic)
    return "llvm.atomicrmw";
  return access.isStore ? "llvm.store" : "llvm.load";
}

void FunctionInstrumenter::check(const Access &access) {
  auto &site = sites.create<AccessSite>(accessName(access),
                                        describeLocation(*access.instruction));
  site.addressSpace = access.pointer->getType()->getPointerAddressSpace();
  site.alignment = access.alignment;
  site.isStore = access.isStore;
  site.isAtomic = access.isAtomic;
  IRBuilder<> builder(access.instruction);
  Type *runtime = PointerType::get(context, kRuntimeSpace);
  Type *generic = PointerType::get(context, kGenericSpace);
  Type *i64 = builder.getInt64Ty();
  auto *type = FunctionType::get(builder.getVoidTy(),
                                 {runtime, runtime, generic, i64}, false);
  Value *bytes =
      access.length
          ? builder.CreateZExt(access.length, i64)
          : builder.getInt64(
                function.getDataLayout().getTypeStoreSize(access.type));
  Value *pointer = builder.CreateAddrSpaceCast(access.pointer, generic);
  builder.CreateCall(
      type, pointerTo(reinterpret_cast<void *>(&checkAccess), kGenericSpace),
      {function.getArg(0), pointerTo(&site, kRuntimeSpace), pointer, bytes});
}

/// Counts the loop budget down, and calls emuGuardLoop when it is used up.
void FunctionInstrumenter::guard(Instruction *terminator) {
  auto &site = sites.create<Site>("loop", describeLocation(*terminator));
  IRBuilder<> builder(terminator);
  Type *i64 = builder.getInt64Ty();
  Value *thread = function.getArg(0);
  Value *address = builder.CreateConstGEP1_64(builder.getInt8Ty(), thread,
                                              offsetof(ThreadAbi, loopBudget));
  Value *left =
      builder.CreateSub(builder.CreateLoad(i64, address), builder.getInt64(1));
  builder.CreateStore(left, address);
  Value *usedUp = builder.CreateICmpSLE(left, builder.getInt64(0));
  Instruction *call =
      SplitBlockAndInsertIfThen(usedUp, terminator, /*Unreachable=*/false);
  builder.SetInsertPoint(call);
  Type *runtime = PointerType::get(context, kRuntimeSpace);
  auto *type =
      FunctionType::get(builder.getVoidTy(), {runtime, runtime}, false);
  builder.CreateCall(
      type, pointerTo(reinterpret_cast<void *>(&emuGuardLoop), kGenericSpace),
      {thread, pointerTo(&site, kRuntimeSpace)});
}

void FunctionInstrumenter::run() {
  // A frame larger than the inaccessible page below a fiber's stack must not
  // reach over it into the next stack.
  function.addFnAttr("probe-stack", "inline-asm");
  for (const Access &access : findAccesses(function))
    check(access);
  for (Instruction *terminator : findLoopEnds(function))
    guard(terminator);
}

void instrument(Module &module, SiteTable &sites) {
  for (Function &function : module)
    if (!function.isDeclaration())
      FunctionInstrumenter(function, sites).run();
}

} // namespace convmlir::emu
