//===- FileIO.h - whole files -----------------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading and writing of whole files. A file that is written appears under its
// name complete or not at all, also under concurrent writers. Symbolic links
// stay links, to the new file.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_FILEIO_H
#define CONV_RUNTIME_FILEIO_H

#include "conv/Support/Result.h"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace convmlir {

using Bytes = std::vector<uint8_t>;

/// A file descriptor that closes itself.
class FileDescriptor {
public:
  FileDescriptor() = default;
  explicit FileDescriptor(int descriptor) : descriptor(descriptor) {}
  FileDescriptor(FileDescriptor &&other) noexcept
      : descriptor(std::exchange(other.descriptor, -1)) {}
  FileDescriptor &operator=(FileDescriptor &&other) noexcept;
  ~FileDescriptor();

  bool isOpen() const { return descriptor >= 0; }
  int get() const { return descriptor; }
  /// Closes now; false where the system reports a late write error.
  bool close();

private:
  int descriptor = -1;
};

/// The content of a regular file. Errors name the path and the system's reason.
Result<Bytes> readFile(const std::string &path);

/// Writes all of it to an open file; false, with the reason in errno, where
/// that fails. No signal comes of it (SIGXFSZ, SIGPIPE).
bool writeAll(int descriptor, std::span<const uint8_t> content);

/// What a chain of symbolic links leads to, whether it exists or not.
Result<std::string> resolveLinks(const std::string &path);

/// A file that is written, but not yet under its name. Several are written
/// before the first is committed, so that a full disk leaves none of them. Until
/// then it has no name at all, and is gone with the process whatever ends that;
/// where the file system has no such files it has a name of its own.
class PendingFile {
public:
  /// Writes a file that is to be where `path` leads to. A device or a FIFO is
  /// written at once, and stays one.
  static Result<PendingFile> write(const std::string &path,
                                   std::span<const uint8_t> content);
  PendingFile(PendingFile &&other) noexcept;
  PendingFile &operator=(PendingFile &&) = delete;
  /// Removes what is not committed.
  ~PendingFile();

  /// Gives the file its name.
  Status commit();

private:
  PendingFile() = default;
  bool link();

  FileDescriptor file;                     ///< Open as long as it has no name.
  std::string temporary, target; ///< Empty: no name that is to be another.
};

/// Writes a file and commits it; on failure nothing of it is left behind and an
/// older file of that name is untouched.
Status writeFileAtomically(const std::string &path,
                           std::span<const uint8_t> content);

} // namespace convmlir

#endif // CONV_RUNTIME_FILEIO_H
