//===- FuzzCases.h - random problems with schedules -------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_RUN_FUZZCASES_H
#define CONV_TOOLS_CONV_RUN_FUZZCASES_H

#include "conv/Chip/Chip.h"
#include "conv/Problem/RandomProblem.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlir::conv {
enum class KernelForm;
enum class ScheduleKey;
} // namespace mlir::conv

namespace convmlir {

/// A schedule, or none: the choice of the compiler.
struct FuzzSchedule {
  std::string text;       ///< With K for the tile's gemm-k.
  int64_t blockBytes = 0; ///< Of the tile's gemm-k; 0 where it is not named.
  int64_t windowRows = 0; ///< The tile's gemm-m where taps share a window.
  bool isRanked = false;  ///< One of those that the model ranks.
  bool isMerged = false;  ///< Some groups as one, the rest by the model.
  bool isFolded = false;  ///< Some taps as channels, the rest by the model.

  /// Of a ranked one: the forms of KernelForms.def that it may have. Empty:
  /// all.
  std::vector<mlir::conv::KernelForm> forms = {};
  /// The key of ScheduleKeys.def that it has, and its value where that is a
  /// word.
  std::optional<mlir::conv::ScheduleKey> key = {};
  std::string word = {};

  /// Whether any schedule of high rank will do.
  bool isAny() const { return forms.empty() && !key; }
  bool operator==(const FuzzSchedule &) const = default;
};

/// A problem, how it is compiled, and its data.
struct FuzzCase {
  Problem problem;
  FuzzSchedule schedule;
  int64_t parts = 1; ///< Of gemm-k, if it has as many blocks.
  uint64_t rank = 0; ///< Of a ranked schedule, modulo their number.
  uint64_t dataSeed = 0;
};

/// The case of this number, the same whenever it is drawn: edges with schedules
/// of all proportions, layers with those that the model ranks.
FuzzCase drawFuzzCase(uint64_t seed, int64_t number, const ChipInfo &chip,
                      FuzzProfile profile);

/// The text of the schedule, with no more parts of gemm-k than the problem has
/// blocks: a simpler problem may have fewer, or no window. Empty for the
/// compiler's choice.
std::string scheduleOf(const FuzzCase &tested, const ChipInfo &chip);

} // namespace convmlir

#endif // CONV_TOOLS_CONV_RUN_FUZZCASES_H
