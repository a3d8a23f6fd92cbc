//===- Jit.h - machine code for the host ------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code generation by ORC for the CPU that runs.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_LOWERING_JIT_H
#define CONV_LIB_EMULATOR_LOWERING_JIT_H

#include "conv/Support/Result.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

#include <memory>
#include <string>

namespace convmlir::emu {

/// What the code is generated for.
struct HostTarget {
  llvm::orc::JITTargetMachineBuilder builder;
  std::string dataLayout;
  std::string triple;
};

/// The CPU at hand; `optimize` chooses the effort of code generation.
Result<HostTarget> detectHostTarget(bool optimize);

/// Runs LLVM's O1 pipeline, without the loop transformations that cost most and
/// gain least here.
Status optimizeModule(llvm::Module &module, const HostTarget &target);

/// Puts the errors of a context, which LLVM would print before it ends the
/// process, into `messages`, which outlives the context.
void collectMessages(llvm::LLVMContext &context, std::string &messages);

/// The verification of LLVM IR.
Status verifyCode(const llvm::Module &module);

/// Generates code; symbols are looked up in the result. What goes wrong then is
/// put into `messages`, which outlives the result.
Result<std::unique_ptr<llvm::orc::LLJIT>>
generateCode(llvm::orc::ThreadSafeModule module, const HostTarget &target,
             std::string &messages);

/// The address of a symbol, or why there is no code for it.
Result<void *> lookupSymbol(llvm::orc::LLJIT &jit, const std::string &name);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_LOWERING_JIT_H
