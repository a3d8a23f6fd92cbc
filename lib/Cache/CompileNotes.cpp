//===- CompileNotes.cpp - what a compilation said -------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Cache/CompileNotes.h"

using namespace convmlir;

CompileOptions convmlir::recordNotes(const CompileOptions &options,
                                     std::span<const TuningMatch> records,
                                     CompileNotes &notes) {
  CompileOptions recording = options;
  recording.onWarning = [&](const std::string &message) {
    notes.warnings.push_back(message);
    if (options.onWarning)
      options.onWarning(message);
  };
  recording.onTuned = [&options, &notes, records](const TuningMatch &match) {
    for (size_t i = 0; i < records.size(); ++i)
      if (records[i].record == match.record)
        notes.tuned.push_back(i);
    if (options.onTuned)
      options.onTuned(match);
  };
  recording.onUntuned = [&](const std::string &problem,
                            const std::string &otherDevices) {
    notes.untuned.emplace_back(problem, otherDevices);
    if (options.onUntuned)
      options.onUntuned(problem, otherDevices);
  };
  return recording;
}

void convmlir::replayNotes(const CompileNotes &notes,
                           std::span<const TuningMatch> records,
                           const CompileOptions &options) {
  if (options.onWarning)
    for (const std::string &warning : notes.warnings)
      options.onWarning(warning);
  if (options.onTuned)
    for (size_t position : notes.tuned)
      if (position < records.size())
        options.onTuned(records[position]);
  if (options.onUntuned)
    for (const auto &[problem, otherDevices] : notes.untuned)
      options.onUntuned(problem, otherDevices);
}
