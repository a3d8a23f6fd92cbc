//===- KernelLowering.cpp - rewriting one kernel --------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See KernelLowering.h.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"
#include "Runtime/Machine/ThreadAbi.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::conv::emulator;

//===----------------------------------------------------------------------===//
// Types and locations
//===----------------------------------------------------------------------===//

static unsigned structBytes(LLVM::LLVMStructType type) {
  unsigned bytes = 0, alignment = 1;
  for (Type element : type.getBody()) {
    unsigned size = hostBytes(element);
    if (!size)
      return 0;
    alignment = std::max(alignment, size);
    bytes = llvm::alignTo(bytes, size) + size;
  }
  return llvm::alignTo(bytes, alignment);
}

unsigned mlir::conv::emulator::hostBytes(Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return 8;
  if (type.isIntOrFloat())
    return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * hostBytes(vector.getElementType());
  if (auto structure = dyn_cast<LLVM::LLVMStructType>(type))
    return structBytes(structure);
  return 0;
}

std::string mlir::conv::emulator::describeLocation(Operation *op) {
  if (auto file = op->getLoc()->findInstanceOf<FileLineColLoc>())
    return llvm::sys::path::filename(file.getFilename().getValue()).str() +
           ":" + std::to_string(file.getLine());
  if (auto function = op->getParentOfType<LLVM::LLVMFuncOp>())
    return "@" + function.getName().str();
  return "an unknown location";
}

//===----------------------------------------------------------------------===//
// The hidden argument
//===----------------------------------------------------------------------===//

KernelLowering::KernelLowering(LLVM::LLVMFuncOp kernel, emu::SiteTable &sites)
    : kernel(kernel), sites(sites), builder(kernel.getContext()) {
  auto type = kernel.getFunctionType();
  SmallVector<Type> inputs{runtimePointer()};
  llvm::append_range(inputs, type.getParams());
  kernel.removeArgAttrsAttr();
  kernel.setFunctionType(
      LLVM::LLVMFunctionType::get(type.getReturnType(), inputs));
  Block &entry = kernel.getBody().front();
  Location loc = kernel.getLoc();
  thread = entry.insertArgument(0u, runtimePointer(), loc);
  builder.setInsertionPointToStart(&entry);
  mailbox = loadThreadPointer(loc, offsetof(emu::ThreadAbi, mailbox));
  shared = loadThreadPointer(loc, offsetof(emu::ThreadAbi, shared));
}

Type KernelLowering::runtimePointer() {
  return LLVM::LLVMPointerType::get(builder.getContext(), kRuntimeAddressSpace);
}

Type KernelLowering::genericPointer() {
  return LLVM::LLVMPointerType::get(builder.getContext());
}

//===----------------------------------------------------------------------===//
// Building blocks
//===----------------------------------------------------------------------===//

Value KernelLowering::addressOf(Location loc, Value base, unsigned offset) {
  return LLVM::GEPOp::create(builder, loc, runtimePointer(),
                             builder.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{int32_t(offset)});
}

Value KernelLowering::mailboxAddress(Location loc, unsigned offset) {
  return addressOf(loc, mailbox, offset);
}

Value KernelLowering::loadThreadPointer(Location loc, unsigned offset) {
  auto load = LLVM::LoadOp::create(builder, loc, runtimePointer(),
                                   addressOf(loc, thread, offset), 8);
  load.setInvariant(true);
  return load;
}

Value KernelLowering::constantPointer(Location loc, const void *address,
                                      Type type) {
  Value number = LLVM::ConstantOp::create(
      builder, loc, builder.getI64Type(),
      builder.getI64IntegerAttr(reinterpret_cast<intptr_t>(address)));
  return LLVM::IntToPtrOp::create(builder, loc, type, number);
}

void KernelLowering::useMailbox(unsigned bytes) {
  neededMailboxBytes = std::max(neededMailboxBytes, bytes);
}

void KernelLowering::callHandler(Location loc, emu::Site &site,
                                 emu::Handler handler) {
  Type pointer = runtimePointer();
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                  {pointer, pointer, pointer});
  Value callee =
      constantPointer(loc, reinterpret_cast<void *>(handler), genericPointer());
  Value siteAddress = constantPointer(loc, &site, pointer);
  auto call = LLVM::CallOp::create(
      builder, loc, type, ValueRange{callee, thread, siteAddress, mailbox});
  call.setConvergent(true);
  call.setNoUnwind(true);
}

//===----------------------------------------------------------------------===//
// Replacing ops
//===----------------------------------------------------------------------===//

/// Sites keep offsets in 16 bits.
static constexpr unsigned kMostMailboxBytes = 60000;

LogicalResult KernelLowering::call(Operation *op, emu::Site &site,
                                   emu::Handler handler, ValueRange operands) {
  Location loc = op->getLoc();
  unsigned offset = 0;
  for (Value operand : operands) {
    unsigned bytes = hostBytes(operand.getType());
    if (!bytes)
      return op->emitOpError("has an operand of type ")
             << operand.getType() << ", which the emulator cannot pass";
    unsigned alignment = std::min(8u, unsigned(llvm::PowerOf2Ceil(bytes)));
    offset = llvm::alignTo(offset, alignment);
    if (offset > kMostMailboxBytes)
      return op->emitOpError("has more operands than the emulator can pass");
    site.operandOffsets.push_back(offset);
    LLVM::StoreOp::create(builder, loc, operand, mailboxAddress(loc, offset),
                          alignment);
    offset += bytes;
  }
  if (offset > kMostMailboxBytes)
    return op->emitOpError("has more operands than the emulator can pass");
  site.resultOffset = llvm::alignTo(offset, 8);
  callHandler(loc, site, handler);
  useMailbox(site.resultOffset);
  return success();
}

Value KernelLowering::loadScalar(Location loc, Type type, unsigned offset) {
  useMailbox(offset + hostBytes(type));
  return LLVM::LoadOp::create(builder, loc, type, mailboxAddress(loc, offset),
                              /*alignment=*/1);
}

LogicalResult KernelLowering::replaceWithCall(Operation *op, emu::Site &site,
                                              emu::Handler handler,
                                              ValueRange operands) {
  builder.setInsertionPoint(op);
  if (failed(call(op, site, handler, operands)))
    return failure();
  if (op->getNumResults())
    loadResult(op->getResult(0), site.resultOffset);
  op->erase();
  return success();
}

void KernelLowering::replaceWithRegister(Operation *op, unsigned offset) {
  Location loc = op->getLoc();
  builder.setInsertionPoint(op);
  auto load = LLVM::LoadOp::create(builder, loc, builder.getI32Type(),
                                   addressOf(loc, thread, offset), 4);
  load.setInvariant(true);
  op->getResult(0).replaceAllUsesWith(load);
  op->erase();
}

/// The offset of element `index` of a struct.
static unsigned elementOffset(LLVM::LLVMStructType type, int64_t index) {
  unsigned offset = 0;
  for (int64_t i = 0; i <= index; ++i) {
    unsigned bytes = hostBytes(type.getBody()[i]);
    offset = llvm::alignTo(offset, bytes);
    if (i < index)
      offset += bytes;
  }
  return offset;
}

void KernelLowering::loadResult(Value result, unsigned offset) {
  Location loc = result.getLoc();
  auto load = [&](Type type, unsigned at) -> Value {
    return LLVM::LoadOp::create(builder, loc, type, mailboxAddress(loc, at), 1);
  };
  useMailbox(offset + hostBytes(result.getType()));
  if (auto type = dyn_cast<LLVM::LLVMStructType>(result.getType())) {
    for (Operation *user : llvm::make_early_inc_range(result.getUsers())) {
      auto extract = dyn_cast<LLVM::ExtractValueOp>(user);
      if (!extract || extract.getPosition().size() != 1)
        continue;
      unsigned at = offset + elementOffset(type, extract.getPosition()[0]);
      extract.replaceAllUsesWith(load(extract.getType(), at));
      extract.erase();
    }
  }
  if (!result.use_empty())
    result.replaceAllUsesWith(load(result.getType(), offset));
}
