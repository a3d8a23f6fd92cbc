//===- Instrument.h - checks on plain loads and stores ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Works on the LLVM module of the kernels: accesses to memory that is not the
// emulator's and not a local variable get a check, loops get a guard.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_LOWERING_INSTRUMENT_H
#define CONV_LIB_EMULATOR_LOWERING_INSTRUMENT_H

#include "SiteTable.h"

namespace llvm {
class Module;
} // namespace llvm

namespace convmlir::emu {

void instrument(llvm::Module &module, SiteTable &sites);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_LOWERING_INSTRUMENT_H
