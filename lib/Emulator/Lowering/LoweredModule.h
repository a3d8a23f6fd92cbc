//===- LoweredModule.h - kernels on their way to the host -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of a compilation and what passes between them: text or bytecode of
// a module, its kernels as plain `llvm` dialect for the host, their LLVM
// module, their entry points.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_LOWERING_LOWEREDMODULE_H
#define CONV_LIB_EMULATOR_LOWERING_LOWEREDMODULE_H

#include "Runtime/Machine/ThreadAbi.h"
#include "SiteTable.h"
#include "conv/Emulator/Emulator.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace convmlir::emu {

/// A kernel, and what a launch needs to know of it.
struct LoweredKernel {
  EmulatedKernelInfo info;
  uint32_t mailboxBytes = 0;
  /// Workgroups that a multiprocessor must hold, and the limit of registers of
  /// a thread (0: none), as the compiler is told.
  uint32_t workgroupsPerMultiprocessor = 1;
  uint32_t registerLimit = 0;
  /// Whether it has bulk copies or wgmma, for which proxy fences matter.
  bool usesAsyncProxy = false;
  KernelEntry entry = nullptr;
};

/// The symbol of a kernel's entry point.
std::string entryName(const std::string &kernel);

} // namespace convmlir::emu

namespace mlir::conv::emulator {

/// Lowers the kernels of `device` (a gpu.module or builtin.module, which is
/// consumed) to a module of plain `llvm` ops, and describes them in `kernels`.
/// Errors are emitted as diagnostics.
FailureOr<OwningOpRef<ModuleOp>>
lowerForHost(Operation *device, convmlir::emu::SiteTable &sites,
             std::vector<convmlir::emu::LoweredKernel> &kernels);

} // namespace mlir::conv::emulator

#endif // CONV_LIB_EMULATOR_LOWERING_LOWEREDMODULE_H
