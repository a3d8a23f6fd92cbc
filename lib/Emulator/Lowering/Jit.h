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

/// Generates code; symbols are looked up in the result.
Result<std::unique_ptr<llvm::orc::LLJIT>>
generateCode(llvm::orc::ThreadSafeModule module, const HostTarget &target);

/// The address of a symbol, or why there is no code for it.
Result<void *> lookupSymbol(llvm::orc::LLJIT &jit, const std::string &name);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_LOWERING_JIT_H
