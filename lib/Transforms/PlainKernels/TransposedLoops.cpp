//===- TransposedLoops.cpp - transpositions in whole sectors --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransposedLoops.h"
#include "PlainKernels.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace mlir::conv;

std::optional<unsigned> conv::getTransposedLoop(linalg::LinalgOp op) {
  if (!llvm::all_of(op.getIndexingMapsArray(), isPermutedSlice))
    return std::nullopt;
  unsigned last = op.getNumLoops() - 1;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (map.getNumResults() < 2 || !map.isFunctionOfDim(last))
      continue;
    // The last index that is a loop's: elements of a slice lie along it, at a
    // distance.
    auto index = llvm::find_if(llvm::reverse(map.getResults()),
                               llvm::IsaPred<AffineDimExpr>);
    if (unsigned dim = cast<AffineDimExpr>(*index).getPosition(); dim != last)
      return dim;
  }
  return std::nullopt;
}

/// The divisor of `value` that is nearest to `wanted`, and at most twice that.
static int64_t getDivisorNear(int64_t value, int64_t wanted) {
  auto distance = [&](int64_t divisor) {
    return divisor > wanted ? double(divisor) / wanted
                            : double(wanted) / divisor;
  };
  int64_t best = 1;
  for (int64_t divisor = 2; divisor <= std::min(value, 2 * wanted); ++divisor)
    if (value % divisor == 0 && distance(divisor) < distance(best))
      best = divisor;
  return best;
}

scf::ForallOp conv::splitIndices(RewriterBase &rewriter, scf::ForallOp loop,
                                 ArrayRef<SplitIndex> splits) {
  Location loc = loop.getLoc();
  SmallVector<int64_t> counts, steps;
  for (auto [upper, step] :
       llvm::zip_equal(loop.getStaticUpperBound(), loop.getStaticStep())) {
    counts.push_back(upper / step);
    steps.push_back(step);
  }
  if (counts.size() + splits.size() > kMaxPlainRank)
    return loop;
  // Where indices of the loop, and those that are new, are in the new one.
  size_t rank = counts.size();
  SmallVector<size_t> places(rank), newPlaces(splits.size());
  SmallVector<int64_t> newCounts;
  for (size_t place = 0; place <= rank; ++place) {
    for (auto [i, split] : llvm::enumerate(splits))
      if (split.place.value_or(rank) == place) {
        newPlaces[i] = newCounts.size();
        newCounts.push_back(split.inner);
      }
    if (place == rank)
      break;
    places[place] = newCounts.size();
    newCounts.push_back(counts[place]);
  }
  for (SplitIndex split : splits)
    newCounts[places[split.index]] /= split.inner;
  rewriter.setInsertionPoint(loop);
  SmallVector<Attribute> mapping =
      getPlainMapping(rewriter.getContext(), newCounts.size());
  auto blocks = scf::ForallOp::create(
      rewriter, loc, getAsIndexOpFoldResult(rewriter.getContext(), newCounts),
      loop.getOutputs(), rewriter.getArrayAttr(mapping));
  rewriter.eraseOp(blocks.getTerminator());
  rewriter.setInsertionPointToStart(blocks.getBody());
  SmallVector<Value> indices(blocks.getInductionVars()), arguments;
  AffineExpr outer, inner;
  bindDims(rewriter.getContext(), outer, inner);
  for (auto [dim, step] : llvm::enumerate(steps)) {
    AffineExpr index = outer * step;
    SmallVector<OpFoldResult> operands = {indices[places[dim]]};
    for (auto [i, split] : llvm::enumerate(splits))
      if (split.index == dim) {
        index = (outer * split.inner + inner) * step;
        operands.push_back(indices[newPlaces[i]]);
      }
    arguments.push_back(getValueOrCreateConstantIndexOp(
        rewriter, loc,
        affine::makeComposedFoldedAffineApply(rewriter, loc, index, operands)));
  }
  llvm::append_range(arguments, blocks.getRegionIterArgs());
  rewriter.mergeBlocks(loop.getBody(), blocks.getBody(), arguments);
  rewriter.replaceOp(loop, blocks.getResults());
  return blocks;
}

scf::ForallOp conv::interleaveLanes(RewriterBase &rewriter, scf::ForallOp loop,
                                    unsigned across, int64_t lanesAcross) {
  constexpr int64_t lanes = 32, leastAlongLast = 2;
  unsigned last = loop.getRank() - 1;
  auto count = [&](unsigned dim) {
    return loop.getStaticUpperBound()[dim] / loop.getStaticStep()[dim];
  };
  int64_t alongOther = getDivisorNear(count(across), lanesAcross);
  int64_t alongLast =
      getDivisorNear(count(last), std::max(lanes / alongOther, leastAlongLast));
  return splitIndices(rewriter, loop,
                      {{across, alongOther}, {last, alongLast}});
}
