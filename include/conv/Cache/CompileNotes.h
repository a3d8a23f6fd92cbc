//===- CompileNotes.h - what a compilation said --------------- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a compilation told its caller beside the plan. A cache keeps it and says
// it again, so that a plan that is found is reported as one that is compiled.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CACHE_COMPILENOTES_H
#define CONV_CACHE_COMPILENOTES_H

#include "conv/Compiler/Compiler.h"
#include "conv/Tuning/TuningRecords.h"

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace convmlir {

struct CompileNotes {
  std::vector<std::string> warnings;
  /// The tuning records that were used: positions among those of the key.
  std::vector<size_t> tuned;
  /// Problems without a record, and the devices that have some.
  std::vector<std::pair<std::string, std::string>> untuned;
};

/// Options that write into `notes` what they tell the caller of `options`. Both
/// must outlive the result.
CompileOptions recordNotes(const CompileOptions &options,
                           std::span<const TuningMatch> records,
                           CompileNotes &notes);

/// Tells the caller of `options` what the notes have.
void replayNotes(const CompileNotes &notes,
                 std::span<const TuningMatch> records,
                 const CompileOptions &options);

} // namespace convmlir

#endif // CONV_CACHE_COMPILENOTES_H
