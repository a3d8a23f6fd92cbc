//===- BiasGradient.h - dy is summed where it is multiplied -----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient of a bias is the sum of dy over all positions. In F2 it is the
// sum over the rows of the matrix of dy that wgrad reduces (conv-fuse-bias-
// gradient). A kernel of wgrad sums the rows of its tiles of dy as it goes.
// Tiles of the result that differ in their columns only read the same rows of
// dy: the first of them is the one whose sums are stored.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_BIASGRADIENT_H
#define CONV_LIB_TRANSFORMS_BIASGRADIENT_H

#include "TileProducers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::conv {

/// The sum over rows of the matrix that is the left operand of `contraction`;
/// null if there is none.
linalg::GenericOp findRowSum(linalg::LinalgOp contraction);

/// Why the kernel of `contraction`, a wgrad whose left operand is `dy`, cannot
/// sum the rows of dy; empty if it can.
std::string whyApart(linalg::LinalgOp contraction, Im2colOp dy);

/// Sums of `parts` parts of gemm-k, a row each: 1 x parts x channels.
RankedTensorType getRowSumsType(linalg::GenericOp rowSum, int64_t parts);

/// Whether a tile of the result is the first one of its rows; null: always.
/// `view` is that of the result.
Value emitIsFirstOfRows(OpBuilder &builder, Location loc, const Tile &tile,
                        ViewAttr view);

/// Scatters the sums of a tile of the result into row `part` (null: 0) of the
/// last destination of `forall`, where the condition holds (null: always). The
/// builder is in its body.
void emitRowSumScatter(OpBuilder &builder, linalg::GenericOp rowSum,
                       scf::ForallOp forall, Value sums, const Tile &tile,
                       ViewAttr view, Value part, Value condition);

/// The sum of all parts, in ascending order, in the type of `rowSum`.
Value sumRowParts(OpBuilder &builder, linalg::GenericOp rowSum, Value parts);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_BIASGRADIENT_H
