//===- Run.h - one run of conv-run ------------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_RUN_RUN_H
#define CONV_TOOLS_CONV_RUN_RUN_H

#include "CommandLine.h"
#include "Support/Failure.h"

namespace convmlir {

/// Loads, compiles, runs, verifies, times and reports, or writes what is
/// emitted. The exit code is Done or Mismatch.
Outcome<ExitCode> runOnce(const CommandLine &line);

} // namespace convmlir

#endif // CONV_TOOLS_CONV_RUN_RUN_H
