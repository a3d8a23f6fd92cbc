//===- ProcessState.h - what of a process a library may touch ---*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A snapshot of state that all threads of a process share, and of the calling
// thread's, as lines of text. docs/CApi.md has the list.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_UNITTESTS_CAPI_PROCESSSTATE_H
#define CONV_UNITTESTS_CAPI_PROCESSSTATE_H

#include <algorithm>
#include <array>
#include <cfenv>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <locale>
#include <pthread.h>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

namespace convmlir::test {

/// The mask of new files' modes: reading it by umask() would change it.
inline std::string readUmask() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("Umask:"))
      return line;
  return "";
}

/// A flag that the C library sets with every action (SA_RESTORER).
inline constexpr int kRestorer = 0x04000000;

inline void addSignals(std::vector<std::string> &state) {
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action = {};
    if (sigaction(signal, nullptr, &action) != 0)
      continue;
    state.push_back("signal " + std::to_string(signal) + ": handler " +
                    std::to_string(reinterpret_cast<uintptr_t>(
                        reinterpret_cast<void *>(action.sa_handler))) +
                    " flags " + std::to_string(action.sa_flags & ~kRestorer) +
                    " blocked " +
                    std::to_string(sigismember(&blocked, signal)));
  }
  stack_t stack = {};
  sigaltstack(nullptr, &stack);
  state.push_back("signal stack: " +
                  std::to_string(reinterpret_cast<uintptr_t>(stack.ss_sp)));
}

inline void addFloats(std::vector<std::string> &state) {
  state.push_back("rounding: " + std::to_string(std::fegetround()));
  state.push_back("floating-point flags: " +
                  std::to_string(std::fetestexcept(FE_ALL_EXCEPT)));
  state.push_back("floating-point traps: " + std::to_string(fegetexcept()));
#ifdef __SSE__
  state.push_back("mxcsr: " + std::to_string(_mm_getcsr()));
#endif
}

inline void addLimits(std::vector<std::string> &state) {
  for (auto kind : {RLIMIT_CORE, RLIMIT_CPU, RLIMIT_DATA, RLIMIT_FSIZE,
                    RLIMIT_NOFILE, RLIMIT_STACK, RLIMIT_AS}) {
    rlimit limit = {};
    getrlimit(kind, &limit);
    state.push_back("limit " + std::to_string(kind) + ": " +
                    std::to_string(limit.rlim_cur) + " of " +
                    std::to_string(limit.rlim_max));
  }
}

inline std::vector<std::string> readProcessState() {
  std::vector<std::string> state = {readUmask()};
  addFloats(state); // First: computing sets flags.
  addSignals(state);
  addLimits(state);
  state.push_back("locale: " + std::string(std::setlocale(LC_ALL, nullptr)) +
                  ", of C++ " + std::locale().name());
  state.push_back("folder: " + std::filesystem::current_path().string());
  for (char **variable = environ; *variable; ++variable)
    state.push_back("environment: " + std::string(*variable));
  std::array<char, 16> name = {};
  pthread_getname_np(pthread_self(), name.data(), name.size());
  state.push_back("thread: " + std::string(name.data()));
  state.push_back("priority: " + std::to_string(getpriority(PRIO_PROCESS, 0)));
  for (int stream : {0, 1, 2})
    state.push_back("flags of descriptor " + std::to_string(stream) + ": " +
                    std::to_string(fcntl(stream, F_GETFL)));
  return state;
}

/// What is different since `before`, a line each.
inline std::string findChanges(const std::vector<std::string> &before) {
  std::string changes;
  std::vector<std::string> now = readProcessState();
  for (const std::string &line : now)
    if (std::find(before.begin(), before.end(), line) == before.end())
      changes += line + "\n";
  if (now.size() < before.size())
    changes += "something is gone\n";
  return changes;
}

} // namespace convmlir::test

#endif // CONV_UNITTESTS_CAPI_PROCESSSTATE_H
