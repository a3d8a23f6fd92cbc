//===- ParserTrial.cpp - a parse in a child process -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The child is a fork of the caller: it has the parser in memory already, and
// costs a millisecond where starting a program that links MLIR costs forty.
//
// The caller may have other threads. Of these the child has none, but a lock
// that one of them held stays locked in it. glibc frees its own (malloc, stdio)
// on a fork. Those of MLIR and of C++ guard what is initialised on first use;
// a child that meets one of them waits until the alarm ends it, which is an
// error like any other and not a hang. The child touches nothing of the caller:
// it runs no handler for signals and none for the end of a process, and writes
// to its pipe only.
//
//===----------------------------------------------------------------------===//

#include "conv/Support/ParserTrial.h"
#include "conv/Support/BracketNesting.h"

#include "llvm/ADT/StringRef.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace convmlir;
using llvm::StringRef;

/// The last byte that a child writes which has parsed the text.
static constexpr char kSurvived = '\0';

/// A hundred times what the parser takes for so many bytes.
static unsigned getSecondsToParse(size_t bytes) {
  constexpr size_t least = 60, bytesPerSecond = 64 << 10;
  return static_cast<unsigned>(least + bytes / bytesPerSecond);
}

//===----------------------------------------------------------------------===//
// The child
//===----------------------------------------------------------------------===//

/// Signals end the child, without a file of its memory; what LLVM prints goes
/// to the pipe.
static void leaveCaller(int pipe) {
  for (int signal = 1; signal < NSIG; ++signal)
    std::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  rlimit noFile = {0, 0};
  setrlimit(RLIMIT_CORE, &noFile);
  dup2(pipe, STDERR_FILENO);
}

[[noreturn]] static void parseAndExit(size_t bytes,
                                      const std::function<void()> &parse,
                                      int pipe) {
  leaveCaller(pipe);
  alarm(getSecondsToParse(bytes));
  parse();
  bool isWritten = write(pipe, &kSurvived, 1) == 1;
  _exit(isWritten ? 0 : 1);
}

//===----------------------------------------------------------------------===//
// The caller
//===----------------------------------------------------------------------===//

/// What is written to the pipe until its other end is closed everywhere; of a
/// long text the end.
static std::string readToEnd(int pipe) {
  constexpr size_t most = 4096;
  std::string all;
  char part[512];
  while (true) {
    ssize_t bytes = read(pipe, part, sizeof part);
    if (bytes < 0 && errno == EINTR)
      continue;
    if (bytes <= 0)
      return all;
    all.append(part, static_cast<size_t>(bytes));
    if (all.size() > most)
      all.erase(0, all.size() - most);
  }
}

/// How the child ended; nothing where the program around us has asked first, or
/// ignores its children.
static std::optional<int> waitFor(pid_t child) {
  int status = 0;
  pid_t ended;
  do
    ended = waitpid(child, &status, 0);
  while (ended < 0 && errno == EINTR);
  return ended == child ? std::optional(status) : std::nullopt;
}

static std::string describeEnd(std::optional<int> status, size_t bytes) {
  if (!status || (!WIFSIGNALED(*status) && !WIFEXITED(*status)))
    return "it died";
  if (WIFEXITED(*status))
    return "status " + std::to_string(WEXITSTATUS(*status));
  if (WTERMSIG(*status) == SIGALRM)
    return "no end after " + std::to_string(getSecondsToParse(bytes)) + " s";
  return strsignal(WTERMSIG(*status));
}

/// The last line of what LLVM said, in front of which there is a semicolon:
/// what is in front of that are diagnostics.
static std::string quote(StringRef said) {
  constexpr size_t most = 200;
  StringRef line = said.trim().rsplit('\n').second;
  line = (line.empty() ? said.trim() : line).take_front(most);
  return line.empty() ? std::string() : "; LLVM says: " + line.str();
}

static Error noProcess(const std::string &name) {
  return Error{name + ": no process can be started to parse it in: " +
               std::strerror(errno)};
}

Status convmlir::tryParser(std::string_view text, const std::string &name,
                           const std::function<void()> &parse) {
  if (Status status = checkNesting(text, name); !status)
    return status;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return noProcess(name);
  pid_t child = fork();
  if (child == 0)
    parseAndExit(text.size(), parse, ends[1]);
  Status status = child < 0 ? noProcess(name) : Status();
  close(ends[1]);
  std::string said = readToEnd(ends[0]);
  close(ends[0]);
  if (!status)
    return status;
  std::optional<int> end = waitFor(child);
  if (!said.empty() && said.back() == kSurvived && (!end || *end == 0))
    return {};
  return Error{name + ": MLIR's parser fails on this text (" +
               describeEnd(end, text.size()) +
               "), which is a fault of MLIR: docs/Upstream.md has those that "
               "are known" +
               quote(said)};
}
