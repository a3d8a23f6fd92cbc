//===- TuningFile.h - measured schedules as text -------------- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file form of tuning records, JSON with one record a line:
//
//   {
//    "format": "conv-mlir-tuning",
//    "version": 1,
//    "records": [
//     {"problem": "forward n=8 …", "target": "sm_90a", "schedule": "…",
//      "median_us": 41.25, "device": "NVIDIA H200", "date": "2026-11-20",
//      "conv_mlir": "0.1.0"}
//    ]
//   }
//
// A record of a device with another number of multiprocessors than the table of
// chips (docs/Targets.md) has for the target says it, "multiprocessors": 78.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TUNING_TUNINGFILE_H
#define CONV_TUNING_TUNINGFILE_H

#include "conv/Problem/Problem.h"
#include "conv/Support/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convmlir {

/// The format version that is written and read.
inline constexpr int64_t tuningFormatVersion = 1;

/// The schedule that was fastest for a problem on a device, compiled for a
/// target. These three and the number of multiprocessors are the key, the rest
/// but the schedule is for people.
struct TuningRecord {
  std::string problem;  ///< tuningKey() of the problem.
  std::string target;   ///< "sm_90a".
  std::string schedule; ///< Complete, as --schedule takes it.
  double medianUs = 0;
  std::string device; ///< "NVIDIA H200".
  /// Of the device; 0: as many as the table of chips has for the target.
  int64_t multiprocessors = 0;
  std::string date;    ///< "2026-11-20".
  std::string version; ///< Of conv-mlir.
  /// Why the record cannot be used: it was written by another version. Empty
  /// where it can.
  std::string stale;
  /// The line of a stale record, which is written as it was read.
  std::string text;
};

/// How records name a problem: its canonical line. A relu costs nothing and so
/// is no part of it.
std::string tuningKey(const Problem &problem);

/// The canonical line of the convolution alone, without its epilogue and the
/// type of its result, and with bf16 for f16. Only records of problems of the
/// same family can count for one.
std::string tuningFamily(const Problem &problem);

/// A record of this version, dated today; `multiprocessors` are the device's.
TuningRecord makeTuningRecord(const Problem &problem, std::string target,
                              std::string schedule, std::string device,
                              double medianUs, int64_t multiprocessors = 0);

/// The records of one file, each key once.
class TuningFile {
public:
  /// Reads text; `name` begins every message. A file of another format version
  /// has no records. Text that is no tuning file is an error.
  static Result<TuningFile> parse(std::string_view text,
                                  const std::string &name);
  static Result<TuningFile> read(const std::string &path);

  const std::vector<TuningRecord> &records() const { return entries; }
  int64_t version() const { return formatVersion; }

  /// Adds a record, in the place of one with the same key.
  void add(TuningRecord record);

  std::string print() const;

private:
  int64_t formatVersion = tuningFormatVersion;
  std::vector<TuningRecord> entries;
};

/// Whether a record could be added to the file: it is absent, or a tuning file
/// of this format version.
Status checkTuningFile(const std::string &path);

/// Adds a record to the file, which is created (with its folder) where it is
/// absent. A file of another format version is an error, and left as it is. One
/// writer at a time: the file is replaced as a whole.
Status addTuningRecord(const std::string &path, TuningRecord record);

} // namespace convmlir

#endif // CONV_TUNING_TUNINGFILE_H
