//===- CrashNote.h - what was at work when the process died -----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_RUN_CRASHNOTE_H
#define CONV_TOOLS_CONV_RUN_CRASHNOTE_H

#include <array>
#include <csignal>
#include <string_view>
#include <vector>

namespace convmlir {

/// While one exists, a signal that ends the process (an assertion, a wild
/// pointer, a full stack) first writes the current text to standard error. One
/// at a time, on the main thread.
class CrashNote {
public:
  /// Longer texts are cut.
  static constexpr size_t kMaxBytes = 4096;

  CrashNote();
  ~CrashNote();
  CrashNote(const CrashNote &) = delete;
  CrashNote &operator=(const CrashNote &) = delete;

  /// Replaces the text. Handlers are there as soon as there is a text.
  void set(std::string_view text);

private:
  static constexpr std::array<int, 5> kSignals = {SIGABRT, SIGBUS, SIGFPE,
                                                  SIGILL, SIGSEGV};
  void install();

  bool isInstalled = false;
  std::array<struct sigaction, kSignals.size()> previousActions;
  std::vector<char> stack; ///< Of the handler, where the thread's own is full.
  stack_t previousStack;
};

} // namespace convmlir

#endif // CONV_TOOLS_CONV_RUN_CRASHNOTE_H
