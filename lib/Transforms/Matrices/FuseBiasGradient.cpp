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

#include "conv/Dialect/Conv/IR/Remarks.h"
#include "conv/Dialect/Conv/IR/ScatterChain.h"
#include "conv/Schedule/Shape/RowSumForm.h"
#include "conv/Transforms/Matrices/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

namespace mlir::conv {
#define GEN_PASS_DEF_CONVFUSEBIASGRADIENT
#include "conv/Transforms/Matrices/Passes.h.inc"
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
  Operation *add = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(add))
    return false;
  Value sum = body.getArgument(1), element = add->getOperand(0);
  if (element == sum)
    element = add->getOperand(1);
  else if (add->getOperand(1) != sum)
    return false;
  if (Operation *widen = element.getDefiningOp();
      isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp>(widen))
    element = widen->getOperand(0);
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

/// A sum like another one over all dimensions of `input` but those that are
/// kept, whose loops come first.
static Value emitSum(IRRewriter &rewriter, linalg::GenericOp like, Value input,
                     ArrayRef<unsigned> kept) {
  Location loc = like.getLoc();
  auto type = cast<RankedTensorType>(input.getType());
  Type element = getElementTypeOrSelf(like.getResult(0).getType());
  unsigned rank = type.getRank();
  SmallVector<AffineExpr> elements(rank), sums;
  SmallVector<int64_t> shape;
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::reduction);
  unsigned loop = 0;
  for (unsigned dim : kept) {
    shape.push_back(type.getDimSize(dim));
    iterators[loop] = utils::IteratorType::parallel;
    sums.push_back(elements[dim] = rewriter.getAffineDimExpr(loop++));
  }
  for (AffineExpr &expr : elements)
    if (!expr)
      expr = rewriter.getAffineDimExpr(loop++);
  Value zero =
      arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(element));
  Value empty = tensor::EmptyOp::create(rewriter, loc, shape, element);
  Value zeros = linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
  auto sum = linalg::GenericOp::create(
      rewriter, loc, zeros.getType(), input, zeros,
      AffineMap::inferFromExprList({elements, sums}, rewriter.getContext()),
      iterators);
  rewriter.cloneRegionBefore(like.getRegion(), sum.getRegion(),
                             sum.getRegion().end());
  return sum.getResult(0);
}

/// The sum over the rows of the matrix: (k, m) -> (m, k), (k); with groups
/// (g, k, m) -> (m, g, k), (g, k). Of images with channels first, over all but
/// the rows: (k, n, p) -> (n, k, p), (k).
static Value emitRowSum(IRRewriter &rewriter, ChannelSum sum, Im2colOp matrix,
                        bool isChannelsFirst) {
  unsigned rank = matrix.getMatrixType().getRank();
  SmallVector<unsigned> kept;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (isChannelsFirst ? dim + 2 == rank : dim > 0)
      kept.push_back(dim);
  Value rows = emitSum(rewriter, sum.op, matrix.getResult(), kept);
  if (kept.size() == 1)
    return rows;
  return tensor::CollapseShapeOp::create(
      rewriter, sum.op.getLoc(), sum.op.getResult(0).getType(), rows,
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
  emitNamedRemark(sum.op, RemarkId::BiasGradientFused,
                  "part of the kernel of wgrad");
  rewriter.setInsertionPointAfter(scatter);
  rewriter.replaceOp(
      sum.op, emitRowSum(rewriter, sum, matrix, reducesColumns(contraction)));
  return "";
}

//===----------------------------------------------------------------------===//
// Sums that stay apart
//===----------------------------------------------------------------------===//

/// So many first sums that these and the sums of them take as long: 32 lanes
/// add the latter. A divisor of `positions`; 1 where there are too few.
static int64_t chooseFirstSums(int64_t positions) {
  constexpr int64_t lanes = 32, fewPositions = 4096;
  if (positions < fewPositions)
    return 1;
  int64_t most = std::sqrt(double(lanes * positions));
  while (positions % most != 0)
    --most;
  return most;
}

/// The sum of first sums, in the type of sums.
static Value emitSecondSum(IRRewriter &rewriter, linalg::GenericOp like,
                           Value sums, unsigned kept) {
  Value made = emitSum(rewriter, like, sums, kept);
  auto generic = made.getDefiningOp<linalg::GenericOp>();
  // The body for elements that need not be widened.
  Block &body = *generic.getBody();
  BlockArgument element = body.getArgument(0);
  Type type = body.getArgument(1).getType();
  element.setType(type);
  for (Operation *user : llvm::make_early_inc_range(element.getUsers()))
    if (isa<arith::ExtFOp, arith::ExtSIOp>(user))
      rewriter.replaceOp(user, element);
  return made;
}

/// Of many positions, sums of parts of them, and the sum of these: one thread
/// would add all positions of a channel. Channels last: of equal parts of the
/// positions; second: of images.
static void sumInTwoSteps(IRRewriter &rewriter, ChannelSum sum) {
  auto type = cast<RankedTensorType>(sum.tensor.getType());
  int64_t rank = type.getRank(), channels = type.getDimSize(sum.channelDim);
  int64_t positions = type.getNumElements() / std::max<int64_t>(channels, 1);
  bool isLast = sum.channelDim == rank - 1, isSecond = sum.channelDim == 1;
  int64_t first = isLast     ? chooseFirstSums(positions)
                  : isSecond ? type.getDimSize(0)
                             : 1;
  if (first == 1 || rank < 3 || chooseFirstSums(positions) == 1)
    return;
  rewriter.setInsertionPoint(sum.op);
  Location loc = sum.op.getLoc();
  ReassociationIndices others = llvm::to_vector(
      llvm::seq<int64_t>(isLast ? 0 : 2, isLast ? rank - 1 : rank));
  SmallVector<ReassociationIndices> dims;
  if (isLast)
    dims = {others, {rank - 1}};
  else
    dims = {{0}, {1}, others};
  Value input =
      tensor::CollapseShapeOp::create(rewriter, loc, sum.tensor, dims);
  if (isLast)
    input = tensor::ExpandShapeOp::create(
        rewriter, loc, type.clone({first, positions / first, channels}), input,
        ArrayRef<ReassociationIndices>{{0, 1}, {2}});
  unsigned channelDim = isLast ? 2 : 1;
  Value sums = emitSum(rewriter, sum.op, input, {0, channelDim});
  rewriter.replaceOp(sum.op, emitSecondSum(rewriter, sum.op, sums, /*kept=*/1));
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
      if (sum.tensor.hasOneUse()) { // No convolution reads it.
        sumInTwoSteps(rewriter, sum);
        continue;
      }
      std::string why = "no kernel reduces rows of positions of its tensor";
      for (linalg::LinalgOp contraction : contractions) {
        Im2colOp matrix = getReducedRows(contraction);
        if (matrix && readsTensorOf(matrix, reducesColumns(contraction), sum)) {
          why = fuse(rewriter, sum, contraction, matrix);
          break;
        }
      }
      if (why.empty())
        continue;
      emitImportantRemark(sum.op, RemarkId::BiasGradientApart,
                          "the sum over all but channels has a kernel of its "
                          "own: " +
                              why);
      sumInTwoSteps(rewriter, sum);
    }
  }
};
} // namespace
