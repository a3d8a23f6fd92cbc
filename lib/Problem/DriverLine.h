//===- DriverLine.h - convolutions as MIOpenDriver has them -----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Another spelling of a problem: the command line of MIOpen's driver, as MIOpen
// logs it and as people post it.
//
//   MIOpenDriver convbfp16 -n 256 -c 1024 -H 14 -W 14 -k 2048 -y 1 -x 1 -F 1
//
// A log has "MIOpen(HIP): Command [LogCmdConvolution]" in front of it.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PROBLEM_DRIVERLINE_H
#define CONV_LIB_PROBLEM_DRIVERLINE_H

#include "conv/Problem/Problem.h"

namespace convmlir {

/// Whether the words begin as such a line does.
bool isDriverLine(const std::vector<std::string_view> &words);

/// The problem, checked, or the flag that is wrong.
Result<Problem> parseDriverLine(const std::vector<std::string_view> &words);

} // namespace convmlir

#endif // CONV_LIB_PROBLEM_DRIVERLINE_H
