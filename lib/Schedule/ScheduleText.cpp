//===- ScheduleText.cpp - schedules as a user writes them -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ScheduleLimits.h"
#include "conv/Dialect/Conv/IR/TailParts.h"
#include "conv/Schedule/Schedule.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;

/// "128x64" with exactly `count` positive numbers.
static FailureOr<SmallVector<int64_t>> parseNumbers(StringRef text,
                                                    size_t count) {
  SmallVector<StringRef> parts;
  text.split(parts, 'x');
  SmallVector<int64_t> numbers;
  for (StringRef part : parts) {
    int64_t number;
    if (part.getAsInteger(10, number) || !isScheduleNumber(number))
      return failure();
    numbers.push_back(number);
  }
  if (numbers.size() != count)
    return failure();
  return numbers;
}

/// What was expected of text that parseNumbers() refuses: `otherwise`, but the
/// range where a number is too large.
static std::string expectNumbers(StringRef text, StringRef otherwise) {
  SmallVector<StringRef> parts;
  text.split(parts, 'x');
  auto isLarge = [](StringRef part) {
    APInt number;
    return llvm::all_of(part, llvm::isDigit) &&
           !part.getAsInteger(10, number) && number.ugt(kLargestScheduleNumber);
  };
  if (llvm::none_of(parts, isLarge))
    return otherwise.str();
  return "whole numbers from 1 to " + std::to_string(kLargestScheduleNumber);
}

/// Warps that a tile wants when the user names none: parts of 64x64 or less.
static SmallVector<int64_t> getDefaultWarps(ArrayRef<int64_t> tile) {
  auto along = [](int64_t extent) { return std::max<int64_t>(1, extent / 64); };
  SmallVector<int64_t> warps = {along(tile[0]), along(tile[1])};
  if (warps[0] * warps[1] == 1 && tile[0] >= 32)
    warps[0] = 2;
  if (warps[0] * warps[1] == 2 && tile[1] >= 32)
    warps[tile[0] > tile[1] || warps[1] == 2 ? 0 : 1] = 2;
  return warps;
}

/// Stages that every engine has room for, unless the tile is large.
static constexpr int64_t kDefaultStages = 4;

/// Two warpgroups of consumers, or one for few rows.
static SmallVector<int64_t> getDefaultWarpgroups(ArrayRef<int64_t> tile) {
  return {tile[0] % 128 == 0 ? 8 : 4, 1};
}

namespace {
/// The fields of a schedule while keys are replaced.
struct Fields {
  Algorithm algorithm;
  SmallVector<int64_t> tile, warps;
  int64_t stages;
  CopyKind copy;
  MmaKind mma;
  int64_t split;
  SmallVector<int64_t> cluster;
  int64_t resident, teams;
  bool window;
  int64_t staging, merge, tail;
  SmallVector<int64_t> fold;
  bool gather, kMajor, kn2row;
};
} // namespace

/// Replaces a key of kernels with TMA and wgmma; nothing for other keys.
static std::optional<std::string> setHopperField(Fields &fields, StringRef key,
                                                 StringRef value) {
  if (key == "cluster") {
    FailureOr<SmallVector<int64_t>> cluster = parseNumbers(value, 2);
    if (failed(cluster))
      return expectNumbers(value, "two positive numbers, as in 2x1");
    fields.cluster = *cluster;
    if (llvm::all_of(*cluster, [](int64_t n) { return n == 1; }))
      fields.cluster.clear();
    return "";
  }
  bool *flag = llvm::StringSwitch<bool *>(key)
                   .Case("window", &fields.window)
                   .Case("gather", &fields.gather)
                   .Case("k-major", &fields.kMajor)
                   .Case("kn2row", &fields.kn2row)
                   .Default(nullptr);
  if (flag) {
    if (value != "true" && value != "false")
      return "true or false";
    *flag = value == "true";
    return "";
  }
  int64_t *field = llvm::StringSwitch<int64_t *>(key)
                       .Case("resident", &fields.resident)
                       .Case("teams", &fields.teams)
                       .Case("staging", &fields.staging)
                       .Case("tail", &fields.tail)
                       .Default(nullptr);
  if (!field)
    return std::nullopt;
  if (key == "tail" && value == kEvenTailName) {
    fields.tail = kEvenTail;
    return "";
  }
  FailureOr<SmallVector<int64_t>> number = parseNumbers(value, 1);
  if (failed(number))
    return expectNumbers(value, key == "tail" ? "a positive number or even"
                                              : "a positive number");
  *field = number->front();
  return "";
}

/// "2x2", or "false" for none, an empty list.
static FailureOr<SmallVector<int64_t>> parseFold(StringRef text) {
  if (text == "false")
    return SmallVector<int64_t>();
  return parseNumbers(text, text.count('x') + 1);
}

/// Replaces one key; an empty string, or what was expected of its value.
static std::string setField(Fields &fields, StringRef key, StringRef value) {
  if (std::optional<std::string> expected = setHopperField(fields, key, value))
    return *expected;
  if (key == "tile") {
    FailureOr<SmallVector<int64_t>> tile = parseNumbers(value, 3);
    if (failed(tile))
      return expectNumbers(value, "three positive numbers, as in 128x128x32");
    fields.tile = *tile;
  } else if (key == "warps") {
    FailureOr<SmallVector<int64_t>> warps = parseNumbers(value, 2);
    if (failed(warps))
      return expectNumbers(value, "two positive numbers, as in 2x2");
    fields.warps = *warps;
  } else if (key == "stages" || key == "split-k" || key == "merge") {
    FailureOr<SmallVector<int64_t>> number = parseNumbers(value, 1);
    if (failed(number))
      return expectNumbers(value, "a positive number");
    (key == "stages"    ? fields.stages
     : key == "split-k" ? fields.split
                        : fields.merge) = number->front();
  } else if (key == "fold") {
    FailureOr<SmallVector<int64_t>> fold = parseFold(value);
    if (failed(fold))
      return expectNumbers(value, "a positive number for each spatial "
                                  "dimension, as in 2x2, or false");
    fields.fold = *fold;
  } else if (key == "copy") {
    std::optional<CopyKind> copy = symbolizeCopyKind(value);
    if (!copy)
      return "cp_async or tma";
    fields.copy = *copy;
  } else if (key == "mma") {
    std::optional<MmaKind> mma = symbolizeMmaKind(value);
    if (!mma)
      return "mma_sync, wgmma or fma";
    fields.mma = *mma;
  } else if (key == "algorithm") {
    std::optional<Algorithm> algorithm = symbolizeAlgorithm(value);
    if (!algorithm)
      return "implicit_gemm, im2col or loops";
    fields.algorithm = *algorithm;
  } else {
    return "a key among algorithm, tile, warps, stages, copy, mma, split-k, "
           "merge, fold, cluster, resident, teams, window, staging, tail, "
           "gather, k-major, kn2row";
  }
  return "";
}

/// Whether a named key asks for what only kernels with TMA and wgmma have. A
/// default asks for nothing.
static bool asksForHopper(const Fields &fields, const llvm::StringSet<> &seen) {
  auto names = [&](StringRef key, bool isOther) {
    return isOther && seen.contains(key);
  };
  return names("cluster", !fields.cluster.empty()) ||
         names("resident", fields.resident != 1) ||
         names("teams", fields.teams != 1) || names("window", fields.window) ||
         names("staging", fields.staging != 0) ||
         names("tail", fields.tail != 1) || names("gather", fields.gather) ||
         names("k-major", fields.kMajor) || names("kn2row", fields.kn2row);
}

/// TMA goes with wgmma and cp.async with mma.sync: naming one names the other,
/// and so do values that one of them has, and warps that are no warpgroups
/// along gemm-m.
static void chooseEngines(Fields &fields, const llvm::StringSet<> &seen) {
  bool namesCopy = seen.contains("copy"), namesMma = seen.contains("mma");
  // What multiplies no matrices has none of them.
  if (fields.algorithm == Algorithm::Loops) {
    if (!namesCopy)
      fields.copy = CopyKind::CpAsync;
    if (!namesMma)
      fields.mma = MmaKind::Fma;
    return;
  }
  bool isWgmma = fields.mma == MmaKind::Wgmma;
  if (namesCopy && !namesMma)
    isWgmma = fields.copy == CopyKind::Tma;
  else if (!namesMma && asksForHopper(fields, seen))
    isWgmma = true;
  else if (!namesMma && seen.contains("warps") &&
           (fields.warps[1] != 1 || fields.warps[0] % 4 != 0))
    isWgmma = false;
  if (!namesMma && isWgmma)
    fields.mma = MmaKind::Wgmma;
  else if (!namesMma && fields.mma == MmaKind::Wgmma)
    fields.mma = MmaKind::MmaSync;
  if (!namesCopy)
    fields.copy = isWgmma ? CopyKind::Tma : CopyKind::CpAsync;
}

/// What belongs to a tile or to an engine goes with it, unless it is named; so
/// do the last tiles with all others, and with the number of workgroups.
static void resetUnnamed(Fields &fields, const llvm::StringSet<> &seen) {
  bool namesTail = seen.contains("tail");
  if (!namesTail && (seen.contains("split-k") || seen.contains("cluster") ||
                     seen.contains("resident")))
    fields.tail = 1;
  if (namesTail && fields.tail != 1 && !seen.contains("split-k"))
    fields.split = 1;
  if (seen.contains("tile") && !seen.contains("merge"))
    fields.merge = 1;
  if (seen.contains("tile") && !seen.contains("fold"))
    fields.fold.clear();
  if (!seen.contains("tile") &&
      (fields.mma == MmaKind::Wgmma || fields.algorithm == Algorithm::Loops))
    return;
  if (!seen.contains("cluster"))
    fields.cluster.clear();
  if (!seen.contains("resident"))
    fields.resident = 1;
  if (!seen.contains("teams"))
    fields.teams = 1;
  if (!seen.contains("window"))
    fields.window = false;
  if (!seen.contains("gather"))
    fields.gather = false;
  if (!seen.contains("k-major"))
    fields.kMajor = false;
  if (!seen.contains("kn2row"))
    fields.kn2row = false;
  if (!seen.contains("staging"))
    fields.staging = 0;
  if (!namesTail)
    fields.tail = 1;
}

FailureOr<ScheduleAttr>
conv::parseSchedule(StringRef text, ScheduleAttr base,
                    function_ref<InFlightDiagnostic()> emitError) {
  Fields fields = {base.getAlgorithm(),
                   llvm::to_vector(base.getTile()),
                   llvm::to_vector(base.getWarps()),
                   base.getStages(),
                   base.getCopy(),
                   base.getMma(),
                   base.getSplit(),
                   llvm::to_vector(base.getCluster()),
                   base.getResident(),
                   base.getTeams(),
                   base.getWindow(),
                   base.getStaging(),
                   base.getMerge(),
                   base.getTail(),
                   llvm::to_vector(base.getFold()),
                   base.getGather(),
                   base.getKMajor(),
                   base.getKn2row()};
  SmallVector<StringRef> words;
  llvm::SplitString(text, words, " ,");
  llvm::StringSet<> seen;
  for (StringRef word : words) {
    auto [key, value] = word.split('=');
    if (!seen.insert(key).second)
      return emitError() << "schedule: '" << key << "' is given twice";
    if (std::string expected = setField(fields, key, value); !expected.empty())
      return emitError() << "schedule: expected " << expected << ", but got '"
                         << word << "'";
  }
  // What is decided in front of matrices leaves the rest as it is: that of
  // `base` was chosen with it.
  bool isVariant = llvm::all_of(seen.keys(), [](StringRef key) {
    return key == "merge" || key == "fold";
  });
  if (!isVariant) {
    chooseEngines(fields, seen);
    resetUnnamed(fields, seen);
  }
  // Warps and depth of one engine's ring say nothing about the other's.
  bool isOther = fields.mma != base.getMma();
  if (isOther && !seen.contains("stages"))
    fields.stages = std::min(fields.stages, kDefaultStages);
  if ((isOther || seen.contains("tile")) && !seen.contains("warps"))
    fields.warps =
        fields.algorithm == Algorithm::Loops ? SmallVector<int64_t>{1, 1}
        : fields.mma == MmaKind::Wgmma       ? getDefaultWarpgroups(fields.tile)
                                             : getDefaultWarps(fields.tile);
  return ScheduleAttr::getChecked(
      emitError, base.getContext(), fields.algorithm,
      ArrayRef<int64_t>(fields.tile), ArrayRef<int64_t>(fields.warps),
      fields.stages, fields.copy, fields.mma, fields.split,
      ArrayRef<int64_t>(fields.cluster), fields.resident, fields.teams,
      fields.window, fields.staging, fields.merge, fields.tail,
      ArrayRef<int64_t>(fields.fold), fields.gather, fields.kMajor,
      fields.kn2row);
}

Algorithm conv::getNamedAlgorithm(StringRef text, Algorithm otherwise) {
  SmallVector<StringRef> words;
  llvm::SplitString(text, words, " ,");
  for (StringRef word : words)
    if (word.consume_front("algorithm="))
      return symbolizeAlgorithm(word).value_or(otherwise);
  return otherwise;
}

std::optional<int64_t> conv::getNamedMerge(StringRef text) {
  SmallVector<StringRef> words;
  llvm::SplitString(text, words, " ,");
  std::optional<int64_t> named;
  int64_t merge;
  for (StringRef word : words) {
    if (word.starts_with("tile=") && !named)
      named = 1;
    if (word.consume_front("merge=") && !word.getAsInteger(10, merge) &&
        merge > 0)
      named = merge;
  }
  return named;
}

std::optional<SmallVector<int64_t>> conv::getNamedFold(StringRef text) {
  SmallVector<StringRef> words;
  llvm::SplitString(text, words, " ,");
  std::optional<SmallVector<int64_t>> named;
  for (StringRef word : words) {
    if (word.starts_with("tile=") && !named)
      named.emplace();
    if (word.consume_front("fold="))
      if (FailureOr<SmallVector<int64_t>> fold = parseFold(word);
          succeeded(fold))
        named = *fold;
  }
  return named;
}

bool conv::turnsOff(StringRef text, ScheduleAttr schedule) {
  SmallVector<StringRef> words;
  llvm::SplitString(text, words, " ,");
  return llvm::any_of(words, [&](StringRef word) {
    return (word == "window=false" && schedule.getWindow()) ||
           (word == "gather=false" && schedule.getGather()) ||
           (word == "k-major=false" && schedule.getKMajor()) ||
           (word == "kn2row=false" && schedule.getKn2row());
  });
}

static std::string joinX(ArrayRef<int64_t> numbers) {
  return llvm::join(
      llvm::map_range(numbers, [](int64_t n) { return std::to_string(n); }),
      "x");
}

std::string conv::toString(ScheduleAttr schedule) {
  std::string text =
      llvm::formatv("algorithm={0} tile={1} warps={2} stages={3} copy={4} "
                    "mma={5} split-k={6}",
                    stringifyAlgorithm(schedule.getAlgorithm()),
                    joinX(schedule.getTile()), joinX(schedule.getWarps()),
                    schedule.getStages(), stringifyCopyKind(schedule.getCopy()),
                    stringifyMmaKind(schedule.getMma()), schedule.getSplit());
  if (!schedule.getCluster().empty())
    text += " cluster=" + joinX(schedule.getCluster());
  if (schedule.getResident() != 1)
    text += " resident=" + std::to_string(schedule.getResident());
  if (schedule.getTeams() != 1)
    text += " teams=" + std::to_string(schedule.getTeams());
  if (schedule.getWindow())
    text += " window=true";
  if (schedule.getStaging() != 0)
    text += " staging=" + std::to_string(schedule.getStaging());
  if (hasTail(schedule))
    text += " tail=" + getTailText(schedule);
  if (schedule.getMerge() != 1)
    text += " merge=" + std::to_string(schedule.getMerge());
  if (!schedule.getFold().empty())
    text += " fold=" + joinX(schedule.getFold());
  if (schedule.getGather())
    text += " gather=true";
  if (schedule.getKMajor())
    text += " k-major=true";
  if (schedule.getKn2row())
    text += " kn2row=true";
  return text;
}
