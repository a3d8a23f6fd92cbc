//===- TuningRecordsReader.cpp - records that are read once ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Tuning/TuningRecordsReader.h"

using namespace convmlir;

/// The files that records of these sources come from, in their order.
static std::vector<FileIdentity> identify(const TuningSources &sources) {
  std::vector<std::string> paths = tuningFilesOf(sources.shippedFolder);
  if (!sources.userFile.empty())
    paths.insert(paths.begin(), sources.userFile);
  std::vector<FileIdentity> files;
  for (const std::string &path : paths)
    if (std::optional<FileIdentity> file = identifyFile(path))
      files.push_back(std::move(*file));
  return files;
}

Result<std::shared_ptr<const TuningRecords>>
TuningRecordsReader::read(const TuningSources &wanted) {
  // Before they are read: what changes meanwhile is read again the next time.
  std::vector<FileIdentity> now = identify(wanted);
  std::lock_guard<std::mutex> lock(mutex);
  if (records && wanted == sources && now == files)
    return records;
  Result<TuningRecords> loaded = loadTuningRecords(wanted);
  if (!loaded)
    return loaded.takeError();
  records = std::make_shared<TuningRecords>(std::move(*loaded));
  sources = wanted;
  files = std::move(now);
  return records;
}
