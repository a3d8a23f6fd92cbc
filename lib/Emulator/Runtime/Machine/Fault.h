//===- Fault.h - ending a launch with a message -----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fault abandons all fibers of the worker: control goes straight to the host
// stack, nothing is unwound.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MACHINE_FAULT_H
#define CONV_LIB_EMULATOR_RUNTIME_MACHINE_FAULT_H

#include "Machine.h"

#include <string>

namespace convmlir::emu {

/// "OP at LOCATION: MESSAGE [thread …]".
[[gnu::format(printf, 3, 4)]] std::string
describe(const Thread &thread, const Site &site, const char *format, ...);

/// "cta (x,y,z) thread (x,y,z), warp w lane l".
std::string describeThread(const Thread &thread);

/// Ends the launch with a description of what `thread` did wrong at `site`.
[[noreturn, gnu::format(printf, 3, 4)]] void
fault(Thread &thread, const Site &site, const char *format, ...);

/// Ends the launch with a message that stands for itself.
[[noreturn]] void faultWithMessage(Worker &worker, std::string message);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MACHINE_FAULT_H
