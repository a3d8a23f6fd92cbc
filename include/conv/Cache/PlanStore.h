//===- PlanStore.h - plans on disk ---------------------------- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder with a file for each plan, named by the digest of its key. Many
// processes may read and write it at the same time: a file appears complete or
// not at all. Files are bounded in their bytes; the least recently used ones go
// first.
//
// The time of a file is that of its last use.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CACHE_PLANSTORE_H
#define CONV_CACHE_PLANSTORE_H

#include "conv/Cache/CompileNotes.h"
#include "conv/Cache/PlanKey.h"
#include "conv/Runtime/Plan.h"
#include "conv/Support/Result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convmlir {

struct CacheEntry;

/// A file of the folder.
struct StoredFile {
  std::string path;
  int64_t bytes = 0;
  int64_t usedNs = 0; ///< Since 1970.
  std::string key;    ///< Its text; empty where the file is no entry.
};

class PlanStore {
public:
  /// In `folder`, which is made where it is absent. A folder that is there may
  /// be one that cannot be written.
  static Result<PlanStore> open(const std::string &folder, int64_t mostBytes);

  const std::string &folder() const { return directory; }
  int64_t mostBytes() const { return limit; }

  /// Where the plan of a key is, or would be.
  std::string pathOf(const PlanKey &key) const;

  /// The entry of a key; nothing where there is none. An error says what is
  /// wrong with the file that is there.
  Result<std::optional<CacheEntry>> read(const PlanKey &key) const;

  /// Writes the entry, in the place of what is there, and removes as many
  /// others as the bound wants: how many is the result.
  Result<int64_t> write(const PlanKey &key, const CacheEntry &entry) const;

  /// All entries, the most recently used first.
  std::vector<StoredFile> list() const;

  /// Removes all entries, and nothing else of the folder. Returns what is gone.
  std::vector<StoredFile> clear() const;

  /// The file whose bytes processes lock (EntryLock.h).
  std::string lockPath() const;

private:
  PlanStore(std::string directory, int64_t limit)
      : directory(std::move(directory)), limit(limit) {}

  std::string directory;
  int64_t limit;
};

} // namespace convmlir

#endif // CONV_CACHE_PLANSTORE_H
