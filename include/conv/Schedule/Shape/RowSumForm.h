//===- RowSumForm.h - which sums of dy a kernel makes -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient of a bias is the sum over the rows of the matrix of dy that
// wgrad reduces. Which contraction has one, and whether its kernel can make it.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_SHAPE_ROWSUMFORM_H
#define CONV_SCHEDULE_SHAPE_ROWSUMFORM_H

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::conv {

/// The left operand of a scheduled contraction that reduces its positions: the
/// rows of a matrix [position, channel]; or, of images with channels first,
/// images and columns of [image, channel, position]. Null for any other.
Im2colOp getReducedRows(linalg::LinalgOp contraction);

/// Whether a contraction reduces the columns of its left operand.
bool reducesColumns(linalg::LinalgOp contraction);

/// The sum over these positions; null if there is none.
linalg::GenericOp findRowSum(linalg::LinalgOp contraction);

/// Why the kernel of `contraction`, a wgrad whose left operand is `dy`, cannot
/// sum the rows of dy; empty if it can.
std::string whyApart(linalg::LinalgOp contraction, Im2colOp dy);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SHAPE_ROWSUMFORM_H
