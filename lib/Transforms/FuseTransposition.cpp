//===- FuseTransposition.cpp - results with channels first ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  F2, a conv.scatter of a whole result and a transposition of that.
// Output: one conv.scatter with channels_first.
//
// This is worth it where the kernel finds neighbours in memory among the rows
// of a tile that it stages in shared memory. What decides about staging is
// known later; a tile that is not staged is written element by element.
//
//===----------------------------------------------------------------------===//

#include "StridePhases.h"
#include "conv/Dialect/Conv/IR/ScatterChain.h"
#include "conv/Transforms/OperationPasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <numeric>

namespace mlir::conv {
#define GEN_PASS_DEF_CONVFUSETRANSPOSITION
#include "conv/Transforms/OperationPasses.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// Whether the last dimension becomes the second one.
static bool makesChannelsFirst(linalg::TransposeOp op) {
  ArrayRef<int64_t> permutation = op.getPermutation();
  int64_t rank = permutation.size();
  if (rank < 3 || permutation[0] != 0 || permutation[1] != rank - 1)
    return false;
  for (int64_t dim = 2; dim < rank; ++dim)
    if (permutation[dim] != dim - 1)
      return false;
  return true;
}

/// Whether a kernel makes `value`, and not parts of it.
static bool isMadeByOneKernel(Value value) {
  linalg::LinalgOp contraction = findContraction(value);
  if (!contraction)
    return false;
  auto schedule =
      contraction->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
  return schedule.getAlgorithm() == Algorithm::ImplicitGemm &&
         schedule.getSplit() == 1;
}

/// Rows of the matrix that are neighbours in memory, from multiples of their
/// number on.
static int64_t getNeighbours(ScatterOp scatter) {
  ViewAttr view = scatter.getView();
  SmallVector<int64_t> shape = scatter.getTensorShape();
  if (view.getStride().back() != 1 || view.getOffset().back() != 0)
    return 1;
  int64_t run = 1;
  for (int64_t dim = view.getSpatialRank(); dim-- > 0;) {
    int64_t extent = shape[dim + 1], rows = view.getRows()[dim];
    run *= std::gcd(extent, rows);
    if (rows != extent || view.getStride()[dim] != 1 ||
        view.getOffset()[dim] != 0)
      break;
  }
  return run & -run;
}

static bool canFuse(linalg::TransposeOp op, ScatterOp scatter) {
  constexpr int64_t leastBits = 64; // Of one store.
  return makesChannelsFirst(op) && scatter && scatter.getResult() &&
         scatter->hasOneUse() && !scatter.getChannelsFirst() &&
         scatter.getView().getRowGroups() == 1 &&
         scatter.getView().getNumTaps() == 1 &&
         getScatterChain(scatter).size() == 1 && coversDestination({scatter}) &&
         isMadeByOneKernel(scatter.getValue()) &&
         getNeighbours(scatter) *
                 scatter.getDestType().getElementTypeBitWidth() >=
             leastBits;
}

namespace {
struct ConvFuseTransposition
    : public conv::impl::ConvFuseTranspositionBase<ConvFuseTransposition> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::TransposeOp> ops;
    getOperation().walk([&](linalg::TransposeOp op) { ops.push_back(op); });
    for (linalg::TransposeOp op : ops) {
      auto scatter = op.getInput().getDefiningOp<ScatterOp>();
      if (!canFuse(op, scatter))
        continue;
      rewriter.setInsertionPoint(op);
      auto fused = ScatterOp::create(
          rewriter, scatter.getLoc(), op->getResultTypes(), scatter.getValue(),
          op.getInit(), /*offsets=*/ValueRange(), scatter.getView());
      fused.setChannelsFirst(true);
      rewriter.replaceOp(op, fused.getResult());
      rewriter.eraseOp(scatter);
    }
  }
};
} // namespace
