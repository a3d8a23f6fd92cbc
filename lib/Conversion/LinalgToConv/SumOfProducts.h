//===- SumOfProducts.h - the loops of a sum of products ---------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the indexing maps of a linalg operation with two inputs and one result
// say, whichever of the three operations it is. One of the three tensors is
// indexed by windows, sums of two loops; each of the others has one of the two.
// So a convolution and both of its gradients have the same maps:
//
//   x[n, p*stride + r*dilation, c]   w[k, r, c]   y[n, p, k]
//
// They differ in which of x, w and y is the result.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_LINALGTOCONV_SUMOFPRODUCTS_H
#define CONV_LIB_CONVERSION_LINALGTOCONV_SUMOFPRODUCTS_H

#include "conv/Support/Result.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <array>

namespace mlir::conv {

/// A dimension of the wide tensor, at constant + the sum of step * loop. Of the
/// two loops each indexes one of the other tensors; one may be missing.
struct SlidingDim {
  int64_t dim = 0;
  int64_t constant = 0;
  /// By operand; the wide one has none.
  std::array<std::optional<unsigned>, 3> loops;
  std::array<int64_t, 3> steps = {1, 1, 1};
};

/// The maps of two inputs and a result, read.
struct SumOfProducts {
  /// The operand that is indexed by windows.
  unsigned wide = 0;
  /// In the order of its dimensions.
  SmallVector<SlidingDim, 3> windows;
  /// For each operand and dimension its loop; none where it slides.
  std::array<SmallVector<std::optional<unsigned>, 5>, 3> loops;
  SmallVector<int64_t> extents; ///< Of the loops.

  /// Whether an operand is indexed by the loop alone.
  bool hasLoop(unsigned operand, unsigned loop) const;
};

/// Whether some index is more than a loop: a window, or positions between which
/// others are left out. A product of matrices has none.
bool hasWindows(linalg::LinalgOp op);

/// Reads an operation of two inputs and one result whose shapes are static. The
/// error says which index or loop no convolution has.
convmlir::Result<SumOfProducts> readSumOfProducts(linalg::LinalgOp op);

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_LINALGTOCONV_SUMOFPRODUCTS_H
