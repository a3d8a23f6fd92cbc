//===- SelectSchedule.cpp - F0 to F1 --------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution gets the schedule that is ranked first (ScheduleRanking.cpp),
// with the keys of the option in the place of its own.
//
//===----------------------------------------------------------------------===//

#include "conv/Transforms/Operations/SelectSchedule.h"
#include "Tiling/ContractionSchedule.h"
#include "conv/Dialect/Conv/IR/ConvChip.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Dialect/Conv/IR/Remarks.h"
#include "conv/Dialect/Conv/IR/ScheduleKeys.h"
#include "conv/Schedule/Schedule.h"
#include "conv/Schedule/ScheduleRules.h"
#include "conv/Transforms/Operations/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVSELECTSCHEDULE
#include "conv/Transforms/Operations/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

LogicalResult conv::setSchedule(ConvOpInterface op, const ChipInfo &chip,
                                ScheduleAttr schedule) {
  if (std::string why = whyUnsupported(op, chip); !why.empty())
    return op->emitError() << why;
  if (failed(checkSchedule(op, schedule, whyCannotRun(op, schedule, chip))))
    return failure();
  op->setAttr(ScheduleAttr::attributeName(), schedule);
  return success();
}

/// Of the schedules that the model knows, those whose tiles the engine has,
/// too: those of `mma.sync` for `wmma`, which is never chosen.
static MmaKind getRankedEngine(MmaKind mma) {
  return mma == MmaKind::Wmma ? MmaKind::MmaSync : mma;
}

namespace {
/// The choice for an operation, with keys of a user in the place of its own.
class Selection {
public:
  explicit Selection(StringRef schedule) : schedule(schedule) {}

  LogicalResult select(ConvOpInterface op, const ChipInfo &info) {
    if (std::string why = whyUnsupported(op, info); !why.empty())
      return op->emitError() << why;
    auto chosen =
        op->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
    if (!chosen || turnsOff(schedule, chosen))
      chosen = choose(op, info,
                      getNamedAlgorithm(schedule, Algorithm::ImplicitGemm));
    if (!chosen)
      return op->emitError() << "no schedule is legal on " << info.name;
    if (!schedule.empty()) {
      FailureOr<ScheduleAttr> parsed = replaceKeys(op, chosen, info);
      if (failed(parsed))
        return failure();
      chosen = *parsed;
    }
    if (failed(setSchedule(op, info, chosen)))
      return failure();
    if (candidates > 0)
      emitNamedRemark(op, RemarkId::ScheduleChosen,
                      toString(chosen) + ", from " + Twine(candidates) +
                          " candidates");
    return success();
  }

private:
  /// The best without the forms that the option turns off, if any is; null
  /// where no candidate is legal.
  ScheduleAttr choose(ConvOpInterface op, const ChipInfo &info,
                      Algorithm algorithm) {
    std::string whyNot;
    // Keys without an algorithm are of the widest one.
    SmallVector<RankedSchedule> ranked =
        schedule.empty()
            ? rankAllSchedules(op, info, &whyNot)
            : rankSchedules(op, info, algorithm, &whyNot,
                            getNamedMerge(schedule), getNamedFold(schedule));
    if (!whyNot.empty()) {
      bool hasTma =
          !ranked.empty() && ranked.front().schedule.getCopy() == CopyKind::Tma;
      emitImportantRemark(op, RemarkId::WgmmaNotTaken,
                          "runs on mma.sync with " +
                              Twine(hasTma ? "TMA: " : "cp.async: ") + whyNot);
    }
    candidates = ranked.size();
    for (const RankedSchedule &candidate : ranked)
      if (!turnsOff(schedule, candidate.schedule))
        return candidate.schedule;
    if (!ranked.empty())
      return ranked.front().schedule;
    // An algorithm without kernels is refused with the rest of the schedule.
    if (algorithm != Algorithm::ImplicitGemm)
      return choose(op, info, Algorithm::ImplicitGemm);
    return nullptr;
  }

  FailureOr<ScheduleAttr> replace(ConvOpInterface op, ScheduleAttr base,
                                  const Twine &more = "") {
    return parseSchedule((schedule + more).str(), base,
                         [&] { return op->emitError(); });
  }

  /// The same with the longest ring that can run; null where none can, or where
  /// its length is named.
  ScheduleAttr replaceAndShorten(ConvOpInterface op, ScheduleAttr base,
                                 ScheduleRules &rules) {
    constexpr int64_t least = 2;
    if (!findScheduleValue(schedule, ScheduleKey::Stages))
      for (int64_t stages = base.getStages() - 1; stages >= least; --stages) {
        FailureOr<ScheduleAttr> shorter =
            replace(op, base, " stages=" + Twine(stages));
        if (succeeded(shorter) && rules.whyCannotRun(*shorter).empty())
          return *shorter;
      }
    return nullptr;
  }

  /// The option in the place of what `base` says of the same keys. Where that
  /// cannot run, since the rest of `base` is of other tiles (a ring of windows,
  /// a box of 196 positions, filters as rows), or names another engine but no
  /// tile, the rest is the best that the model knows to run with these keys. So
  /// it is where no engine is named and TMA, which `base` has, cannot copy such
  /// tiles. The last resort is a shorter ring.
  FailureOr<ScheduleAttr> replaceKeys(ConvOpInterface op, ScheduleAttr base,
                                      const ChipInfo &info) {
    FailureOr<ScheduleAttr> replaced = replace(op, base);
    if (failed(replaced))
      return failure();
    ScheduleRules rules(op, info);
    bool isOther = replaced->getMma() != base.getMma() &&
                   !StringRef(schedule).contains("tile=");
    if (!isOther && rules.whyCannotRun(*replaced).empty())
      return replaced;
    ScopedDiagnosticHandler ignore(op->getContext(),
                                   [](Diagnostic &) { return success(); });
    bool isNoTma = rules.lacksCopy(*replaced);
    SmallVector<RankedSchedule> ranked =
        rankSchedules(op, info, replaced->getAlgorithm(), /*whyNot=*/nullptr,
                      getNamedMerge(schedule), getNamedFold(schedule));
    llvm::erase_if(ranked, [&](const RankedSchedule &other) {
      return isNoTma ? other.schedule.getCopy() == CopyKind::Tma
                     : other.schedule.getMma() !=
                           getRankedEngine(replaced->getMma());
    });
    for (const RankedSchedule &other : ranked) {
      FailureOr<ScheduleAttr> choice = replace(op, other.schedule);
      if (failed(choice))
        continue;
      if (rules.whyCannotRun(*choice).empty())
        return choice;
      // What is in the way of the first says most.
      if (std::exchange(isOther, false))
        replaced = choice;
    }
    if (ScheduleAttr shorter = replaceAndShorten(op, *replaced, rules))
      return shorter;
    for (const RankedSchedule &other : ranked)
      if (ScheduleAttr shorter = replaceAndShorten(op, other.schedule, rules))
        return shorter;
    return replaced;
  }

  std::string schedule;  ///< The keys.
  size_t candidates = 0; ///< That were ranked; none where one was given.
};
} // namespace

LogicalResult conv::selectSchedule(ConvOpInterface op, const ChipInfo &chip,
                                   StringRef keys) {
  return Selection(keys).select(op, chip);
}

namespace {
struct ConvSelectSchedule
    : public conv::impl::ConvSelectScheduleBase<ConvSelectSchedule> {
  using ConvSelectScheduleBase::ConvSelectScheduleBase;

  void runOnOperation() override {
    if (failed(setChip(getOperation(), chip, {multiprocessors})))
      return signalPassFailure();
    ChipInfo info = getChip(getOperation());
    WalkResult result = getOperation()->walk(
        [&](Operation *op) { return WalkResult(visit(op, info)); });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult visit(Operation *op, const ChipInfo &info) {
    if (auto convolution = dyn_cast<ConvOpInterface>(op))
      return selectSchedule(convolution, info, schedule);
    auto chosen =
        op->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
    return chosen
               ? checkSchedule(op, chosen, whyCannotRunLater(op, chosen, info))
               : success();
  }
};
} // namespace
