//===- FuseInputTransposition.cpp - operands with channels first ----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  F2, a conv.im2col of a transposition to channels last.
// Output: conv.im2col with channels_first of what was transposed, where the
//         schedule of the contraction that reads the matrix says so.
//
// Whether a kernel can gather such tiles is a question of legality, which was
// answered when the schedule was chosen.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/Remarks.h"
#include "conv/Dialect/Conv/IR/Transposition.h"
#include "conv/Schedule/Forms/WgradWindowShape.h"
#include "conv/Transforms/Matrices/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVFUSEINPUTTRANSPOSITION
#include "conv/Transforms/Matrices/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// Whether the contraction is of wgrad: it sums over rows of its left operand,
/// which are positions then, or over its columns, K-major.
static bool isWgrad(linalg::LinalgOp op, ScheduleAttr schedule) {
  if (schedule.getKMajor())
    return true;
  AffineMap left = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  AffineMap sums = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  return !sums.isFunctionOfDim(left.getDimPosition(0));
}

/// Whether dy beside this x is transposed apart.
static bool isDyApart(Im2colOp dy, linalg::LinalgOp op, ScheduleAttr schedule) {
  auto x = op.getDpsInputOperand(1)->get().getDefiningOp<Im2colOp>();
  if (!schedule.getWindow() || !x ||
      (!x.getChannelsFirst() && !getChannelsFirstSource(x.getSource())))
    return false;
  convmlir::MatrixView view = x.getView().getMatrixView(x.getTensorShape());
  auto taps = convmlir::getTapBox(view.taps, view.spatialRank,
                                  schedule.getTile()[1] /
                                      convmlir::getLineChannels(view.channels));
  return taps &&
         transposesDyApart(dy.getView().getMatrixView(dy.getTensorShape()),
                           view, *taps, schedule.getTile()[2]);
}

/// Whether what reads the matrix is a contraction whose kernel gathers it. The
/// right operand is the filter, but for wgrad.
static bool isGathered(OpOperand &use) {
  auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
  auto schedule = use.getOwner()->getAttrOfType<ScheduleAttr>(
      ScheduleAttr::attributeName());
  if (!op || !schedule || !schedule.getGather())
    return false;
  if (!isWgrad(op, schedule))
    return use.getOperandNumber() == 0;
  auto copy = use.get().getDefiningOp<Im2colOp>();
  return use.getOperandNumber() > 0 || !isDyApart(copy, op, schedule);
}

namespace {
struct ConvFuseInputTransposition
    : public conv::impl::ConvFuseInputTranspositionBase<
          ConvFuseInputTransposition> {
  void runOnOperation() override {
    getOperation().walk([](Im2colOp op) {
      Value source = getChannelsFirstSource(op.getSource());
      if (source && !op.getChannelsFirst() && !op.getDest())
        visit(op, source);
    });
  }

private:
  static void visit(Im2colOp op, Value source) {
    if (!llvm::all_of(op->getUses(), isGathered)) {
      emitNamedRemark(
          op, RemarkId::InputTranspositionApart,
          "a kernel of its own transposes it: the schedule does not "
          "gather this operand");
      return;
    }
    emitNamedRemark(op, RemarkId::InputTranspositionFused,
                    "read with its channels first");
    op.getSourceMutable().assign(source);
    op.setChannelsFirst(true);
  }
};
} // namespace
