//===- FoldedResult.h - what a folded convolution stores --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//

#ifndef CONV_SCHEDULE_SHAPE_FOLDEDRESULT_H
#define CONV_SCHEDULE_SHAPE_FOLDEDRESULT_H

#include "conv/Dialect/Conv/IR/ConvOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::conv {

/// What rounds dx where dx' can have the rounded type; null where nothing does.
linalg::GenericOp getRoundingOfDgrad(ConvOpInterface op);

/// The type of the elements of y, dx' or dw' where taps are folded. dw' is in
/// the type of sums. dx' is what all that reads dx rounds it to, where that is
/// one operation which does nothing else: rounded once, it is half as large.
Type getFoldedResultType(ConvOpInterface op);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SHAPE_FOLDEDRESULT_H
