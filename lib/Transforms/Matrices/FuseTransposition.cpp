//===- FuseTransposition.cpp - results with channels first ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  F2, the conv.scatter of a result, or those of its stride phases, and
//         a transposition of that.
// Output: the same conv.scatter with channels_first. Where all phases but one
//         are zeros, one, with zero_fill: neighbours leave together.
//
// The kernel stages the rows of a tile in shared memory, so that lanes store
// neighbouring positions. Phases write each sector in part, which takes longer
// than a transposition unless products take as long.
// What decides about staging is known later; a tile that is not staged is
// written element by element.
//
//===----------------------------------------------------------------------===//

#include "StridePhases.h"
#include "ZeroPhases.h"
#include "conv/Dialect/Conv/IR/Remarks.h"
#include "conv/Dialect/Conv/IR/ScatterChain.h"
#include "conv/Schedule/Forms/PhasePairs.h"
#include "conv/Schedule/Shape/ChannelsFirstResult.h"
#include "conv/Transforms/Matrices/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVFUSETRANSPOSITION
#include "conv/Transforms/Matrices/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// The scatter that zeros are stored with.
static ScatterOp findCells(ArrayRef<ScatterOp> chain) {
  ScatterOp found = findAmongZeros(chain);
  if (found &&
      llvm::product_of(found.getView().getStride(), int64_t(1)) > kMostOfCell)
    return nullptr;
  return found;
}

/// Products of a phase for each element that it scatters.
static double countProducts(ScatterOp scatter) {
  auto extents = getReductionExtents(scatter);
  return extents ? llvm::product_of(*extents, 1.0) : 0;
}

/// Sectors that are written in part, of an element, where the kernel of these
/// phases stores whole lines. Nothing where it does not.
static std::optional<double> getPartialSectors(ArrayRef<ScatterOp> chain) {
  linalg::LinalgOp contraction;
  for (ScatterOp scatter : chain)
    if (linalg::LinalgOp found = findContraction(scatter.getValue()))
      contraction = found;
  if (!contraction)
    return std::nullopt;
  auto pairs = findPhasePairs(
      contraction->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName()),
      chain, getElementTypeOrSelf(contraction->getOperand(0).getType()));
  if (!pairs)
    return std::nullopt;
  return countPartialSectorsOfLines(pairs->line);
}

/// Whether all phases are stored faster than a transposition would take. Beside
/// zeros neighbours leave together, and so do pairs of columns.
static bool isWorthStoring(ArrayRef<ScatterOp> chain) {
  ScatterOp alone = findCells(chain);
  double elements = 0, products = 0;
  int64_t factorBytes = 0;
  for (ScatterOp scatter : chain) {
    double number = scatter.getValueType().getNumElements();
    elements += number;
    products += number * countProducts(scatter);
    if (linalg::LinalgOp contraction = findContraction(scatter.getValue()))
      factorBytes = getElementTypeOrSelf(contraction->getOperand(0).getType())
                        .getIntOrFloatBitWidth() /
                    8;
  }
  double cycles =
      elements > 0 ? getProductCycles(products / elements, factorBytes) : 0;
  std::optional<double> partial = getPartialSectors(chain);
  return llvm::all_of(chain, [&](ScatterOp scatter) {
    ViewAttr view = scatter.getView();
    int64_t neighbours =
        getNeighbouringRows(view.getMatrixView(scatter.getTensorShape()));
    return isWorthStoring({neighbours, alone ? 1 : view.getStride().back(),
                           scatter.getDestType().getElementTypeBitWidth() / 8,
                           cycles, partial});
  });
}

/// Why kernels cannot store what is scattered with its channels first, whatever
/// it takes; empty where they can.
static std::string whyNotStored(ScatterOp scatter) {
  if (!scatter.getResult() || !scatter->hasOneUse())
    return "something else reads the result of the convolution";
  if (scatter.getChannelsFirst())
    return "the result has its channels first";
  if (scatter.getView().getRowGroups() != 1 ||
      scatter.getView().getNumTaps() != 1)
    return "rows of the result have several groups or taps";
  return "";
}

/// Why the transposition is no part of the convolution's kernel; empty where it
/// can be.
static std::string whyApart(linalg::TransposeOp op, ArrayRef<ScatterOp> chain) {
  if (!makesChannelsFirst(op))
    return "it does not put the channels first";
  for (ScatterOp scatter : chain)
    if (std::string why = whyNotStored(scatter); !why.empty())
      return why;
  if (!coversDestination(chain))
    return "the convolution writes a part of it";
  if (!isMadeByOneKernel(chain))
    return "no kernel makes it alone: it is added up of parts";
  return isWorthStoring(chain) ? ""
                               : "neighbours in memory are too few: a kernel "
                                 "that transposes takes less time";
}

/// `scatter`, into what `op` would write.
static ScatterOp scatterInto(RewriterBase &rewriter, linalg::TransposeOp op,
                             ScatterOp scatter, Value dest) {
  auto fused = ScatterOp::create(rewriter, scatter.getLoc(),
                                 op->getResultTypes(), scatter.getValue(), dest,
                                 /*offsets=*/ValueRange(), scatter.getView());
  fused.setChannelsFirst(true);
  return fused;
}

/// The chain; phases of zeros go with the one that lies between them.
static void fuse(RewriterBase &rewriter, linalg::TransposeOp op,
                 ArrayRef<ScatterOp> chain) {
  rewriter.setInsertionPoint(op);
  Value dest = op.getInit();
  if (ScatterOp alone = findCells(chain)) {
    ScatterOp fused = scatterInto(rewriter, op, alone, dest);
    fused.setZeroFill(true);
    dest = fused.getResult();
  } else {
    for (ScatterOp scatter : chain)
      dest = scatterInto(rewriter, op, scatter, dest).getResult();
  }
  rewriter.replaceOp(op, dest);
  for (ScatterOp scatter : llvm::reverse(chain))
    rewriter.eraseOp(scatter);
}

namespace {
struct ConvFuseTransposition
    : public conv::impl::ConvFuseTranspositionBase<ConvFuseTransposition> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::TransposeOp> ops;
    getOperation().walk([&](linalg::TransposeOp op) { ops.push_back(op); });
    for (linalg::TransposeOp op : ops) {
      auto last = op.getInput().getDefiningOp<ScatterOp>();
      if (!last)
        continue;
      SmallVector<ScatterOp> chain = getScatterChain(last);
      std::string why = whyApart(op, chain);
      explain(op, why);
      if (why.empty())
        fuse(rewriter, op, chain);
    }
  }

private:
  static void explain(linalg::TransposeOp op, StringRef whyApart) {
    if (whyApart.empty())
      emitNamedRemark(op, RemarkId::TranspositionFused,
                      "part of the kernel that makes the result");
    else
      emitNamedRemark(op, RemarkId::TranspositionApart,
                      "a kernel of its own: " + whyApart);
  }
};
} // namespace
