//===- TuningSetup.h - the tuning records of a run ------------ -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_RUN_TUNINGSETUP_H
#define CONV_TOOLS_CONV_RUN_TUNINGSETUP_H

#include "CommandLine.h"
#include "Environment.h"
#include "conv/Tuning/TuningRecords.h"

#include <memory>
#include <string>

namespace convmlir {

/// The user's tuning file: of --tuning-file, CONV_MLIR_TUNING, or the default
/// place; empty where there is no home folder.
std::string userTuningFile(const CommandLine &line,
                           const Environment &environment);

/// The records that are looked up; null with --no-tuning. Only a file at the
/// default place may be absent.
Result<std::shared_ptr<const TuningRecords>>
openTuningRecords(const CommandLine &line, const Environment &environment);

/// Prints a line on standard error.
void printWarning(const std::string &text);

} // namespace convmlir

#endif // CONV_TOOLS_CONV_RUN_TUNINGSETUP_H
