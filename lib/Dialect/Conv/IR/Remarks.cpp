//===- Remarks.cpp - what passes say that they did or left ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/Remarks.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace mlir::conv;
using remark::RemarkKind;

namespace {
struct RemarkInfo {
  RemarkId id;
  StringRef pass, name;
  RemarkKind kind;
};
} // namespace

/// A row each, as docs/Remarks.md has it; python/tests/test_remarks.py compares
/// them.
static constexpr RemarkInfo remarks[] = {
    {RemarkId::LinalgImported, "convert-linalg-to-conv", "convolution-imported",
     RemarkKind::RemarkPassed},
    {RemarkId::LinalgMorePrecise, "convert-linalg-to-conv",
     "more-precise-than-text", RemarkKind::RemarkAnalysis},
    {RemarkId::LinalgLeft, "convert-linalg-to-conv", "convolution-left",
     RemarkKind::RemarkMissed},
    {RemarkId::StablehloImported, "convert-stablehlo-to-conv",
     "convolution-imported", RemarkKind::RemarkPassed},
    {RemarkId::ScheduleChosen, "conv-select-schedule", "schedule-chosen",
     RemarkKind::RemarkPassed},
    {RemarkId::WgmmaNotTaken, "conv-select-schedule", "wgmma-not-taken",
     RemarkKind::RemarkMissed},
    {RemarkId::WorkspaceLimited, "conv-limit-workspace", "workspace-limited",
     RemarkKind::RemarkMissed},
    {RemarkId::LayoutKept, "conv-convert-layout", "layout-kept",
     RemarkKind::RemarkPassed},
    {RemarkId::LayoutConverted, "conv-convert-layout", "layout-converted",
     RemarkKind::RemarkMissed},
    {RemarkId::LayoutRestored, "conv-restore-layout", "layout-restored",
     RemarkKind::RemarkPassed},
    {RemarkId::FilterRead, "convert-conv-to-gemm", "filter-read",
     RemarkKind::RemarkPassed},
    {RemarkId::FilterTransposed, "convert-conv-to-gemm", "filter-transposed",
     RemarkKind::RemarkMissed},
    {RemarkId::EpilogueFused, "conv-fuse-epilogue", "epilogue-fused",
     RemarkKind::RemarkPassed},
    {RemarkId::EpilogueApart, "conv-fuse-epilogue", "epilogue-apart",
     RemarkKind::RemarkMissed},
    {RemarkId::TranspositionFused, "conv-fuse-transposition",
     "transposition-fused", RemarkKind::RemarkPassed},
    {RemarkId::TranspositionApart, "conv-fuse-transposition",
     "transposition-apart", RemarkKind::RemarkMissed},
    {RemarkId::InputTranspositionFused, "conv-fuse-input-transposition",
     "transposition-fused", RemarkKind::RemarkPassed},
    {RemarkId::InputTranspositionApart, "conv-fuse-input-transposition",
     "transposition-apart", RemarkKind::RemarkMissed},
    {RemarkId::ZeroPhasesFilled, "conv-fill-zero-phases", "zero-phases-filled",
     RemarkKind::RemarkPassed},
    {RemarkId::ZeroPhasesApart, "conv-fill-zero-phases", "zero-phases-apart",
     RemarkKind::RemarkMissed},
    {RemarkId::BiasGradientFused, "conv-fuse-bias-gradient",
     "bias-gradient-fused", RemarkKind::RemarkPassed},
    {RemarkId::BiasGradientApart, "conv-fuse-bias-gradient",
     "bias-gradient-apart", RemarkKind::RemarkMissed},
    {RemarkId::OperandKept, "conv-plan-kernels", "operand-kept",
     RemarkKind::RemarkPassed},
    {RemarkId::OperandNotKept, "conv-plan-kernels", "operand-not-kept",
     RemarkKind::RemarkMissed},
    {RemarkId::KernelMade, "conv-outline-kernels", "kernel-made",
     RemarkKind::RemarkPassed},
    {RemarkId::CopyLeft, "conv-copies-to-plain-kernels", "copy-left",
     RemarkKind::RemarkMissed},
    {RemarkId::LaunchesInOrder, "conv-overlap-launches", "launches-in-order",
     RemarkKind::RemarkMissed},
};

static const RemarkInfo &getInfo(RemarkId id) {
  const RemarkInfo &info = remarks[size_t(id)];
  assert(info.id == id && "a row for each name, in their order");
  return info;
}

/// Empty where there is none.
static StringRef getFunctionName(Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    function = op->getParentOfType<FunctionOpInterface>();
  return function ? function.getName() : StringRef();
}

static remark::detail::InFlightRemark begin(Operation *op, RemarkId id) {
  const RemarkInfo &info = getInfo(id);
  remark::RemarkOpts options =
      remark::RemarkOpts::name(info.name).category(info.pass).function(
          getFunctionName(op));
  switch (info.kind) {
  case RemarkKind::RemarkPassed:
    return remark::passed(op->getLoc(), options);
  case RemarkKind::RemarkMissed:
    return remark::missed(op->getLoc(), options);
  case RemarkKind::RemarkAnalysis:
    return remark::analysis(op->getLoc(), options);
  case RemarkKind::RemarkFailure:
  case RemarkKind::RemarkUnknown:
    break;
  }
  llvm_unreachable("what fails is an error, and no remark");
}

/// Whether somebody asked for it.
static bool emitIfAsked(Operation *op, RemarkId id, const Twine &text) {
  remark::detail::InFlightRemark made = begin(op, id);
  if (!made)
    return false;
  made << StringRef(text.str());
  return true;
}

void conv::emitNamedRemark(Operation *op, RemarkId id, const Twine &text) {
  (void)emitIfAsked(op, id, text);
}

void conv::emitImportantRemark(Operation *op, RemarkId id, const Twine &text) {
  if (!emitIfAsked(op, id, text))
    op->emitRemark() << text;
}
