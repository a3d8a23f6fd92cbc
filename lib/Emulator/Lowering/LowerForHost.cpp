//===- LowerForHost.cpp - kernels as host code ----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a device module. Output: a builtin.module with, per kernel @k, an
// internal function @k that takes its thread as a hidden first argument, and
//
//   llvm.func @k__entry(%thread, %arguments)
//
// that loads the arguments of a launch and calls it.
//
//===----------------------------------------------------------------------===//

#include "../Runtime/MemoryOps.h"
#include "AccumulatorLowering.h"
#include "CheckSupported.h"
#include "KernelLowering.h"
#include "LoweredModule.h"
#include "MmaBatching.h"
#include "OpTable.h"
#include "SharedLayout.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv::emulator;
using emu::LoweredKernel;

std::string emu::entryName(const std::string &kernel) {
  return kernel + "__entry";
}

//===----------------------------------------------------------------------===//
// The kernel's attributes
//===----------------------------------------------------------------------===//

static bool isKernel(LLVM::LLVMFuncOp function) {
  return function->hasAttr("nvvm.kernel") || function->hasAttr("gpu.kernel");
}

/// Extents under any of the given names, filled up with ones; zeros if absent.
static std::array<uint32_t, 3> readExtents(Operation *op,
                                           ArrayRef<StringRef> names) {
  for (StringRef name : names) {
    auto attribute = op->getAttrOfType<DenseI32ArrayAttr>(name);
    if (!attribute || attribute.empty())
      continue;
    std::array<uint32_t, 3> extents{1, 1, 1};
    for (auto [to, from] : llvm::zip(extents, attribute.asArrayRef()))
      to = uint32_t(from);
    return extents;
  }
  return {0, 0, 0};
}

/// Bytes of an argument's value, which may be passed by address.
static uint32_t argumentBytes(LLVM::LLVMFuncOp kernel, unsigned index) {
  auto byValue = kernel.getArgAttrOfType<TypeAttr>(index, "llvm.byval");
  if (!byValue)
    return hostBytes(kernel.getFunctionType().getParamType(index));
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(byValue.getValue()))
    return array.getNumElements() * hostBytes(array.getElementType());
  return hostBytes(byValue.getValue());
}

static convmlir::EmulatedKernelInfo describeKernel(LLVM::LLVMFuncOp kernel) {
  convmlir::EmulatedKernelInfo info;
  info.name = kernel.getName().str();
  info.requiredBlock = readExtents(
      kernel, {"nvvm.reqntid", "gpu.known_block_size", "known_block_size"});
  info.requiredCluster = readExtents(kernel, {"nvvm.cluster_dim"});
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    info.argumentBytes.push_back(argumentBytes(kernel, i));
  return info;
}

static uint32_t readCount(Operation *op, StringRef name, uint32_t otherwise) {
  auto attribute = op->getAttrOfType<IntegerAttr>(name);
  return attribute ? uint32_t(attribute.getInt()) : otherwise;
}

static bool usesAsyncProxy(LLVM::LLVMFuncOp kernel) {
  WalkResult result = kernel.walk([](Operation *op) {
    StringRef name = op->getName().getStringRef();
    bool isAsync = name.starts_with("nvvm.cp.async.bulk.") ||
                   name.starts_with("nvvm.wgmma.");
    return isAsync ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Attributes of the device mean nothing to the host.
static void dropDeviceAttributes(LLVM::LLVMFuncOp kernel) {
  for (NamedAttribute attribute :
       llvm::to_vector(kernel->getDiscardableAttrs()))
    kernel->removeDiscardableAttr(attribute.getName());
  kernel.setLinkage(LLVM::Linkage::Internal);
}

//===----------------------------------------------------------------------===//
// One kernel
//===----------------------------------------------------------------------===//

static LogicalResult lowerOps(KernelLowering &lowering) {
  if (failed(lowerMmaOps(lowering)) || failed(lowerWgmmaProducts(lowering)))
    return failure();
  SmallVector<std::pair<Operation *, LowerOp>> ops;
  lowering.function().walk([&](Operation *op) {
    if (LowerOp lower = getOpTable().lookup(op->getName().getStringRef()))
      ops.push_back({op, lower});
  });
  for (auto [op, lower] : ops)
    if (failed(lower(lowering, op)))
      return failure();
  return success();
}

/// `byValue[i]`: argument i is a pointer to a copy of the parameter (a tensor
/// map), so it gets the address of the parameter itself.
static void createEntry(KernelLowering &lowering, ArrayRef<Type> parameters,
                        ArrayRef<bool> byValue) {
  LLVM::LLVMFuncOp kernel = lowering.function();
  OpBuilder &builder = lowering.rewriter();
  Location loc = UnknownLoc::get(builder.getContext());
  builder.setInsertionPointAfter(kernel);
  Type pointer = lowering.runtimePointer();
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(builder.getContext()), {pointer, pointer});
  auto entry = LLVM::LLVMFuncOp::create(
      builder, loc, emu::entryName(kernel.getName().str()), type);
  Block *body = entry.addEntryBlock(builder);
  builder.setInsertionPointToStart(body);
  SmallVector<Value> arguments{body->getArgument(0)};
  for (auto [i, parameter] : llvm::enumerate(parameters)) {
    Value slot = lowering.addressOf(loc, body->getArgument(1), 8 * i);
    Value address = LLVM::LoadOp::create(builder, loc, pointer, slot, 8);
    if (byValue[i])
      arguments.push_back(
          LLVM::AddrSpaceCastOp::create(builder, loc, parameter, address));
    else
      arguments.push_back(
          LLVM::LoadOp::create(builder, loc, parameter, address, 1));
  }
  LLVM::CallOp::create(builder, loc, kernel, arguments);
  LLVM::ReturnOp::create(builder, loc, ValueRange{});
}

static FailureOr<LoweredKernel> lowerKernel(LLVM::LLVMFuncOp kernel,
                                            emu::SiteTable &sites) {
  if (failed(checkSupported(kernel)))
    return failure();
  LoweredKernel result;
  result.info = describeKernel(kernel);
  result.workgroupsPerMultiprocessor = readCount(kernel, "nvvm.minctasm", 1);
  result.registerLimit = readCount(kernel, "nvvm.maxnreg", 0);
  result.usesAsyncProxy = usesAsyncProxy(kernel);
  SmallVector<Type> parameters(kernel.getFunctionType().getParams());
  SmallVector<bool> byValue;
  for (unsigned i = 0; i < parameters.size(); ++i) {
    if (!hostBytes(parameters[i]))
      return kernel.emitOpError("argument #")
             << i << " has type " << parameters[i]
             << ", which the emulator cannot pass";
    byValue.push_back(bool(kernel.getArgAttr(i, "llvm.byval")));
  }
  dropDeviceAttributes(kernel);
  KernelLowering lowering(kernel, sites);
  if (failed(lowerOps(lowering)))
    return failure();
  FailureOr<uint32_t> sharedBytes = lowerSharedGlobals(lowering);
  if (failed(sharedBytes))
    return failure();
  createEntry(lowering, parameters, byValue);
  result.info.staticSharedBytes = *sharedBytes;
  // An odd number of cache lines: a power of two would map the same words of
  // all lanes to the same cache sets.
  constexpr unsigned line = 64;
  result.mailboxBytes =
      (llvm::divideCeil(lowering.mailboxBytes(), line) | 1) * line;
  return result;
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

static OwningOpRef<ModuleOp> takeBody(Operation *device) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(device->getLoc());
  Block &body = device->getRegion(0).front();
  for (Operation &op : llvm::make_early_inc_range(body)) {
    op.remove();
    module->push_back(&op);
  }
  return module;
}

/// Gives plain loads and stores a location that survives translation, and makes
/// equal operand fragments of products recognisable as equal.
static LogicalResult prepare(ModuleOp module) {
  PassManager manager(module.getContext());
  manager.addPass(LLVM::createDIScopeForLLVMFuncOpPass());
  manager.addPass(createCSEPass());
  return manager.run(module);
}

static void eraseSharedGlobals(ModuleOp module) {
  for (LLVM::GlobalOp global :
       llvm::make_early_inc_range(module.getOps<LLVM::GlobalOp>()))
    if (global.getAddrSpace() == emu::kSharedSpace)
      global.erase();
}

FailureOr<OwningOpRef<ModuleOp>>
mlir::conv::emulator::lowerForHost(Operation *device, emu::SiteTable &sites,
                                   std::vector<LoweredKernel> &kernels) {
  OwningOpRef<ModuleOp> module = takeBody(device);
  if (failed(prepare(*module)))
    return failure();
  SmallVector<LLVM::LLVMFuncOp> functions;
  for (auto function : module->getOps<LLVM::LLVMFuncOp>())
    if (isKernel(function) && !function.isExternal())
      functions.push_back(function);
  for (LLVM::LLVMFuncOp function : functions) {
    FailureOr<LoweredKernel> kernel = lowerKernel(function, sites);
    if (failed(kernel))
      return failure();
    kernels.push_back(std::move(*kernel));
  }
  if (kernels.empty())
    return emitError(device->getLoc(), "the module has no kernel");
  eraseSharedGlobals(*module);
  return module;
}
