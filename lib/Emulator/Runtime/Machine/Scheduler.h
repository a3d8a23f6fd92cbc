//===- Scheduler.h - who runs next ------------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fiber that blocks switches straight to the next ready lane of its own warp,
// else to the next warp that has one: there is no scheduler fiber, and a block
// costs one switch. When nobody can run, that is a deadlock, and it is
// reported.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MACHINE_SCHEDULER_H
#define CONV_LIB_EMULATOR_RUNTIME_MACHINE_SCHEDULER_H

#include "Machine.h"

namespace convmlir::emu {

/// Suspends `thread` at `site` until it is woken.
void block(Thread &thread, const Site &site);

/// Makes lanes of a warp ready.
void wake(Warp &warp, uint32_t lanes);

/// Lets all other ready threads run first. For threads that poll: the thread
/// goes behind every other warp, or its own would run forever.
void yield(Thread &thread, const Site &site);

/// For a thread that found nothing to do: lets all others run, and faults if
/// nothing has happened in the cluster for LaunchOptions::spinLimit iterations.
void poll(Thread &thread, const Site &site);

/// Makes a blocked thread ready without counting that as progress.
void makeReady(Thread &thread);

/// Loop iterations that one call of poll() stands for.
inline constexpr int64_t kLoopBudget = 4096;

/// Ends the running thread.
[[noreturn]] void exitThread(Thread &thread);

/// Runs the worker's cluster until its last thread ends or one faults. All
/// threads must have been prepared and queued.
void runCluster(Worker &worker);

/// The thread that runs on this host thread, or null. For signal handlers.
Thread *runningThread();

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MACHINE_SCHEDULER_H
