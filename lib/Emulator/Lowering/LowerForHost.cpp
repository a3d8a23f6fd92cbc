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

#include "AccumulatorLowering.h"
#include "HostSymbols.h"
#include "KernelLowering.h"
#include "LoweredModule.h"
#include "Lowering/Checks/CheckSupported.h"
#include "MmaBatching.h"
#include "OpTable.h"
#include "Runtime/Matrices/RegisterOps.h"
#include "SharedLayout.h"
#include "conv/Emulator/EmulatedTensorMap.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv::emulator;
using convmlir::EmulatedArgumentKind;
using emu::LoweredKernel;

std::string emu::entryName(const std::string &kernel) {
  return kernel + "__entry";
}

//===----------------------------------------------------------------------===//
// The kernel's attributes
//===----------------------------------------------------------------------===//

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

static EmulatedArgumentKind argumentKind(LLVM::LLVMFuncOp kernel,
                                         unsigned index) {
  if (kernel.getArgAttr(index, "llvm.byval"))
    return EmulatedArgumentKind::TensorMap;
  Type type = kernel.getFunctionType().getParamType(index);
  return isa<LLVM::LLVMPointerType>(type) ? EmulatedArgumentKind::Pointer
                                          : EmulatedArgumentKind::Scalar;
}

static convmlir::EmulatedKernelInfo describeKernel(LLVM::LLVMFuncOp kernel) {
  convmlir::EmulatedKernelInfo info;
  info.name = kernel.getName().str();
  info.requiredBlock = readExtents(
      kernel, {"nvvm.reqntid", "gpu.known_block_size", "known_block_size"});
  info.requiredCluster = readExtents(kernel, {"nvvm.cluster_dim"});
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    EmulatedArgumentKind kind = argumentKind(kernel, i);
    info.argumentKinds.push_back(kind);
    info.argumentBytes.push_back(
        kind == EmulatedArgumentKind::TensorMap
            ? convmlir::EmulatedTensorMap().bytes.size()
            : hostBytes(kernel.getFunctionType().getParamType(i)));
  }
  return info;
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

/// A count of a kernel's attributes, within its limits; `otherwise` where there
/// is none.
static FailureOr<uint32_t> readCount(LLVM::LLVMFuncOp kernel, StringRef name,
                                     uint32_t least, uint32_t most,
                                     uint32_t otherwise) {
  auto attribute = kernel->getAttrOfType<IntegerAttr>(name);
  if (!attribute)
    return otherwise;
  uint64_t count = attribute.getValue().getLimitedValue();
  if (count >= least && count <= most)
    return uint32_t(count);
  return kernel.emitOpError("has ")
         << name << " = " << count << ": expected " << least << " to " << most;
}

/// The kernel with nothing but its name, type and code. What else an image says
/// of it (attributes of the device, a calling convention, a garbage collector)
/// is nothing to the host.
static LLVM::LLVMFuncOp makePlain(LLVM::LLVMFuncOp kernel) {
  OpBuilder builder(kernel);
  auto plain = LLVM::LLVMFuncOp::create(
      builder, kernel.getLoc(), kernel.getName(), kernel.getFunctionType(),
      LLVM::Linkage::Internal);
  plain.getBody().takeBody(kernel.getBody());
  kernel.erase();
  return plain;
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

/// A tensor map is passed as a pointer to a copy of it, so the kernel gets the
/// address of the argument itself.
static void createEntry(KernelLowering &lowering, ArrayRef<Type> parameters,
                        ArrayRef<EmulatedArgumentKind> kinds) {
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
    if (kinds[i] == EmulatedArgumentKind::TensorMap)
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
  LoweredKernel result;
  result.info = describeKernel(kernel);
  FailureOr<uint32_t> workgroups =
      readCount(kernel, "nvvm.minctasm", 1, emu::kMostResident, 1);
  FailureOr<uint32_t> registers =
      readCount(kernel, "nvvm.maxnreg", 1, emu::kMostRegisters, 0);
  if (failed(workgroups) || failed(registers))
    return failure();
  result.workgroupsPerMultiprocessor = *workgroups;
  result.registerLimit = *registers;
  result.usesAsyncProxy = usesAsyncProxy(kernel);
  SmallVector<Type> parameters(kernel.getFunctionType().getParams());
  KernelLowering lowering(makePlain(kernel), sites);
  if (failed(lowerOps(lowering)))
    return failure();
  FailureOr<uint32_t> sharedBytes = lowerSharedGlobals(lowering);
  if (failed(sharedBytes))
    return failure();
  createEntry(lowering, parameters, result.info.argumentKinds);
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

/// Leaves of a location what messages show: an image may say anything beside.
static Location simplify(Location location) {
  if (auto file = location->findInstanceOf<FileLineColLoc>())
    return file;
  return UnknownLoc::get(location->getContext());
}

/// Takes away what only an optimiser reads.
static void dropAnnotations(ModuleOp module) {
  constexpr StringRef names[] = {"access_groups",   "alias_scopes",
                                 "noalias_scopes",  "tbaa",
                                 "loop_annotation", "branch_weights"};
  module.walk([&](Operation *op) {
    op->setLoc(simplify(op->getLoc()));
    if (isa<LLVM::LLVMFuncOp, ModuleOp>(op))
      return;
    op->setDiscardableAttrs(ArrayRef<NamedAttribute>());
    for (StringRef name : names)
      if (op->hasAttr(name))
        op->removeAttr(name);
  });
}

/// Gives plain loads and stores a location that survives translation, and makes
/// equal operand fragments of products recognisable as equal.
static LogicalResult prepare(ModuleOp module) {
  PassManager manager(module.getContext());
  manager.addPass(LLVM::createDIScopeForLLVMFuncOpPass());
  manager.addPass(createCSEPass());
  return manager.run(module);
}

static void eraseGlobals(ModuleOp module) {
  for (LLVM::GlobalOp global :
       llvm::make_early_inc_range(module.getOps<LLVM::GlobalOp>()))
    global.erase();
}

/// Declares the functions of the host that kernels call as they are; nothing
/// refers to other declarations.
static void declareHostFunctions(ModuleOp module) {
  OpBuilder builder(module.getContext());
  for (auto declaration :
       llvm::make_early_inc_range(module.getOps<LLVM::LLVMFuncOp>())) {
    if (!declaration.isExternal())
      continue;
    const emu::HostSymbol *symbol = emu::findHostSymbol(declaration.getName());
    if (symbol && symbol->arguments) {
      builder.setInsertionPoint(declaration);
      Type type = symbol->isDouble ? Type(builder.getF64Type())
                                   : Type(builder.getF32Type());
      LLVM::LLVMFuncOp::create(
          builder, declaration.getLoc(), symbol->name,
          LLVM::LLVMFunctionType::get(
              type, SmallVector<Type>(symbol->arguments, type)));
    }
    declaration.erase();
  }
}

FailureOr<OwningOpRef<ModuleOp>>
mlir::conv::emulator::lowerForHost(Operation *device, emu::SiteTable &sites,
                                   std::vector<LoweredKernel> &kernels) {
  if (failed(checkModule(device)))
    return failure();
  OwningOpRef<ModuleOp> module = takeBody(device);
  SmallVector<LLVM::LLVMFuncOp> functions;
  for (auto function : module->getOps<LLVM::LLVMFuncOp>())
    if (!function.isExternal())
      functions.push_back(function);
  for (LLVM::LLVMFuncOp function : functions)
    if (failed(checkSupported(function)))
      return failure();
  dropAnnotations(*module);
  if (failed(prepare(*module)))
    return failure();
  for (LLVM::LLVMFuncOp function : functions) {
    FailureOr<LoweredKernel> kernel = lowerKernel(function, sites);
    if (failed(kernel))
      return failure();
    kernels.push_back(std::move(*kernel));
  }
  if (kernels.empty())
    return emitError(device->getLoc(), "the module has no kernel");
  eraseGlobals(*module);
  declareHostFunctions(*module);
  return module;
}
