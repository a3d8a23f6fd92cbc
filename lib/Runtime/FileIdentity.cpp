//===- FileIdentity.cpp - which file it is --------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/FileIdentity.h"

#include <sys/stat.h>

using namespace convmlir;

std::optional<FileIdentity> convmlir::identifyFile(const std::string &path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0)
    return std::nullopt;
  FileIdentity identity;
  identity.path = path;
  identity.bytes = info.st_size;
  identity.modifiedNs =
      info.st_mtim.tv_sec * int64_t(1'000'000'000) + info.st_mtim.tv_nsec;
  identity.device = info.st_dev;
  identity.inode = info.st_ino;
  return identity;
}
