//===- HostSignals.cpp - faults that the host CPU finds -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See HostSignals.h.
//
//===----------------------------------------------------------------------===//

#include "HostSignals.h"
#include "Fault.h"
#include "Scheduler.h"

#include <array>
#include <cstdio>
#include <mutex>
#include <ucontext.h>

namespace convmlir::emu {

static constexpr std::array<int, 4> kSignals = {SIGSEGV, SIGBUS, SIGFPE,
                                                SIGILL};
static constexpr size_t kSignalStackBytes = 64 << 10;

static std::mutex guardMutex;
static unsigned guardCount = 0;
static std::array<struct sigaction, kSignals.size()> previousActions;

/// A signal of somebody else's thread, or of none of our fibers: the handler
/// that was there before may mend what is wrong, and the thread goes on.
static void passOn(int signal, siginfo_t *info, void *context) {
  size_t i = 0;
  while (kSignals[i] != signal)
    ++i;
  const struct sigaction &previous = previousActions[i];
  if (previous.sa_flags & SA_SIGINFO)
    return previous.sa_sigaction(signal, info, context);
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
    return previous.sa_handler(signal);
  // Restoring the earlier disposition and returning repeats the instruction,
  // which raises the signal again.
  sigaction(signal, &previous, nullptr);
}

static std::string describeSignal(int signal, const siginfo_t &info,
                                  const Thread &thread) {
  char text[200];
  if (signal == SIGFPE)
    std::snprintf(text, sizeof text, "integer division by zero or overflow");
  else if (signal == SIGILL)
    std::snprintf(text, sizeof text, "an illegal instruction");
  else
    std::snprintf(text, sizeof text,
                  "access to inaccessible address %p (stack overflow, or a "
                  "pointer to nowhere)",
                  info.si_addr);
  return thread.worker->launch->kernelName + ": " + text + " [" +
         describeThread(thread) + "]";
}

static void handleSignal(int signal, siginfo_t *info, void *context) {
  Thread *thread = runningThread();
  if (!thread)
    return passOn(signal, info, context);
  Worker &worker = *thread->worker;
  worker.faulted = true;
  worker.fault = describeSignal(signal, *info, *thread);
  // Continue as if the fiber had called emuResumeFiber(hostStack).
  auto &registers = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
  registers[REG_RDI] = reinterpret_cast<greg_t>(worker.hostStack);
  registers[REG_RIP] = reinterpret_cast<greg_t>(&emuResumeFiber);
}

HostSignalGuard::HostSignalGuard() {
  std::lock_guard<std::mutex> lock(guardMutex);
  if (guardCount++)
    return;
  struct sigaction action = {};
  action.sa_sigaction = handleSignal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (size_t i = 0; i < kSignals.size(); ++i)
    sigaction(kSignals[i], &action, &previousActions[i]);
}

HostSignalGuard::~HostSignalGuard() {
  std::lock_guard<std::mutex> lock(guardMutex);
  if (--guardCount)
    return;
  for (size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction current = {};
    sigaction(kSignals[i], nullptr, &current);
    if (current.sa_sigaction == handleSignal) // Else somebody set another.
      sigaction(kSignals[i], &previousActions[i], nullptr);
  }
}

SignalStackGuard::SignalStackGuard() : storage(kSignalStackBytes) {
  stack_t stack = {};
  stack.ss_sp = storage.data();
  stack.ss_size = storage.size();
  sigaltstack(&stack, &previous);
}

SignalStackGuard::~SignalStackGuard() { sigaltstack(&previous, nullptr); }

} // namespace convmlir::emu
