//===- ViewAccess.h - the index map of a view as affine maths ---*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  a view, the shapes of its tensor and of its matrix.
// Output: for an element of the one, where it is in the other, and when.
//
// The dimensions of the expressions are the indices of the given element.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_CONVMATRICESTOLINALG_VIEWACCESS_H
#define CONV_LIB_CONVERSION_CONVMATRICESTOLINALG_VIEWACCESS_H

#include "conv/Dialect/Conv/IR/ConvDialect.h"

#include "mlir/IR/AffineExpr.h"

namespace mlir::conv {

/// Holds where 0 <= index < extent.
struct RangeTest {
  AffineExpr index;
  int64_t extent;
};

/// The element at `indices`, which exists where all `tests` hold.
struct ViewAccess {
  SmallVector<AffineExpr> indices;
  SmallVector<RangeTest> tests;
};

/// The element of a tensor that an element of a matrix reads. The matrix may be
/// larger than the view (there it reads nothing) and leave out a unit tap.
ViewAccess getReadAccess(ViewAttr view, ArrayRef<int64_t> tensorShape,
                         ArrayRef<int64_t> matrixShape);

/// The element of a matrix of `matrixRank` dimensions that is written to an
/// element of the tensor. Fails where several could be: the view has several
/// rows and several taps along one dimension.
FailureOr<ViewAccess> getWriteAccess(ViewAttr view,
                                     ArrayRef<int64_t> tensorShape,
                                     int64_t matrixRank);

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_CONVMATRICESTOLINALG_VIEWACCESS_H
