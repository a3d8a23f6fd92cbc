//===- FuseBiasGradient.cpp - the sum of dy beside wgrad ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  F2, a sum of a tensor over all dimensions but its channels, and a
//         contraction that reduces the rows of a matrix of the same tensor.
// Output: the sum over the rows of this matrix.
//
// Both results are made at the place of the scatter of the contraction's. What
// uses the sum in front of that moves behind it.
//
//===----------------------------------------------------------------------===//

#include "BiasGradient.h"
#include "conv/Dialect/Conv/IR/ScatterChain.h"
#include "conv/Transforms/OperationPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVFUSEBIASGRADIENT
#include "conv/Transforms/OperationPasses.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

namespace {
/// A sum over everything but the channels.
struct ChannelSum {
  linalg::GenericOp op;
  Value tensor;
  int64_t channelDim; ///< Of the tensor.
};
} // namespace

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

static bool isZeroFill(Value value) {
  auto fill = value.getDefiningOp<linalg::FillOp>();
  return fill && (matchPattern(fill.value(), m_AnyZeroFloat()) ||
                  matchPattern(fill.value(), m_Zero()));
}

/// Whether the body is { out + in }, where the input may be widened.
static bool addsInput(linalg::GenericOp op) {
  Block &body = *op.getBody();
  Value yielded = body.getTerminator()->getOperand(0);
  auto add = yielded.getDefiningOp<arith::AddFOp>();
  if (!add)
    return false;
  Value sum = body.getArgument(1), element = add.getLhs();
  if (element == sum)
    element = add.getRhs();
  else if (add.getRhs() != sum)
    return false;
  if (auto widen = element.getDefiningOp<arith::ExtFOp>())
    element = widen.getIn();
  return element == body.getArgument(0);
}

static std::optional<ChannelSum> matchChannelSum(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != 1 || op.getNumReductionLoops() < 1 ||
      !isa<RankedTensorType>(op.getResult(0).getType()) ||
      !isZeroFill(op.getDpsInits()[0]) || !addsInput(op))
    return std::nullopt;
  AffineMap input = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!input.isPermutation() || result.getNumResults() != 1)
    return std::nullopt;
  std::optional<unsigned> dim = input.getResultPosition(result.getResult(0));
  if (!dim)
    return std::nullopt;
  return ChannelSum{op, op.getDpsInputs()[0], *dim};
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// The tensor that `value` has in another order or shape of the spatial
/// dimensions, and where it has dimension `dim` of that; its own if there is
/// none.
static std::pair<Value, int64_t> getOrigin(Value value, int64_t dim) {
  if (auto transposed = value.getDefiningOp<linalg::TransposeOp>())
    return {transposed.getInput(), transposed.getPermutation()[dim]};
  auto collapsed = value.getDefiningOp<tensor::CollapseShapeOp>();
  if (!collapsed)
    return {value, dim};
  ReassociationIndices dims = collapsed.getReassociationIndices()[dim];
  return dims.size() == 1 ? std::pair(collapsed.getSrc(), dims.front())
                          : std::pair(value, dim);
}

/// Whether `matrix` has the channels of the tensor that is summed, or of
/// another form of it, where the sum has them.
static bool readsTensorOf(Im2colOp matrix, bool isChannelsFirst,
                          ChannelSum sum) {
  int64_t dim = isChannelsFirst ? 1 : matrix.getSourceType().getRank() - 1;
  return getOrigin(matrix.getSource(), dim) ==
             std::pair(sum.tensor, sum.channelDim) ||
         (matrix.getSource() == sum.tensor && dim == sum.channelDim);
}

/// The scatter that writes all of the contraction's result; null where there is
/// none, or one for each of several stride phases.
static ScatterOp findScatter(linalg::LinalgOp contraction) {
  Value value = contraction->getResult(0);
  while (value.hasOneUse()) {
    Operation *user = *value.user_begin();
    auto scatter = dyn_cast<ScatterOp>(user);
    if (!scatter && !isa<linalg::GenericOp>(user))
      return nullptr;
    if (!scatter) {
      value = user->getResult(0);
      continue;
    }
    bool isInChain = getScatterChain(scatter).size() > 1 ||
                     llvm::any_of(scatter->getUsers(), [](Operation *next) {
                       return isa<ScatterOp>(next);
                     });
    return isInChain ? nullptr : scatter;
  }
  return nullptr;
}

/// Moves what uses the sum in front of `scatter` behind it. Fails where the
/// scatter itself is among that.
static LogicalResult moveUsersBehind(linalg::GenericOp sum, ScatterOp scatter) {
  if (sum->getBlock() != scatter->getBlock())
    return failure();
  SetVector<Operation *> users;
  for (Operation *op = sum->getNextNode(); op; op = op->getNextNode()) {
    bool isUser = llvm::any_of(op->getOperands(), [&](Value operand) {
      Operation *producer = operand.getDefiningOp();
      return producer && (producer == sum || users.contains(producer));
    });
    if (op == scatter) {
      if (isUser)
        return failure();
      break;
    }
    if (isUser)
      users.insert(op);
  }
  if (!sum->isBeforeInBlock(scatter))
    return success();
  for (Operation *user : llvm::reverse(users))
    user->moveAfter(scatter);
  return success();
}

//===----------------------------------------------------------------------===//
// Fusion
//===----------------------------------------------------------------------===//

/// The sum over the rows of the matrix: (k, m) -> (m, k), (k); with groups
/// (g, k, m) -> (m, g, k), (g, k). Of images with channels first, over all but
/// the rows: (k, n, p) -> (n, k, p), (k).
static Value emitRowSum(IRRewriter &rewriter, ChannelSum sum, Im2colOp matrix,
                        bool isChannelsFirst) {
  Location loc = sum.op.getLoc();
  ArrayRef<int64_t> shape = matrix.getMatrixType().getShape();
  unsigned rank = shape.size();
  SmallVector<unsigned> kept;
  SmallVector<int64_t> keptShape;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (isChannelsFirst ? dim + 2 == rank : dim > 0) {
      kept.push_back(dim);
      keptShape.push_back(shape[dim]);
    }
  // Loops of dimensions that are kept come first.
  SmallVector<AffineExpr> elements, sums;
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::reduction);
  unsigned nextKept = 0, nextReduced = kept.size();
  for (unsigned dim = 0; dim < rank; ++dim) {
    bool isKept = llvm::is_contained(kept, dim);
    unsigned loop = isKept ? nextKept++ : nextReduced++;
    elements.push_back(rewriter.getAffineDimExpr(loop));
    if (!isKept)
      continue;
    sums.push_back(elements.back());
    iterators[loop] = utils::IteratorType::parallel;
  }
  auto type = cast<RankedTensorType>(sum.op.getResult(0).getType());
  Type element = type.getElementType();
  Value zero =
      arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(element));
  Value empty = tensor::EmptyOp::create(rewriter, loc, keptShape, element);
  Value zeros = linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
  auto rows = linalg::GenericOp::create(
      rewriter, loc, zeros.getType(), matrix.getResult(), zeros,
      AffineMap::inferFromExprList({elements, sums}, rewriter.getContext()),
      iterators);
  rewriter.cloneRegionBefore(sum.op.getRegion(), rows.getRegion(),
                             rows.getRegion().end());
  if (kept.size() == 1)
    return rows.getResult(0);
  return tensor::CollapseShapeOp::create(
      rewriter, loc, type, rows.getResult(0),
      ArrayRef<ReassociationIndices>{{0, 1}});
}

/// Why the sum is not part of the contraction's kernel; empty if it is now.
static std::string fuse(IRRewriter &rewriter, ChannelSum sum,
                        linalg::LinalgOp contraction, Im2colOp matrix) {
  if (std::string why = whyApart(contraction, matrix); !why.empty())
    return why;
  if (findRowSum(contraction))
    return "the kernel that reads its tensor has a sum of it";
  ScatterOp scatter = findScatter(contraction);
  if (!scatter)
    return "no kernel reads its tensor once: there are several, or phases";
  if (failed(moveUsersBehind(sum.op, scatter)))
    return "what the other result is made of needs it";
  rewriter.setInsertionPointAfter(scatter);
  rewriter.replaceOp(
      sum.op, emitRowSum(rewriter, sum, matrix, reducesColumns(contraction)));
  return "";
}

namespace {
struct ConvFuseBiasGradient
    : public conv::impl::ConvFuseBiasGradientBase<ConvFuseBiasGradient> {
  void runOnOperation() override {
    SmallVector<ChannelSum> sums;
    SmallVector<linalg::LinalgOp> contractions;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (op->hasAttr(ScheduleAttr::attributeName()))
        contractions.push_back(op);
      else if (auto generic = dyn_cast<linalg::GenericOp>(*op))
        if (std::optional<ChannelSum> sum = matchChannelSum(generic))
          sums.push_back(*sum);
    });
    IRRewriter rewriter(&getContext());
    for (ChannelSum sum : sums) {
      if (sum.tensor.hasOneUse())
        continue; // No convolution reads it.
      std::string why = "no kernel reduces rows of positions of its tensor";
      for (linalg::LinalgOp contraction : contractions) {
        Im2colOp matrix = getReducedRows(contraction);
        if (matrix && readsTensorOf(matrix, reducesColumns(contraction), sum)) {
          why = fuse(rewriter, sum, contraction, matrix);
          break;
        }
      }
      if (!why.empty())
        sum.op.emitRemark() << "the sum over all but channels has a kernel of "
                               "its own: "
                            << why;
    }
  }
};
} // namespace
