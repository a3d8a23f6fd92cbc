//===- CheckModule.cpp - what a module of kernels may hold ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CheckSupported.h.
//
//===----------------------------------------------------------------------===//

#include "CheckSupported.h"
#include "Lowering/HostSymbols.h"
#include "Lowering/KernelLowering.h"
#include "Lowering/KernelTypes.h"
#include "Runtime/Memory/MemoryOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::conv::emulator;

bool mlir::conv::emulator::isKernel(LLVM::LLVMFuncOp function) {
  return function->hasAttr("nvvm.kernel") || function->hasAttr("gpu.kernel");
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Names with a dot are LLVM's own, and those of host functions what generated
/// code calls.
static LogicalResult checkName(LLVM::LLVMFuncOp kernel) {
  auto isAllowed = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '$';
  };
  if (llvm::all_of(kernel.getName(), isAllowed) &&
      !emu::findHostSymbol(kernel.getName()))
    return success();
  return kernel.emitOpError("'")
         << kernel.getName() << "' has a name that no kernel can have";
}

/// A tensor map is passed by address of a copy, all else by value in a word.
static LogicalResult checkParameter(LLVM::LLVMFuncOp kernel, unsigned index) {
  constexpr unsigned mapBytes = 128, wordBytes = 8;
  Type type = kernel.getFunctionType().getParamType(index);
  auto byValue = kernel.getArgAttrOfType<TypeAttr>(index, "llvm.byval");
  if (kernel.getArgAttr(index, "llvm.byval")) {
    auto bytes = byValue ? dyn_cast<LLVM::LLVMArrayType>(byValue.getValue())
                         : LLVM::LLVMArrayType();
    if (isa<LLVM::LLVMPointerType>(type) && isValueType(type) && bytes &&
        bytes.getElementType().isInteger(8) &&
        bytes.getNumElements() == mapBytes)
      return success();
  } else if (isValueType(type) && countScalars(type) == 1 &&
             hostBytes(type) <= wordBytes) {
    return success();
  }
  return kernel.emitOpError("argument #")
         << index << " has type " << type << ", which the emulator cannot pass";
}

static LogicalResult checkFunction(LLVM::LLVMFuncOp function) {
  // What is declared and not called does no harm; calls are checked.
  if (function.isExternal())
    return success();
  if (!isKernel(function))
    return function.emitOpError("'")
           << function.getName()
           << "' is no kernel: device functions must be inlined";
  if (failed(checkName(function)))
    return failure();
  LLVM::LLVMFunctionType type = function.getFunctionType();
  if (!isa<LLVM::LLVMVoidType>(type.getReturnType()) || type.isVarArg())
    return function.emitOpError("returns a value or has any number of "
                                "arguments, which no kernel does");
  for (unsigned i = 0; i < type.getNumParams(); ++i)
    if (failed(checkParameter(function, i)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

static LogicalResult checkGlobal(LLVM::GlobalOp global) {
  if (global.getAddrSpace() != emu::kSharedSpace || global.getValueAttr() ||
      !global.getInitializerRegion().empty())
    return global.emitOpError("'")
           << global.getSymName()
           << "' is no array in shared memory without contents: kernels have "
              "no other variables";
  if (failed(checkAlignment(global)))
    return failure();
  if (!isStorageType(global.getGlobalType()))
    return global.emitOpError("has type ")
           << global.getGlobalType() << ", which is not emulated";
  return success();
}

LogicalResult mlir::conv::emulator::checkModule(Operation *device) {
  for (Operation &op : device->getRegion(0).front()) {
    auto global = dyn_cast<LLVM::GlobalOp>(op);
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    if (!global && !function)
      return op.emitOpError(
          "is not emulated: a module has kernels and shared arrays");
    if (failed(global ? checkGlobal(global) : checkFunction(function)))
      return failure();
  }
  return success();
}
