//===- SumOfProducts.cpp - the loops of a sum of products -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the indexing maps of a linalg operation. Output: its SumOfProducts.
//
//===----------------------------------------------------------------------===//

#include "SumOfProducts.h"
#include "conv/Dialect/Conv/IR/LinearIndex.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::Error;
using convmlir::Result;
using convmlir::Status;

namespace {
/// An index: the sum of the loops, each times its step, and the constant.
struct LinearIndex {
  SmallVector<std::pair<unsigned, int64_t>, 2> terms;
  int64_t constant = 0;

  bool isLoop() const {
    return terms.size() == 1 && terms.front().second == 1 && constant == 0;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

static std::optional<LinearIndex> readIndex(AffineExpr expr, unsigned loops) {
  std::optional<SmallVector<int64_t>> factors = getFactors(expr, loops);
  if (!factors)
    return std::nullopt;
  LinearIndex index;
  index.constant = factors->back();
  for (unsigned loop = 0; loop < loops; ++loop)
    if ((*factors)[loop] != 0)
      index.terms.emplace_back(loop, (*factors)[loop]);
  return index;
}

static std::string toText(AffineExpr expr) {
  std::string text;
  llvm::raw_string_ostream(text) << expr;
  return text;
}

static std::string nameOf(unsigned loop) { return "d" + std::to_string(loop); }

bool conv::hasWindows(linalg::LinalgOp op) {
  bool hasWindow = false;
  for (AffineMap map : op.getIndexingMapsArray())
    for (AffineExpr expr : map.getResults()) {
      std::optional<LinearIndex> index = readIndex(expr, map.getNumDims());
      if (!index || index->terms.empty())
        return false;
      hasWindow |= !index->isLoop();
    }
  return hasWindow;
}

//===----------------------------------------------------------------------===//
// The operation
//===----------------------------------------------------------------------===//

bool SumOfProducts::hasLoop(unsigned operand, unsigned loop) const {
  return llvm::is_contained(loops[operand], std::optional<unsigned>(loop));
}

/// The indices of one operand.
static Result<SmallVector<LinearIndex>> readIndices(AffineMap map) {
  SmallVector<LinearIndex> indices;
  for (AffineExpr expr : map.getResults()) {
    std::optional<LinearIndex> index = readIndex(expr, map.getNumDims());
    if (!index || index->terms.empty() || index->terms.size() > 2)
      return Error{"the index '" + toText(expr) +
                   "' is not the sum of one or two loops, each times a "
                   "constant"};
    indices.push_back(*index);
  }
  return indices;
}

/// Files the terms of a window by the operand that each indexes.
static Result<SlidingDim> readWindow(const SumOfProducts &sum,
                                     const LinearIndex &index, int64_t dim) {
  SlidingDim window;
  window.dim = dim;
  window.constant = index.constant;
  for (auto [loop, step] : index.terms) {
    SmallVector<unsigned, 2> found;
    for (unsigned operand : {0u, 1u, 2u})
      if (operand != sum.wide && sum.hasLoop(operand, loop))
        found.push_back(operand);
    if (found.size() != 1 || window.loops[found.front()] ||
        sum.hasLoop(sum.wide, loop))
      return Error{"a window has the loop " + nameOf(loop) +
                   ", which does not index one of the two other tensors; in a "
                   "convolution one of its loops is a position of the result, "
                   "and one a tap of the filter"};
    window.loops[found.front()] = loop;
    window.steps[found.front()] = step;
  }
  return window;
}

/// Each loop indexes an operand once, and two or all three of them.
static Status checkLoops(const SumOfProducts &sum) {
  for (unsigned loop = 0; loop < sum.extents.size(); ++loop) {
    int64_t operands = 0;
    for (const auto &loops : sum.loops) {
      int64_t times = llvm::count(loops, std::optional<unsigned>(loop));
      if (times > 1)
        return Error{"the loop " + nameOf(loop) +
                     " indexes two dimensions of one tensor"};
      operands += times;
    }
    bool slides = llvm::any_of(sum.windows, [&](const SlidingDim &window) {
      return llvm::is_contained(window.loops, std::optional<unsigned>(loop));
    });
    if (operands + slides < 2)
      return Error{"the loop " + nameOf(loop) +
                   " indexes one tensor alone, which none of a convolution "
                   "does"};
  }
  return {};
}

Result<SumOfProducts> conv::readSumOfProducts(linalg::LinalgOp op) {
  SumOfProducts sum;
  sum.extents = op.getStaticLoopRanges();
  std::array<SmallVector<LinearIndex>, 3> indices;
  std::optional<unsigned> wide;
  for (auto [operand, map] : llvm::enumerate(op.getIndexingMapsArray())) {
    Result<SmallVector<LinearIndex>> read = readIndices(map);
    if (!read)
      return read.takeError();
    indices[operand] = std::move(*read);
    for (const LinearIndex &index : indices[operand]) {
      if (!index.isLoop() && wide.value_or(operand) != operand)
        return Error{"two of its tensors are not indexed by loops alone; of a "
                     "convolution one is"};
      if (!index.isLoop())
        wide = operand;
      sum.loops[operand].push_back(
          index.isLoop() ? std::optional(index.terms.front().first)
                         : std::nullopt);
    }
  }
  sum.wide = *wide;
  for (auto [dim, index] : llvm::enumerate(indices[sum.wide])) {
    if (index.isLoop())
      continue;
    Result<SlidingDim> window = readWindow(sum, index, dim);
    if (!window)
      return window.takeError();
    sum.windows.push_back(*window);
  }
  if (Status status = checkLoops(sum); !status)
    return status.takeError();
  return sum;
}
