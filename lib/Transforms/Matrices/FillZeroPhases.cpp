//===- FillZeroPhases.cpp - one phase among zeros -------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  F2, a chain of conv.scatter that write a result with its channels
//         last, all but one of zeros.
// Output: that one, with zero_fill, where the schedule's kernel stores the
//         zeros beside its tiles.
//
//===----------------------------------------------------------------------===//

#include "StridePhases.h"
#include "ZeroPhases.h"
#include "conv/Dialect/Conv/IR/Remarks.h"
#include "conv/Dialect/Conv/IR/ScatterChain.h"
#include "conv/Schedule/Forms/ZeroFill.h"
#include "conv/Schedule/Shape/TensorBytes.h"
#include "conv/Transforms/Matrices/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVFILLZEROPHASES
#include "conv/Transforms/Matrices/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// Why the kernel of the only phase that is not zeros does not store those of
/// the others; empty where it does.
static std::string whyApart(ScatterOp found, ArrayRef<ScatterOp> chain) {
  if (found.getChannelsFirst())
    return "the result has its channels first";
  if (!coversDestination(chain))
    return "the convolution writes a part of a tensor";
  if (!isMadeByOneKernel(chain))
    return "no kernel makes the phase alone: it is added up of parts";
  linalg::LinalgOp contraction = findContraction(found.getValue());
  auto schedule =
      contraction->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
  ViewAttr view = found.getView();
  ResultWithZeros result = {
      view.getMatrixView(found.getTensorShape()), view.getGroups(),
      getElementBytes(found.getDestType()),
      getElementBytes(contraction->getOperand(0).getType())};
  return storesZeros(schedule, result)
             ? ""
             : "the schedule's kernel has no stores of zeros beside its tiles";
}

/// The others go: what the first one writes into is written by this one.
static void fill(RewriterBase &rewriter, ScatterOp left,
                 ArrayRef<ScatterOp> chain) {
  ScatterOp last = chain.back();
  rewriter.setInsertionPoint(last);
  auto filled =
      ScatterOp::create(rewriter, left.getLoc(), last->getResultTypes(),
                        left.getValue(), ScatterOp(chain.front()).getDest(),
                        /*offsets=*/ValueRange(), left.getView());
  filled.setZeroFill(true);
  rewriter.replaceOp(last, filled);
  for (ScatterOp scatter : llvm::reverse(chain.drop_back()))
    rewriter.eraseOp(scatter);
}

namespace {
struct ConvFillZeroPhases
    : public conv::impl::ConvFillZeroPhasesBase<ConvFillZeroPhases> {
  void runOnOperation() override {
    SmallVector<ScatterOp> scatters;
    getOperation().walk([&](ScatterOp op) { scatters.push_back(op); });
    IRRewriter rewriter(&getContext());
    llvm::SmallPtrSet<Operation *, 8> seen;
    for (ScatterOp scatter : llvm::reverse(scatters)) {
      if (seen.contains(scatter))
        continue;
      SmallVector<ScatterOp> chain = getScatterChain(scatter);
      seen.insert(chain.begin(), chain.end());
      if (ScatterOp alone = findAmongZeros(chain))
        visit(rewriter, alone, chain);
    }
  }

private:
  static void visit(IRRewriter &rewriter, ScatterOp alone,
                    ArrayRef<ScatterOp> chain) {
    if (std::string why = whyApart(alone, chain); !why.empty()) {
      emitNamedRemark(alone, RemarkId::ZeroPhasesApart,
                      "zeros of other phases are stored apart: " + why);
      return;
    }
    emitNamedRemark(alone, RemarkId::ZeroPhasesFilled,
                    "the kernel stores the zeros of all other phases");
    fill(rewriter, alone, chain);
  }
};
} // namespace
