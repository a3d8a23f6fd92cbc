//===- HostSymbols.h - functions that compiled code may call ----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of the C library and of the compiler's runtime that generated
// code refers to, by address: a static executable has no dlsym.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_LOWERING_HOSTSYMBOLS_H
#define CONV_LIB_EMULATOR_LOWERING_HOSTSYMBOLS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace convmlir::emu {

struct HostSymbol {
  std::string name;
  void *address;
  /// Of a function that kernels may call: its arguments, which have the type of
  /// its result, f64 or f32. 0: only what the code generator makes calls it.
  unsigned arguments = 0;
  bool isDouble = false;
};

/// All of them: C names, and the names that libdevice gives the same functions.
llvm::ArrayRef<HostSymbol> hostSymbols();

/// The one of this name, or null.
const HostSymbol *findHostSymbol(llvm::StringRef name);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_LOWERING_HOSTSYMBOLS_H
