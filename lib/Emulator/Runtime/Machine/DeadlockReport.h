//===- DeadlockReport.h - why nobody can run --------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The message for a cluster in which every thread waits.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MACHINE_DEADLOCKREPORT_H
#define CONV_LIB_EMULATOR_RUNTIME_MACHINE_DEADLOCKREPORT_H

#include "Machine.h"

#include <string>

namespace convmlir::emu {

/// Says, per group of lanes, at which op they wait and for what, and how many
/// threads have exited.
std::string deadlockReport(const Worker &worker);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MACHINE_DEADLOCKREPORT_H
