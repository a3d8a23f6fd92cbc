//===- WorkspaceLimit.cpp - schedules that need little workspace ----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a function of form F0, and the bytes of workspace that its kernels may
// have. Output: schedules of its convolutions.
//
// What a schedule needs is decided by many passes: some kernels transpose their
// result themselves, some operands are read as they lie, few sums stay in a
// kernel. So nothing here knows it; a copy of the function is lowered to
// buffers, which takes some milliseconds.
//
//===----------------------------------------------------------------------===//

#include "conv/Pipelines/WorkspaceLimit.h"
#include "conv/Dialect/Conv/IR/ConvChip.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Dialect/Conv/IR/Remarks.h"
#include "conv/Dialect/Conv/IR/ScheduleKeys.h"
#include "conv/Dialect/Conv/IR/TailParts.h"
#include "conv/Pipelines/Passes.h"
#include "conv/Pipelines/Pipelines.h"
#include "conv/Schedule/ScheduleChoices.h"
#include "conv/Support/BufferSlot.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"

#include <limits>

namespace mlir::conv {
#define GEN_PASS_DEF_CONVLIMITWORKSPACE
#include "conv/Pipelines/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

/// Of a function of form F4: buffers of kernels are within their loops.
static int64_t countWorkspace(func::FuncOp function) {
  int64_t bytes = 0;
  for (auto buffer : function.getOps<memref::AllocOp>()) {
    MemRefType type = buffer.getType();
    bytes += convmlir::bufferSlot(type.getNumElements() *
                                  type.getElementTypeBitWidth() / 8);
  }
  return bytes;
}

/// A module with a copy of the function, and of what it names: what it needs
/// does not depend on the functions beside it.
static OwningOpRef<ModuleOp> isolate(func::FuncOp function) {
  auto module = function->getParentOfType<ModuleOp>();
  OwningOpRef<ModuleOp> copy = ModuleOp::create(module.getLoc());
  (*copy)->setAttrs(module->getDiscardableAttrDictionary());
  OpBuilder builder = OpBuilder::atBlockEnd(copy->getBody());
  llvm::SetVector<Operation *> needed;
  needed.insert(function);
  for (size_t i = 0; i < needed.size(); ++i) {
    builder.clone(*needed[i]);
    for (SymbolTable::SymbolUse use : *SymbolTable::getSymbolUses(needed[i]))
      if (Operation *named =
              module.lookupSymbol(use.getSymbolRef().getRootReference()))
        needed.insert(named);
  }
  return copy;
}

/// Bytes that the kernels of the function need with the schedules that it has
/// now. Remarks come again when it is lowered itself.
static FailureOr<int64_t> measure(func::FuncOp function,
                                  const WorkspaceLimit &limit,
                                  bool reportsErrors) {
  MLIRContext *context = function.getContext();
  ScopedDiagnosticHandler quiet(context, [&](Diagnostic &diagnostic) {
    bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return success(!isError || !reportsErrors);
  });
  OwningOpRef<ModuleOp> copy = isolate(function);
  KernelPipelineOptions options;
  options.schedule = limit.schedule;
  PassManager pm(context, ModuleOp::getOperationName());
  options.noteOrigin = false;
  buildConvSteps(pm, convmlir::Form::F0, convmlir::Form::F4, options);
  if (failed(pm.run(*copy)))
    return failure();
  return countWorkspace(copy->lookupSymbol<func::FuncOp>(function.getName()));
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

/// What schedules have in common that differ in the parts of gemm-k, and in
/// what changes no buffer. A tail depends on everything.
static ScheduleAttr getKind(ScheduleAttr schedule) {
  if (hasTail(schedule))
    return schedule;
  ScheduleFields kind = schedule.getFields();
  kind.stages = 2;
  for (ScheduleKey key : {ScheduleKey::Split, ScheduleKey::Cluster,
                          ScheduleKey::Resident, ScheduleKey::Teams,
                          ScheduleKey::Staging})
    resetScheduleField(kind, key);
  return ScheduleAttr::get(schedule.getContext(), kind);
}

/// The choice of which least is expected: no parts, whose sums wait in a
/// workspace.
static ScheduleAttr getPlainest(ArrayRef<RankedSchedule> choices) {
  for (const RankedSchedule &choice : choices)
    if (choice.schedule.getSplit() == 1 && !hasTail(choice.schedule))
      return choice.schedule;
  return choices.front().schedule;
}

/// Puts a choice among those from `first` on: as if all of the time of `whole`,
/// which it comes from, were that of its parts.
static void insertByTime(SmallVectorImpl<RankedSchedule> &choices, size_t first,
                         ScheduleAttr fewer, RankedSchedule whole) {
  double time = whole.time * whole.schedule.getSplit() / fewer.getSplit();
  size_t at = first;
  for (size_t i = first; i < choices.size(); ++i) {
    if (!areComparable(choices[i].schedule, fewer))
      continue;
    at = i;
    bool isUnsplit = choices[i].schedule.getSplit() == 1 &&
                     getKind(choices[i].schedule) == getKind(fewer);
    if (choices[i].time > time || isUnsplit)
      break;
    at = i + 1;
  }
  choices.insert(choices.begin() + at, {fewer, time});
}

namespace {
/// A convolution whose schedule is to be chosen.
struct Free {
  ConvOpInterface op;
  SmallVector<RankedSchedule> choices; ///< Best first; not empty.
};

/// Among the schedules of a function.
class Search {
public:
  Search(func::FuncOp function, const WorkspaceLimit &limit)
      : function(function), limit(limit), chip(getChip(function)) {}

  LogicalResult run(function_ref<bool(ConvOpInterface)> isFixed);

private:
  /// Collects what is free, and gives it the plainest schedules.
  void begin(function_ref<bool(ConvOpInterface)> isFixed);
  /// Gives the convolution the first schedule with which the function is below
  /// the limit, or the one with which it needs least.
  void choose(Free &convolution);
  /// What the function needs with this schedule; what cannot be lowered needs
  /// more than there is.
  int64_t measureWith(ConvOpInterface op, ScheduleAttr schedule);
  /// The choice with as many parts of gemm-k as the limit allows, of which
  /// `bytes` of workspace are too much; null: there is none.
  ScheduleAttr withFewerParts(ConvOpInterface op, ScheduleAttr choice,
                              int64_t bytes) const;
  LogicalResult refuse();

  func::FuncOp function;
  const WorkspaceLimit &limit;
  ChipInfo chip;
  SmallVector<Free> convolutions;
  bool hasFixed = false;
  int64_t needed = 0; ///< With the schedules that the function has.
};
} // namespace

void Search::begin(function_ref<bool(ConvOpInterface)> isFixed) {
  StringRef name = ScheduleAttr::attributeName();
  function.walk([&](ConvOpInterface op) {
    if (isFixed(op)) {
      hasFixed = true;
      return;
    }
    Free convolution{op, listChoices(op, chip, limit.schedule)};
    // That of a record comes first.
    if (auto measured = op->getAttrOfType<ScheduleAttr>(name))
      convolution.choices.insert(convolution.choices.begin(), {measured, 0});
    if (convolution.choices.empty())
      return;
    op->setAttr(name, getPlainest(convolution.choices));
    convolutions.push_back(std::move(convolution));
  });
}

int64_t Search::measureWith(ConvOpInterface op, ScheduleAttr schedule) {
  op->setAttr(ScheduleAttr::attributeName(), schedule);
  FailureOr<int64_t> bytes = measure(function, limit, /*reportsErrors=*/false);
  return succeeded(bytes) ? *bytes : std::numeric_limits<int64_t>::max();
}

ScheduleAttr Search::withFewerParts(ConvOpInterface op, ScheduleAttr choice,
                                    int64_t bytes) const {
  int64_t split = choice.getSplit();
  if (split <= 2 || findScheduleValue(limit.schedule, ScheduleKey::Split))
    return nullptr;
  // A part is a result in the type of the sums, or more (of folded taps, say).
  int64_t part = cast<ShapedType>(op->getResult(0).getType()).getNumElements() *
                 op.getAccType().getIntOrFloatBitWidth() / 8;
  int64_t surplus = llvm::divideCeil(bytes - limit.bytes, part);
  if (split - surplus < 2)
    return nullptr;
  FailureOr<ScheduleAttr> fewer =
      parseSchedule(("split-k=" + Twine(split - surplus)).str(), choice,
                    [&] { return op->emitError(); });
  bool canRun = succeeded(fewer) && whyCannotRun(op, *fewer, chip).empty();
  return canRun ? *fewer : nullptr;
}

void Search::choose(Free &convolution) {
  auto [op, choices] = convolution;
  auto best = op->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
  llvm::DenseMap<ScheduleAttr, int64_t> refusedSplits; // The least of a kind.
  for (size_t i = 0; i < choices.size(); ++i) {
    RankedSchedule choice = choices[i];
    int64_t split = choice.schedule.getSplit();
    auto [refused, isFirst] =
        refusedSplits.try_emplace(getKind(choice.schedule), split);
    if (!isFirst && split >= refused->second)
      continue;
    refused->second = split;
    int64_t bytes = measureWith(op, choice.schedule);
    bool isBelow = bytes <= limit.bytes;
    if (isBelow || bytes < needed) {
      best = choice.schedule;
      needed = bytes;
    }
    if (isBelow)
      break;
    if (ScheduleAttr fewer = withFewerParts(op, choice.schedule, bytes))
      insertByTime(choices, i + 1, fewer, choice);
  }
  op->setAttr(ScheduleAttr::attributeName(), best);
}

LogicalResult Search::refuse() {
  InFlightDiagnostic error = function.emitError();
  if (!limit.schedule.empty())
    error << "with schedule '" << limit.schedule << "' ";
  else if (hasFixed)
    error << "with the schedules that are given ";
  return error << "the kernels need at least " << needed
               << " bytes of workspace, " << needed - limit.bytes
               << " more than max-workspace=" << limit.bytes << " allows";
}

LogicalResult Search::run(function_ref<bool(ConvOpInterface)> isFixed) {
  FailureOr<int64_t> first = measure(function, limit, /*reportsErrors=*/true);
  if (failed(first))
    return failure();
  needed = *first;
  if (needed <= limit.bytes)
    return success();
  begin(isFixed);
  FailureOr<int64_t> plain = measure(function, limit, /*reportsErrors=*/true);
  if (failed(plain))
    return failure();
  needed = *plain;
  for (Free &convolution : convolutions)
    choose(convolution);
  if (needed > limit.bytes)
    return refuse();
  emitImportantRemark(function, RemarkId::WorkspaceLimited,
                      "max-workspace=" + Twine(limit.bytes) +
                          " refuses the choice of schedules: the kernels would "
                          "need " +
                          Twine(*first) + " bytes of workspace");
  return success();
}

LogicalResult
conv::limitWorkspace(func::FuncOp function, const WorkspaceLimit &limit,
                     function_ref<bool(ConvOpInterface)> isFixed) {
  return Search(function, limit).run(isFixed);
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct ConvLimitWorkspace
    : public conv::impl::ConvLimitWorkspaceBase<ConvLimitWorkspace> {
  using ConvLimitWorkspaceBase::ConvLimitWorkspaceBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    OpPassManager pipeline(ModuleOp::getOperationName());
    KernelPipelineOptions options;
    options.noteOrigin = false;
    buildConvSteps(pipeline, convmlir::Form::F0, convmlir::Form::F4, options);
    pipeline.getDependentDialects(registry);
  }

  void runOnOperation() override {
    if (maxWorkspace < 0)
      return;
    if (failed(setChip(getOperation(), chip, {multiprocessors})))
      return signalPassFailure();
    WorkspaceLimit limit{maxWorkspace, schedule};
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() &&
          failed(limitWorkspace(function, limit, hasSchedule)))
        return signalPassFailure();
  }

private:
  static bool hasSchedule(ConvOpInterface op) {
    return op->hasAttr(ScheduleAttr::attributeName());
  }
};
} // namespace
