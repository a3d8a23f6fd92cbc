//===- MultiplyAddBody.h - what a sum of products means ---------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the body of a linalg operation that adds products of two operands, and
// tells whether a convolution of the conv dialect computes the same.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_LINALGTOCONV_MULTIPLYADDBODY_H
#define CONV_LIB_CONVERSION_LINALGTOCONV_MULTIPLYADDBODY_H

#include "conv/Support/Result.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::conv {

/// The types in which the text multiplies and adds.
struct MultiplyAddBody {
  Type productType, sumType;
};

/// Whether the body adds products of its two inputs to its result, whatever
/// stands between the operations.
bool isMultiplyAdd(linalg::LinalgOp op);

/// Reads a body for which isMultiplyAdd() holds. The error says what it has
/// that a convolution does not compute: a conv operation adds exact products of
/// signed integers modulo the width of its result, or products of floats.
convmlir::Result<MultiplyAddBody> readMultiplyAdd(linalg::LinalgOp op);

/// "its products are formed in f32 where the text has f16, its sums …", or
/// empty where a convolution with these types has the precision of the text.
std::string describeMorePrecision(const MultiplyAddBody &body, Type accType);

/// The error says which products or sums of a convolution of elements of the
/// type `source` would not have the precision of the text.
convmlir::Status checkTextPrecision(const MultiplyAddBody &body, Type source,
                                    Type accType);

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_LINALGTOCONV_MULTIPLYADDBODY_H
