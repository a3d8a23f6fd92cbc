//===- Tune.h - finds and records the fastest schedules ------- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_RUN_TUNE_H
#define CONV_TOOLS_CONV_RUN_TUNE_H

#include "CommandLine.h"
#include "Support/Failure.h"

namespace convmlir {

/// For each convolution of the input: compiles candidates in parallel, times
/// them on the device, verifies the winner and adds it to the tuning file. The
/// exit code is Done; a wrong winner is the failure Mismatch.
Outcome<ExitCode> tune(const CommandLine &line);

} // namespace convmlir

#endif // CONV_TOOLS_CONV_RUN_TUNE_H
