//===- ChildProcess.h - another program, to its end -------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a program, its files and its limits. Output: how it ended. It ends
// with its own children at the latest when this process does, whatever ends
// that, so that nothing of it is left.
//
// Of this process, no state is touched: no handler or mask of a signal stays
// changed, and neither SIGCHLD nor the wait functions tell anybody else here of
// the child.
//
// Files have no names: they are memory, which the program opens as
// /proc/self/fd/N.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_COMPILER_CHILDPROCESS_H
#define CONV_COMPILER_CHILDPROCESS_H

#include "conv/Runtime/FileIO.h"
#include "conv/Support/Result.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convmlir {

/// A file in memory, which goes away with its owners.
class MemoryFile {
public:
  static Result<MemoryFile> create(std::string_view content = "");
  MemoryFile(MemoryFile &&other) noexcept;
  MemoryFile &operator=(MemoryFile &&) = delete;
  ~MemoryFile();

  int get() const { return descriptor; }
  /// What a program wrote, but for what is longer than `most` bytes.
  Bytes read(size_t most) const;

private:
  explicit MemoryFile(int descriptor) : descriptor(descriptor) {}

  int descriptor; ///< -1 after a move.
};

struct ChildProgram {
  std::string path;
  std::vector<std::string> arguments; ///< Behind its name.
  /// What it has as /proc/self/fd/3, /proc/self/fd/4, …, up to four.
  std::vector<const MemoryFile *> files;
  const MemoryFile *output = nullptr; ///< Its standard output and error.
  std::chrono::seconds limit{0};      ///< It is ended after so long.
  /// Bytes that it may write to a file, where they are limited.
  std::optional<size_t> largestFile;
};

struct ChildEnd {
  enum class Kind {
    Exited,     ///< With status `code`.
    Died,       ///< Of signal `code`.
    NotStarted, ///< For the reason `code`, an errno.
    TimedOut,
    Interrupted, ///< By us, since signal `code` came from the terminal.
    Lost,        ///< What watched over it was killed.
  };
  Kind kind = Kind::Lost;
  int code = 0;
};

/// Runs the program. Its standard input is empty.
ChildEnd runChild(const ChildProgram &program);

/// How it ended, with its path; `limitOption` is what its limit is set by.
std::string describeEnd(const ChildProgram &program, const ChildEnd &end,
                        std::string_view limitOption);

} // namespace convmlir

#endif // CONV_COMPILER_CHILDPROCESS_H
