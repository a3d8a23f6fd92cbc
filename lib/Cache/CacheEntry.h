//===- CacheEntry.h - a plan as a file of the cache ----------- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file form of an entry (integers little endian):
//
//   offset  bytes  content
//        0      8  magic "CONVENTR"
//        8      4  format version (entryFormatVersion)
//       12      8  size K of the key
//       20      8  size N of the notes
//       28      K  the text of the key
//     28+K      N  notes: JSON
//   28+K+N      8  CRC-64/XZ of everything before it
//   36+K+N         a plan file (PlanFile.h), with its own checksum
//
// The whole key is there and is compared, so that neither two keys with one
// digest nor a file that was renamed gives a wrong plan.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CACHE_CACHEENTRY_H
#define CONV_LIB_CACHE_CACHEENTRY_H

#include "conv/Cache/CompileNotes.h"
#include "conv/Runtime/FileIO.h"
#include "conv/Runtime/Plan.h"
#include "conv/Support/Result.h"

#include <optional>
#include <span>
#include <string>

namespace convmlir {

inline constexpr uint32_t entryFormatVersion = 1;

struct CacheEntry {
  CompileNotes notes;
  Plan plan;
};

/// The bytes of the file.
Result<Bytes> serialiseEntry(const std::string &key, const CacheEntry &entry);

/// The entry of a key in the bytes of a file; `name` begins every message.
/// Whatever the bytes are, the result is what was written for that key, or an
/// error.
Result<CacheEntry> parseEntry(std::span<const uint8_t> content,
                              const std::string &key, const std::string &name);

/// The key in the first bytes of a file; nothing where it is no entry. For
/// people: nothing is checked.
std::optional<std::string> peekKey(std::span<const uint8_t> begin);

} // namespace convmlir

#endif // CONV_LIB_CACHE_CACHEENTRY_H
