//===- CrashNote.cpp - what was at work when the process died -------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CrashNote.h"

#include <algorithm>
#include <atomic>
#include <unistd.h>

namespace convmlir {

// A handler may touch nothing but these, and call nothing but write and
// sigaction.
static char noteText[CrashNote::kMaxBytes];
static std::atomic<size_t> noteBytes = 0;

/// Writes the note once, and leaves the rest to the disposition that ends the
/// process: the signal is raised again when the handler returns.
static void writeNote(int signal) {
  size_t bytes = noteBytes.exchange(0);
  const char *text = noteText;
  while (bytes > 0) {
    ssize_t written = write(STDERR_FILENO, text, bytes);
    if (written <= 0)
      break;
    text += written;
    bytes -= static_cast<size_t>(written);
  }
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
  raise(signal);
}

CrashNote::CrashNote() : stack(64 << 10) {}

void CrashNote::install() {
  isInstalled = true;
  stack_t own = {};
  own.ss_sp = stack.data();
  own.ss_size = stack.size();
  sigaltstack(&own, &previousStack);
  struct sigaction action = {};
  action.sa_handler = writeNote;
  action.sa_flags = SA_ONSTACK;
  for (size_t i = 0; i < kSignals.size(); ++i)
    sigaction(kSignals[i], &action, &previousActions[i]);
}

CrashNote::~CrashNote() {
  noteBytes = 0;
  if (!isInstalled)
    return;
  for (size_t i = 0; i < kSignals.size(); ++i)
    sigaction(kSignals[i], &previousActions[i], nullptr);
  sigaltstack(&previousStack, nullptr);
}

void CrashNote::set(std::string_view text) {
  noteBytes = 0;
  size_t bytes = std::min(text.size(), kMaxBytes);
  std::copy_n(text.data(), bytes, noteText);
  noteBytes = bytes;
  if (!isInstalled)
    install();
}

} // namespace convmlir
