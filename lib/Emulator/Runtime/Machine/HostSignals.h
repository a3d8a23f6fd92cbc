//===- HostSignals.h - faults that the host CPU finds -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wild access or an overflown fiber stack hits an inaccessible page. While a
// guard lives, such a signal on a thread that runs a fiber becomes a fault of
// the kernel; any other goes to whoever handled it before.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MACHINE_HOSTSIGNALS_H
#define CONV_LIB_EMULATOR_RUNTIME_MACHINE_HOSTSIGNALS_H

#include <signal.h>
#include <vector>

namespace convmlir::emu {

/// Handles SIGSEGV, SIGBUS, SIGFPE and SIGILL of the process, as long as there
/// is a guard.
class HostSignalGuard {
public:
  HostSignalGuard();
  ~HostSignalGuard();
  HostSignalGuard(const HostSignalGuard &) = delete;
  HostSignalGuard &operator=(const HostSignalGuard &) = delete;
};

/// Gives the calling thread a stack for signal handlers: that of the fiber may
/// be the very one that overflowed.
class SignalStackGuard {
public:
  SignalStackGuard();
  ~SignalStackGuard();
  SignalStackGuard(const SignalStackGuard &) = delete;
  SignalStackGuard &operator=(const SignalStackGuard &) = delete;

private:
  std::vector<char> storage;
  stack_t previous;
};

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MACHINE_HOSTSIGNALS_H
