//===- PlanStore.cpp - plans on disk --------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Cache/PlanStore.h"
#include "CacheEntry.h"
#include "conv/Runtime/FileIO.h"
#include "conv/Runtime/FileIdentity.h"

#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

namespace fs = std::filesystem;

using namespace convmlir;

//===----------------------------------------------------------------------===//
// The folder
//===----------------------------------------------------------------------===//

static constexpr std::string_view suffix = ".conv-entry";
static constexpr size_t digestSize = 64;
/// As PendingFile names them.
static constexpr std::string_view temporaryPrefix = ".conv-mlir.";

static bool isEntryName(std::string_view name) {
  return name.size() == digestSize + suffix.size() && name.ends_with(suffix) &&
         name.find_first_not_of("0123456789abcdef") == digestSize;
}

Result<PlanStore> PlanStore::open(const std::string &folder,
                                  int64_t mostBytes) {
  if (folder.empty())
    return Error{"expected a folder, got none"};
  if (mostBytes < 0)
    return Error{"expected a limit of at least 0 bytes, got " +
                 std::to_string(mostBytes)};
  // Others may want other files beside the plans.
  fs::path plans = fs::path(folder) / "plans";
  std::error_code code;
  fs::create_directories(plans, code);
  // A folder that cannot be written may lack one for plans: nothing is in it.
  std::error_code ignored;
  if (code && !fs::is_directory(folder, ignored))
    return Error{"cannot make the folder '" + folder + "': " + code.message()};
  return PlanStore(plans.string(), mostBytes);
}

std::string PlanStore::pathOf(const PlanKey &key) const {
  return directory + "/" + key.digest() + std::string(suffix);
}

std::string PlanStore::lockPath() const { return directory + "/lock"; }

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static int64_t nowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// A time within the last minute is left: a write for each use would be more
/// than the order is worth. Where the folder cannot be written it stays.
static void noteUse(const FileIdentity &file) {
  constexpr int64_t minuteNs = 60'000'000'000;
  if (nowNs() - file.modifiedNs > minuteNs)
    ::utimensat(AT_FDCWD, file.path.c_str(), nullptr, 0);
}

/// The files of the folder whose names `isOurs` takes, the last used first.
template <typename Predicate>
static std::vector<StoredFile> filesOf(const std::string &folder,
                                       Predicate isOurs) {
  std::vector<StoredFile> files;
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end;
       at.increment(code)) {
    if (!isOurs(at->path().filename().string()))
      continue;
    // Others may have removed it.
    if (std::optional<FileIdentity> file = identifyFile(at->path().string()))
      files.push_back({file->path, file->bytes, file->modifiedNs, ""});
  }
  std::ranges::sort(files, [](const StoredFile &a, const StoredFile &b) {
    return std::tie(b.usedNs, a.path) < std::tie(a.usedNs, b.path);
  });
  return files;
}

static bool isTemporaryName(std::string_view name) {
  return name.starts_with(temporaryPrefix);
}

/// What processes that were killed have left half-written. Whoever writes one
/// now needs it for less than that.
static void removeLeftovers(const std::string &folder) {
  constexpr int64_t tooOldNs = 600'000'000'000;
  int64_t now = nowNs();
  for (const StoredFile &file : filesOf(folder, isTemporaryName))
    if (now - file.usedNs > tooOldNs)
      ::unlink(file.path.c_str());
}

/// Removes files until the others are within the limit. Returns how many. Where
/// several processes do so, each finds the same ones the oldest.
static int64_t removeOldest(const std::string &folder, int64_t limit) {
  std::vector<StoredFile> files = filesOf(folder, isEntryName);
  int64_t bytes = 0;
  for (const StoredFile &file : files)
    bytes += file.bytes;
  int64_t removed = 0;
  for (; bytes > limit && !files.empty(); files.pop_back()) {
    bytes -= files.back().bytes;
    removed += ::unlink(files.back().path.c_str()) == 0;
  }
  return removed;
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

Result<std::optional<CacheEntry>> PlanStore::read(const PlanKey &key) const {
  std::string path = pathOf(key);
  std::optional<FileIdentity> file = identifyFile(path);
  if (!file)
    return std::optional<CacheEntry>();
  Result<Bytes> content = readFile(path);
  // Another process may have removed it meanwhile.
  if (!content && !identifyFile(path))
    return std::optional<CacheEntry>();
  if (!content)
    return content.takeError();
  Result<CacheEntry> entry = parseEntry(*content, key.text(), path);
  if (!entry)
    return entry.takeError();
  noteUse(*file);
  return std::optional<CacheEntry>(std::move(*entry));
}

Result<int64_t> PlanStore::write(const PlanKey &key,
                                 const CacheEntry &entry) const {
  Result<Bytes> content = serialiseEntry(key.text(), entry);
  if (!content)
    return content.takeError();
  int64_t bytes = static_cast<int64_t>(content->size());
  if (bytes > limit)
    return Error{directory + ": a plan of " + std::to_string(bytes) +
                 " bytes is more than the limit of " + std::to_string(limit)};
  if (Status status = writeFileAtomically(pathOf(key), *content); !status)
    return status.takeError();
  removeLeftovers(directory);
  return removeOldest(directory, limit);
}

/// The first bytes of a file, which have its key.
static Bytes readBegin(const std::string &path) {
  constexpr std::streamsize most = 1 << 16;
  Bytes content(most);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char *>(content.data()), most);
  content.resize(static_cast<size_t>(file.gcount()));
  return content;
}

std::vector<StoredFile> PlanStore::list() const {
  std::vector<StoredFile> files = filesOf(directory, isEntryName);
  for (StoredFile &file : files)
    file.key = peekKey(readBegin(file.path)).value_or("");
  return files;
}

std::vector<StoredFile> PlanStore::clear() const {
  std::vector<StoredFile> removed;
  for (StoredFile &file : filesOf(directory, isEntryName))
    if (::unlink(file.path.c_str()) == 0)
      removed.push_back(std::move(file));
  removeLeftovers(directory);
  return removed;
}
