//===- Launch.h - one run of conv-launch ------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_LAUNCH_LAUNCH_H
#define CONV_TOOLS_CONV_LAUNCH_LAUNCH_H

#include "CommandLine.h"
#include "Support/Failure.h"

#include <string>

namespace convmlir {

struct LaunchReport {
  std::string text;
  bool passed = true; ///< All results that something was expected of.
};

/// Reads, runs, verifies, writes and times. Whatever is wrong with the input is
/// found before a device is opened.
Outcome<LaunchReport> launch(const CommandLine &line);

} // namespace convmlir

#endif // CONV_TOOLS_CONV_LAUNCH_LAUNCH_H
