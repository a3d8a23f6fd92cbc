//===- FileIO.h - whole files -----------------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading and writing of whole files. A file that is written appears under its
// name complete or not at all, also under concurrent writers.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_FILEIO_H
#define CONV_RUNTIME_FILEIO_H

#include "conv/Support/Result.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace convmlir {

using Bytes = std::vector<uint8_t>;

/// The content of a regular file. Errors name the path and the system's reason.
Result<Bytes> readFile(const std::string &path);

/// Writes a temporary file beside `path` and renames it; on failure nothing of
/// it is left behind and an older file of that name is untouched.
Status writeFileAtomically(const std::string &path,
                           std::span<const uint8_t> content);

} // namespace convmlir

#endif // CONV_RUNTIME_FILEIO_H
