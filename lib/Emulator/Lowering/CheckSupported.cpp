//===- CheckSupported.cpp - refusing what is not known --------------------===//
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
#include "HostSymbols.h"
#include "MmaBatching.h"
#include "OpTable.h"
#include "RegisterProducts.h"
#include "TiedWaits.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::conv::emulator;

static LogicalResult checkCall(LLVM::CallOp call) {
  std::optional<StringRef> callee = call.getCallee();
  if (!callee)
    return call.emitOpError("through a pointer is not emulated");
  if (emu::isHostFunction(*callee))
    return success();
  return call.emitOpError("of '")
         << *callee << "' is not emulated: device functions must be inlined";
}

static LogicalResult checkOp(Operation *op) {
  if (auto call = dyn_cast<LLVM::CallOp>(op))
    return checkCall(call);
  if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op)) {
    if (matchTiedWait(assembly) || matchRegisterProduct(op))
      return success();
    return op->emitOpError("is not emulated: \"")
           << assembly.getAsmString() << "\"";
  }
  if (isMmaProduct(op))
    return success();
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    return op->emitOpError("is not emulated: ") << call.getIntrin();
  if (isa<LLVM::LLVMDialect>(op->getDialect()) ||
      isa<NVVM::WgmmaMmaAsyncOp>(op))
    return success();
  if (getOpTable().contains(op->getName().getStringRef()))
    return success();
  return op->emitOpError("is not known to the emulator");
}

LogicalResult mlir::conv::emulator::checkSupported(LLVM::LLVMFuncOp kernel) {
  WalkResult result = kernel.walk([](Operation *op) {
    return failed(checkOp(op)) ? WalkResult::interrupt()
                               : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
