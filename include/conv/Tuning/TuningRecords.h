//===- TuningRecords.h - which records hold ------------------- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the user's tuning file, and those that are shipped. Output: what they
// say of a problem, the user's first. No record decides anything: whoever asks
// checks that the schedule can run, and falls back to the model.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TUNING_TUNINGRECORDS_H
#define CONV_TUNING_TUNINGRECORDS_H

#include "conv/Tuning/TuningFile.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace convmlir {

/// A record and the file that it is from.
struct TuningMatch {
  const TuningRecord *record;
  const std::string *file;
};

class TuningRecords {
public:
  /// Adds the records of a file behind those that are there. A file of another
  /// format version adds nothing but a warning.
  Status addFile(const std::string &path);
  /// Adds all tuningFilesOf() a folder.
  Status addFolder(const std::string &folder);

  /// All records of a problem on a target in their order, of all devices, stale
  /// ones too; then
  /// those of the same problem in the other of bf16 and f16, which takes as
  /// long. They live as long as this object.
  std::vector<TuningMatch> lookup(const Problem &problem,
                                  std::string_view target) const;

  /// All records on a target of the problem's tuningFamily(), in the same order
  /// of files: those that lookup() finds are among them.
  std::vector<TuningMatch> family(const Problem &problem,
                                  std::string_view target) const;

  /// Every record.
  std::vector<TuningMatch> all() const;

  /// What was ignored as a whole, for people.
  const std::vector<std::string> &warnings() const { return ignored; }
  bool empty() const { return sources.empty(); }

private:
  struct Source {
    std::string path;
    TuningFile file;
    /// By problem and target: one for each device.
    std::unordered_map<std::string, std::vector<size_t>> positions;
    /// By family and target.
    std::unordered_map<std::string, std::vector<size_t>> families;
  };
  std::vector<Source> sources;
  std::vector<std::string> ignored;
};

/// Where records come from; empty: from nowhere.
struct TuningSources {
  std::string userFile;
  bool userFileMayBeAbsent = false;
  std::string shippedFolder;

  bool operator==(const TuningSources &) const = default;
};

/// Every *.json of a folder, in the order of their names; an absent folder has
/// none.
std::vector<std::string> tuningFilesOf(const std::string &folder);

/// The records in the order in which they count: the user's before the shipped
/// ones.
Result<TuningRecords> loadTuningRecords(const TuningSources &sources);

/// The folder of the shipped records: ../share/conv-mlir/tuning from the
/// library or program that holds this function, wherever that lies.
std::string shippedTuningFolder();

} // namespace convmlir

#endif // CONV_TUNING_TUNINGRECORDS_H
