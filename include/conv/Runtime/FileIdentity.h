//===- FileIdentity.h - which file it is ---------------------- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tells a file from an older or newer one without reading it: programs
// that are run, and files whose content is kept in memory.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_FILEIDENTITY_H
#define CONV_RUNTIME_FILEIDENTITY_H

#include <cstdint>
#include <optional>
#include <string>

namespace convmlir {

struct FileIdentity {
  std::string path; ///< As it was given.
  int64_t bytes = 0;
  int64_t modifiedNs = 0; ///< Since 1970.
  uint64_t device = 0, inode = 0;

  bool operator==(const FileIdentity &) const = default;
};

/// Nothing where there is no such file; links are followed.
std::optional<FileIdentity> identifyFile(const std::string &path);

} // namespace convmlir

#endif // CONV_RUNTIME_FILEIDENTITY_H
