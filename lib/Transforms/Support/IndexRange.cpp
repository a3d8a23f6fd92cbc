//===- IndexRange.cpp - how far the indices of views count ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexRange.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/WideIndices.h"

#include <cstdlib>

using namespace mlir;
using namespace mlir::conv;

int64_t conv::getTapReach(ViewAttr view) {
  int64_t reach = 0;
  for (auto [taps, step] : llvm::zip_equal(view.getTaps(), view.getStep()))
    reach = std::max(reach, std::max<int64_t>(taps - 1, 0) * std::abs(step));
  return reach;
}

/// No product of these numbers leaves 64 bits: extents have 31 (conv-c10).
static bool countsFar(ViewAttr view, ArrayRef<int64_t> shape) {
  // Rows of all images, which ConvGeometry keeps below 2^63 (conv-c13).
  if (shape.front() * view.getRowsPerImage() >= kWideIndices ||
      view.getNumTaps() >= kWideIndices)
    return true;
  int64_t strips = view.getStrips(), taps = getTapReach(view);
  for (int64_t dim = 0, rank = view.getSpatialRank(); dim < rank; ++dim) {
    int64_t rows = view.getRows()[dim] * (dim + 1 == rank ? strips : 1);
    int64_t last = (rows - 1) * std::abs(view.getStride()[dim]);
    if (std::abs(view.getOffset()[dim]) + last + taps >= kWideIndices)
      return true;
  }
  return false;
}

bool conv::countsFar(Operation *root) {
  auto anyFar = [](auto op, ArrayRef<int64_t> shape) {
    return llvm::any_of(op.getAllViews(), [&](ViewAttr view) {
      return ::countsFar(view, shape);
    });
  };
  WalkResult result = root->walk([&](Operation *op) {
    bool isFar = false;
    if (auto read = dyn_cast<Im2colOp>(op))
      isFar = anyFar(read, read.getTensorShape());
    else if (auto write = dyn_cast<ScatterOp>(op))
      isFar = anyFar(write, write.getTensorShape());
    else if (auto sums = dyn_cast<DepthwiseOp>(op))
      isFar = ::countsFar(sums.getView(), sums.getSourceType().getShape());
    return isFar ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}
