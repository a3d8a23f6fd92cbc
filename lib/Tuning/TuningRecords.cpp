//===- TuningRecords.cpp - which records hold -----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Tuning/TuningRecords.h"

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <link.h>
#include <optional>

namespace fs = std::filesystem;

namespace convmlir {

static std::string keyOf(std::string_view problem, std::string_view target) {
  return std::string(target) + " " + std::string(problem);
}

Status TuningRecords::addFile(const std::string &path) {
  Result<TuningFile> file = TuningFile::read(path);
  if (!file)
    return file.takeError();
  if (file->version() != tuningFormatVersion)
    ignored.push_back(path + ": expected format version " +
                      std::to_string(tuningFormatVersion) + ", got " +
                      std::to_string(file->version()) +
                      ": its records are ignored");
  Source source{path, std::move(*file), {}, {}};
  const std::vector<TuningRecord> &records = source.file.records();
  for (size_t i = 0; i < records.size(); ++i) {
    const TuningRecord &record = records[i];
    source.positions[keyOf(record.problem, record.target)].push_back(i);
    if (Result<Problem> problem = parseProblem(record.problem))
      source.families[keyOf(tuningFamily(*problem), record.target)].push_back(
          i);
  }
  sources.push_back(std::move(source));
  return {};
}

std::vector<std::string> tuningFilesOf(const std::string &folder) {
  std::vector<std::string> paths;
  std::error_code code;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, code))
    if (entry.path().extension() == ".json")
      paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  return paths;
}

Status TuningRecords::addFolder(const std::string &folder) {
  for (const std::string &path : tuningFilesOf(folder))
    if (Status status = addFile(path); !status)
      return status;
  return {};
}

/// The same problem in the other type of 16-bit floats, which takes the same
/// instructions and bytes.
static std::optional<Problem> getTwin(Problem problem) {
  bool isBF16 = problem.type == "bf16";
  if (!isBF16 && problem.type != "f16")
    return std::nullopt;
  std::string other = isBF16 ? "f16" : "bf16";
  if (problem.outType == problem.type)
    problem.outType = other;
  problem.type = other;
  return problem;
}

std::vector<TuningMatch> TuningRecords::lookup(const Problem &problem,
                                               std::string_view target) const {
  std::vector<TuningMatch> matches;
  auto addMatches = [&](const Problem &wanted) {
    std::string key = keyOf(tuningKey(wanted), target);
    for (const Source &source : sources)
      if (auto found = source.positions.find(key);
          found != source.positions.end())
        for (size_t position : found->second)
          matches.push_back({&source.file.records()[position], &source.path});
  };
  addMatches(problem);
  if (std::optional<Problem> twin = getTwin(problem))
    addMatches(*twin);
  return matches;
}

std::vector<TuningMatch> TuningRecords::family(const Problem &problem,
                                               std::string_view target) const {
  std::vector<TuningMatch> matches;
  std::string key = keyOf(tuningFamily(problem), target);
  for (const Source &source : sources)
    if (auto found = source.families.find(key); found != source.families.end())
      for (size_t position : found->second)
        matches.push_back({&source.file.records()[position], &source.path});
  return matches;
}

std::vector<TuningMatch> TuningRecords::all() const {
  std::vector<TuningMatch> matches;
  for (const Source &source : sources)
    for (const TuningRecord &record : source.file.records())
      matches.push_back({&record, &source.path});
  return matches;
}

Result<TuningRecords> loadTuningRecords(const TuningSources &sources) {
  TuningRecords records;
  std::error_code code;
  bool hasUserFile =
      !sources.userFile.empty() &&
      !(sources.userFileMayBeAbsent && !fs::exists(sources.userFile, code));
  if (hasUserFile)
    if (Status status = records.addFile(sources.userFile); !status)
      return status.takeError();
  if (!sources.shippedFolder.empty())
    if (Status status = records.addFolder(sources.shippedFolder); !status)
      return status.takeError();
  return records;
}

std::string shippedTuningFolder() {
  Dl_info info;
  link_map *map = nullptr;
  if (!dladdr1(reinterpret_cast<const void *>(&shippedTuningFolder), &info,
               reinterpret_cast<void **>(&map), RTLD_DL_LINKMAP) ||
      !map)
    return "";
  // The program itself has no name there.
  const char *name = *map->l_name ? map->l_name : "/proc/self/exe";
  std::error_code code;
  fs::path own = fs::canonical(name, code);
  if (code)
    return "";
  return (own.parent_path().parent_path() / "share/conv-mlir/tuning").string();
}

} // namespace convmlir
