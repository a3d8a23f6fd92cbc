//===- ScheduleText.cpp - schedules as a user writes them -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the text of `--schedule` or of a tuning record, and the schedule that
// would be chosen. Output: that schedule with the named keys in the place of its
// own, and what follows from them (docs/Schedules.md).
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ScheduleKeys.h"
#include "conv/Dialect/Conv/IR/ScheduleLimits.h"
#include "conv/Dialect/Conv/IR/TailParts.h"
#include "conv/Schedule/Schedule.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::conv;

/// What was expected of a value that no schedule has: that of its key, but the
/// range where a number is too large.
static std::string getExpected(const ScheduleWord &word) {
  SmallVector<StringRef> parts;
  llvm::SplitString(word.value, parts, "x[, ]");
  auto isLarge = [](StringRef part) {
    APInt number;
    return llvm::all_of(part, llvm::isDigit) &&
           !part.getAsInteger(10, number) && number.ugt(kLargestScheduleNumber);
  };
  if (llvm::none_of(parts, isLarge))
    return getExpectedValues(word.key->key);
  return "whole numbers from 1 to " + std::to_string(kLargestScheduleNumber);
}

/// Warps that a tile wants when the user names none: parts of 64x64 or less.
static ScheduleNumbers getDefaultWarps(ArrayRef<int64_t> tile) {
  auto along = [](int64_t extent) { return std::max<int64_t>(1, extent / 64); };
  ScheduleNumbers warps = {along(tile[0]), along(tile[1])};
  if (warps[0] * warps[1] == 1 && tile[0] >= 32)
    warps[0] = 2;
  if (warps[0] * warps[1] == 2 && tile[1] >= 32)
    warps[tile[0] > tile[1] || warps[1] == 2 ? 0 : 1] = 2;
  return warps;
}

/// Warps of four channels each, where bands of lines are multiplied.
static int64_t getWarpsOfBands(ArrayRef<int64_t> tile) {
  constexpr int64_t channels = 4;
  return std::max<int64_t>(1, tile[1] / channels);
}

/// Stages that every engine has room for, unless the tile is large.
static constexpr int64_t kDefaultStages = 4;

/// Two warpgroups of consumers, or one for few rows.
static ScheduleNumbers getDefaultWarpgroups(ArrayRef<int64_t> tile) {
  return {tile[0] % 128 == 0 ? 8 : 4, 1};
}

/// The keys that a text names.
using Seen = llvm::SmallSet<ScheduleKey, 20>;

/// Whether a value is one that a user can write: others than those of an
/// attribute, it has no zeros.
static bool isWritten(const ScheduleValue &value) {
  return llvm::all_of(value.numbers, isScheduleNumber);
}

/// Replaces the value of a key; an empty string, or what is wrong.
static std::string setField(ScheduleFields &fields, Seen &seen,
                            const ScheduleWord &word) {
  if (!word.key)
    return getUnknownKeyText(word.name);
  if (!seen.insert(word.key->key).second)
    return ("'" + word.key->name + "' is given twice").str();
  ScheduleValue value = readScheduleValue(word.value);
  if (isWritten(value) && setScheduleField(fields, word.key->key, value) &&
      whyInvalid(fields, word.key->key).empty())
    return "";
  return ("expected " + Twine(getExpected(word)) + ", but got '" + word.text +
          "'")
      .str();
}

/// Whether a named key asks for what only kernels with TMA and wgmma have. A
/// default asks for nothing.
static bool asksForHopper(const ScheduleFields &fields, const Seen &seen) {
  return llvm::any_of(getScheduleKeys(), [&](const ScheduleKeyInfo &info) {
    return info.isOfHopper() && seen.contains(info.key) &&
           !isDefault(fields, info.key);
  });
}

/// TMA goes with wgmma and cp.async with mma.sync: naming one names the other,
/// and so do values that one of them has, and warps that are no warpgroups
/// along gemm-m. Only threads that load and store read in several ways.
static void chooseEngines(ScheduleFields &fields, const Seen &seen) {
  bool namesCopy = seen.contains(ScheduleKey::Copy);
  bool namesMma = seen.contains(ScheduleKey::Mma);
  // What multiplies no matrices has none of them.
  if (fields.algorithm == Algorithm::Loops) {
    if (!namesCopy)
      fields.copy = CopyKind::CpAsync;
    if (!namesMma)
      fields.mma = MmaKind::Fma;
    return;
  }
  if (!namesCopy && seen.contains(ScheduleKey::Reading) &&
      !isDefault(fields, ScheduleKey::Reading)) {
    fields.copy = CopyKind::Sync;
    namesCopy = true;
  }
  bool isWgmma = fields.mma == MmaKind::Wgmma;
  if (namesCopy && !namesMma)
    isWgmma = fields.copy == CopyKind::Tma;
  else if (!namesMma && asksForHopper(fields, seen))
    isWgmma = true;
  else if (!namesMma && seen.contains(ScheduleKey::Warps) &&
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
static void resetUnnamed(ScheduleFields &fields, const Seen &seen) {
  auto names = [&](ScheduleKey key) { return seen.contains(key); };
  if (!names(ScheduleKey::Tail) &&
      (names(ScheduleKey::Split) || names(ScheduleKey::Cluster) ||
       names(ScheduleKey::Resident)))
    fields.tail = 1;
  if (names(ScheduleKey::Tail) && fields.tail != 1 &&
      !names(ScheduleKey::Split))
    fields.split = 1;
  bool namesTile = names(ScheduleKey::Tile);
  bool keepsEngine = !namesTile && (fields.mma == MmaKind::Wgmma ||
                                    fields.algorithm == Algorithm::Loops);
  for (const ScheduleKeyInfo &info : getScheduleKeys())
    if (!names(info.key) &&
        ((info.scope == KeyScope::Operands && namesTile) ||
         (info.isOfHopper() && !keepsEngine)))
      resetScheduleField(fields, info.key);
  if (fields.copy != CopyKind::Sync && !names(ScheduleKey::Reading))
    resetScheduleField(fields, ScheduleKey::Reading);
}

/// Warps and depth of one engine's ring say nothing about the other's.
static void resetRing(ScheduleFields &fields, const Seen &seen, MmaKind before) {
  bool isOther = fields.mma != before;
  if (isOther && !seen.contains(ScheduleKey::Stages))
    fields.stages = std::min(fields.stages, kDefaultStages);
  if ((!isOther && !seen.contains(ScheduleKey::Tile)) ||
      seen.contains(ScheduleKey::Warps))
    return;
  if (fields.algorithm == Algorithm::Loops)
    fields.warps = {
        1, fields.mma == MmaKind::MmaSync ? getWarpsOfBands(fields.tile) : 1};
  else
    fields.warps = fields.mma == MmaKind::Wgmma
                       ? getDefaultWarpgroups(fields.tile)
                       : getDefaultWarps(fields.tile);
}

std::string conv::whyNoKeys(StringRef text) {
  ScheduleFields fields;
  Seen seen;
  for (const ScheduleWord &word : splitScheduleText(text))
    if (std::string why = setField(fields, seen, word); !why.empty())
      return why;
  return "";
}

FailureOr<ScheduleAttr>
conv::parseSchedule(StringRef text, ScheduleAttr base,
                    function_ref<InFlightDiagnostic()> emitError) {
  ScheduleFields fields = base.getFields();
  Seen seen;
  // What is decided in front of matrices leaves the rest as it is: that of
  // `base` was chosen with it.
  bool isVariant = true;
  for (const ScheduleWord &word : splitScheduleText(text)) {
    if (std::string why = setField(fields, seen, word); !why.empty())
      return emitError() << "schedule: " << why;
    isVariant &= word.key->scope == KeyScope::Operands;
  }
  if (!isVariant) {
    chooseEngines(fields, seen);
    resetUnnamed(fields, seen);
  }
  resetRing(fields, seen, base.getMma());
  return ScheduleAttr::getChecked(emitError, base.getContext(), fields);
}

Algorithm conv::getNamedAlgorithm(StringRef text, Algorithm otherwise) {
  std::optional<StringRef> name =
      findScheduleValue(text, ScheduleKey::Algorithm);
  return name ? symbolizeAlgorithm(*name).value_or(otherwise) : otherwise;
}

/// The fields that a text names, as far as they have values; else the default.
static std::optional<ScheduleFields> readNamed(StringRef text,
                                               ScheduleKey key) {
  ScheduleFields fields;
  std::optional<StringRef> value = findScheduleValue(text, key);
  if (value && isWritten(readScheduleValue(*value)) &&
      setScheduleField(fields, key, readScheduleValue(*value)))
    return fields;
  if (findScheduleValue(text, ScheduleKey::Tile))
    return ScheduleFields();
  return std::nullopt;
}

std::optional<int64_t> conv::getNamedMerge(StringRef text) {
  std::optional<ScheduleFields> named = readNamed(text, ScheduleKey::Merge);
  return named ? std::optional(named->merge) : std::nullopt;
}

std::optional<SmallVector<int64_t>> conv::getNamedFold(StringRef text) {
  std::optional<ScheduleFields> named = readNamed(text, ScheduleKey::Fold);
  if (!named)
    return std::nullopt;
  return llvm::to_vector<6>(named->fold);
}

bool conv::turnsOff(StringRef text, ScheduleAttr schedule) {
  return llvm::any_of(splitScheduleText(text), [&](const ScheduleWord &word) {
    return word.key && word.key->isFlag && word.value == "false" &&
           !isDefault(schedule.getFields(), word.key->key);
  });
}

std::string conv::toString(ScheduleAttr schedule) {
  return getScheduleText(schedule.getFields());
}
