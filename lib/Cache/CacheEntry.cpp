//===- CacheEntry.cpp - a plan as a file of the cache ---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheEntry.h"
#include "JsonReader.h"
#include "conv/Runtime/PlanFile.h"
#include "conv/Support/LittleEndian.h"

#include <algorithm>
#include <string_view>

using namespace convmlir;
using nlohmann::json;

static constexpr std::string_view magic = "CONVENTR";
static constexpr size_t versionAt = 8, keySizeAt = 12, notesSizeAt = 20,
                        keyAt = 28, checksumSize = 8;

//===----------------------------------------------------------------------===//
// Notes
//===----------------------------------------------------------------------===//

/// Paths in messages may be anything but UTF-8.
static std::string printNotes(const CompileNotes &notes) {
  json untuned = json::array();
  for (const auto &[problem, otherDevices] : notes.untuned)
    untuned.push_back({problem, otherDevices});
  json object = {{"warnings", notes.warnings},
                 {"tuned", notes.tuned},
                 {"untuned", std::move(untuned)}};
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

static Result<CompileNotes> parseNotes(std::string_view text) {
  json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  CompileNotes notes;
  std::string failure;
  JsonReader reader(object, "notes", failure);
  for (const JsonReader &warning : reader["warnings"].elements())
    notes.warnings.push_back(warning.string());
  for (int64_t position : reader["tuned"].integers())
    notes.tuned.push_back(static_cast<size_t>(position));
  for (const JsonReader &pair : reader["untuned"].elements()) {
    std::vector<JsonReader> parts = pair.elements();
    if (parts.size() == 2)
      notes.untuned.emplace_back(parts[0].string(), parts[1].string());
  }
  if (!failure.empty())
    return Error{failure};
  return notes;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

Result<Bytes> convmlir::serialiseEntry(const std::string &key,
                                       const CacheEntry &entry) {
  Result<Bytes> plan = serialisePlan(entry.plan);
  if (!plan)
    return plan;
  std::string notes = printNotes(entry.notes);
  Bytes file(magic.begin(), magic.end());
  file.reserve(keyAt + key.size() + notes.size() + checksumSize + plan->size());
  appendLittleEndian(file, entryFormatVersion, 4);
  appendLittleEndian(file, key.size(), 8);
  appendLittleEndian(file, notes.size(), 8);
  file.insert(file.end(), key.begin(), key.end());
  file.insert(file.end(), notes.begin(), notes.end());
  appendLittleEndian(file, crc64(file), checksumSize);
  file.insert(file.end(), plan->begin(), plan->end());
  return file;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static bool beginsAsEntry(std::span<const uint8_t> file) {
  return file.size() >= keyAt &&
         std::equal(magic.begin(), magic.end(), file.begin());
}

namespace {
/// The parts of a file whose first part passed every check.
struct Container {
  std::string_view key, notes;
  std::span<const uint8_t> plan;
};
} // namespace

static Result<Container> openContainer(std::span<const uint8_t> file) {
  if (!beginsAsEntry(file))
    return Error{"not an entry of a cache (it does not begin with CONVENTR)"};
  uint64_t version = readLittleEndian(file, versionAt, 4);
  if (version != entryFormatVersion)
    return Error{"entry format version " + std::to_string(version) +
                 ", this program reads version " +
                 std::to_string(entryFormatVersion)};
  uint64_t keySize = readLittleEndian(file, keySizeAt, 8);
  uint64_t notesSize = readLittleEndian(file, notesSizeAt, 8);
  uint64_t rest = file.size() - keyAt;
  if (rest < checksumSize || keySize > rest - checksumSize ||
      notesSize > rest - checksumSize - keySize)
    return Error{"truncated or damaged: a key of " + std::to_string(keySize) +
                 " and notes of " + std::to_string(notesSize) +
                 " bytes are promised, " + std::to_string(rest) +
                 " bytes are there"};
  size_t checked = keyAt + keySize + notesSize;
  if (crc64(file.first(checked)) !=
      readLittleEndian(file, checked, checksumSize))
    return Error{"damaged: the checksum does not match"};
  const char *text = reinterpret_cast<const char *>(file.data()) + keyAt;
  return Container{{text, keySize},
                   {text + keySize, notesSize},
                   file.subspan(checked + checksumSize)};
}

static Result<CacheEntry> parse(std::span<const uint8_t> content,
                                const std::string &key) {
  Result<Container> container = openContainer(content);
  if (!container)
    return container.takeError();
  if (container->key != key)
    return Error{"it holds another plan than its name says"};
  Result<CompileNotes> notes = parseNotes(container->notes);
  if (!notes)
    return notes.takeError();
  Result<Plan> plan = parsePlan(container->plan, "its plan");
  if (!plan)
    return plan.takeError();
  return CacheEntry{std::move(*notes), std::move(*plan)};
}

Result<CacheEntry> convmlir::parseEntry(std::span<const uint8_t> content,
                                        const std::string &key,
                                        const std::string &name) {
  Result<CacheEntry> entry = parse(content, key);
  if (!entry)
    return Error{name + ": " + entry.error()};
  return entry;
}

std::optional<std::string> convmlir::peekKey(std::span<const uint8_t> begin) {
  if (!beginsAsEntry(begin) ||
      readLittleEndian(begin, versionAt, 4) != entryFormatVersion)
    return std::nullopt;
  uint64_t size = readLittleEndian(begin, keySizeAt, 8);
  begin = begin.subspan(keyAt);
  return std::string(reinterpret_cast<const char *>(begin.data()),
                     std::min<uint64_t>(size, begin.size()));
}
