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
// Output: the same conv.scatter with channels_first.
//
// The kernel stages the rows of a tile in shared memory, so that lanes store
// neighbouring positions. Where these are no multiple of 8 bytes in memory they
// are stored one by one, which is worth it for elements of 16 bits and more.
// What decides about staging is known later; a tile that is not staged is
// written element by element.
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

/// Whether a kernel makes what the chain scatters, and not parts of it: phases
/// that no tap reaches are filled.
static bool isMadeByOneKernel(ArrayRef<ScatterOp> chain) {
  bool isMade = false;
  for (ScatterOp scatter : chain) {
    linalg::LinalgOp contraction = findContraction(scatter.getValue());
    if (!contraction)
      continue;
    auto schedule =
        contraction->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
    if (schedule.getAlgorithm() != Algorithm::ImplicitGemm ||
        schedule.getSplit() != 1)
      return false;
    isMade = true;
  }
  return isMade;
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

/// Whether lanes that store neighbours of a row write enough of each sector.
static bool fillsSectors(ScatterOp scatter) {
  constexpr int64_t leastBits = 64, leastElementBits = 16;
  int64_t bits = scatter.getDestType().getElementTypeBitWidth();
  return bits >= leastElementBits || getNeighbours(scatter) * bits >= leastBits;
}

static bool canFuse(linalg::TransposeOp op, ArrayRef<ScatterOp> chain) {
  return makesChannelsFirst(op) &&
         llvm::all_of(chain,
                      [](ScatterOp scatter) {
                        return scatter.getResult() && scatter->hasOneUse() &&
                               !scatter.getChannelsFirst() &&
                               scatter.getView().getRowGroups() == 1 &&
                               scatter.getView().getNumTaps() == 1 &&
                               fillsSectors(scatter);
                      }) &&
         coversDestination(chain) && isMadeByOneKernel(chain);
}

/// The chain, into what `op` would write.
static void fuse(RewriterBase &rewriter, linalg::TransposeOp op,
                 ArrayRef<ScatterOp> chain) {
  rewriter.setInsertionPoint(op);
  Value dest = op.getInit();
  for (ScatterOp scatter : chain) {
    auto fused = ScatterOp::create(
        rewriter, scatter.getLoc(), op->getResultTypes(), scatter.getValue(),
        dest, /*offsets=*/ValueRange(), scatter.getView());
    fused.setChannelsFirst(true);
    dest = fused.getResult();
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
      if (canFuse(op, chain))
        fuse(rewriter, op, chain);
    }
  }
};
} // namespace
