//===- Fuzz.h - random problems against the definition ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_RUN_FUZZ_H
#define CONV_TOOLS_CONV_RUN_FUZZ_H

#include "CommandLine.h"
#include "Support/Failure.h"

namespace convmlir {

/// Runs random problems on the device, with small integers as data and NaN in
/// whatever is to be written, and compares every element exactly. The first
/// failing case is made as simple as it can be and printed as a command line.
Outcome<ExitCode> fuzz(const CommandLine &line);

} // namespace convmlir

#endif // CONV_TOOLS_CONV_RUN_FUZZ_H
