//===- TunedSchedules.cpp - schedules from tuning records -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TunedSchedules.h"
#include "TuningProblem.h"
#include "conv/Dialect/Conv/IR/ConvChip.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Dialect/Conv/Utils/Diagnostics.h"
#include "conv/Schedule/Schedule.h"
#include "conv/Tuning/TuningRecords.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::CompileOptions;
using convmlir::TuningMatch;
using convmlir::TuningRecord;

ScheduleAttr conv::readTunedSchedule(ConvOpInterface op,
                                     const std::string &text,
                                     const ChipInfo &chip, std::string &why) {
  SmallVector<RankedSchedule> ranked =
      rankSchedules(op, chip, Algorithm::ImplicitGemm, /*whyNot=*/nullptr,
                    getNamedMerge(text), getNamedFold(text));
  if (ranked.empty()) {
    why = "no schedule is legal on " + std::string(chip.name);
    return nullptr;
  }
  DiagnosticCollector diagnostics(op.getContext());
  FailureOr<ScheduleAttr> schedule = parseSchedule(
      text, ranked.front().schedule, [&] { return op->emitError(); });
  if (failed(schedule)) {
    why = diagnostics.take("its schedule cannot be read").message;
    return nullptr;
  }
  why = whyCannotRun(op, *schedule, chip);
  return why.empty() ? *schedule : nullptr;
}

static void warn(const CompileOptions &options, const TuningMatch &match,
                 const std::string &why) {
  if (options.onWarning)
    options.onWarning(*match.file + ": the record of '" +
                      match.record->problem + "' for " + match.record->target +
                      " is " + why);
}

/// Takes the records of other devices out, and those of devices with another
/// number of multiprocessors than the chip; returns their names. One that names
/// no device counts for all with the number.
static std::string dropOtherDevices(std::vector<TuningMatch> &matches,
                                    const std::string &device,
                                    const ChipInfo &chip) {
  int64_t usual = lookupChip(chip.name)->multiprocessors;
  llvm::SetVector<StringRef> others;
  llvm::erase_if(matches, [&](const TuningMatch &match) {
    const std::string &own = match.record->device;
    int64_t number = match.record->multiprocessors;
    bool isOther = (!own.empty() && !device.empty() && own != device) ||
                   (number > 0 ? number : usual) != chip.multiprocessors;
    if (isOther)
      others.insert(own);
    return isOther;
  });
  return llvm::join(others, ", ");
}

static void applyTuning(ConvOpInterface op, StringRef line,
                        const ChipInfo &chip, const CompileOptions &options,
                        SmallVectorImpl<TunedOperation> &tuned) {
  if (op->hasAttr(ScheduleAttr::attributeName()) ||
      !whyUnsupported(op, chip).empty())
    return;
  convmlir::Result<convmlir::Problem> problem =
      convmlir::parseProblem(line.str());
  if (!problem)
    return;
  std::vector<TuningMatch> matches =
      options.tuning->lookup(*problem, options.target);
  std::string others = dropOtherDevices(matches, options.device, chip);
  for (TuningMatch match : matches) {
    std::string why = match.record->stale;
    ScheduleAttr schedule =
        why.empty() ? readTunedSchedule(op, match.record->schedule, chip, why)
                    : nullptr;
    if (!schedule) {
      warn(options, match, "stale and ignored: " + why);
      continue;
    }
    op->setAttr(ScheduleAttr::attributeName(), schedule);
    tuned.push_back({op, schedule, std::move(match)});
    return;
  }
  if (options.schedule.empty() && options.onUntuned)
    options.onUntuned(line.str(), others);
}

/// The problem of an operation as its records name it, which it keeps while its
/// layout is converted.
static constexpr StringLiteral kProblemAttr = "tuning_problem";

void conv::nameTuningProblems(ModuleOp module) {
  module.walk([](ConvOpInterface op) {
    if (convmlir::Result<convmlir::Problem> problem = getTuningProblem(op))
      op->setAttr(kProblemAttr,
                  StringAttr::get(op.getContext(), toString(*problem)));
  });
}

SmallVector<TunedOperation> conv::applyTuning(ModuleOp module,
                                              const CompileOptions &options) {
  SmallVector<TunedOperation> tuned;
  ChipInfo chip = getChip(module);
  constexpr Algorithm measured = Algorithm::ImplicitGemm;
  bool isTuned = options.tuning &&
                 getNamedAlgorithm(options.schedule, measured) == measured;
  module.walk([&](ConvOpInterface op) {
    auto line =
        dyn_cast_or_null<StringAttr>(op->removeDiscardableAttr(kProblemAttr));
    if (line && isTuned)
      ::applyTuning(op, line.getValue(), chip, options, tuned);
  });
  return tuned;
}

void conv::reportTuning(ArrayRef<TunedOperation> tuned,
                        const CompileOptions &options, const std::string &why) {
  for (const TunedOperation &one : tuned) {
    Attribute chosen = one.op->getAttr(ScheduleAttr::attributeName());
    if (chosen != one.schedule)
      warn(options, one.match, "not used: " + why);
    else if (options.onTuned)
      options.onTuned(one.match);
  }
}
