//===- Verify.h - what operations check -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_STABLEHLO_IR_VERIFY_H
#define CONV_LIB_DIALECT_STABLEHLO_IR_VERIFY_H

#include "conv/Dialect/StableHLO/IR/StableHLOOps.h"

namespace mlir::conv::stablehlo {

/// Arithmetic is on numbers, not on truth values.
LogicalResult verifyArithmetic(Operation *op);

/// Numbers of dimensions below `rank`, none of them twice.
LogicalResult verifyDims(Operation *op, ArrayRef<int64_t> dims, int64_t rank);

/// Numbers and extents have 32 bits, so that what follows does not overflow.
/// `where` is "as a stride", or "in 'low'".
LogicalResult verifyNumber(Operation *op, const Twine &where, int64_t number,
                           int64_t least);
LogicalResult verifyExtents(Operation *op, ValueRange values);

/// A list of such numbers, one for each dimension of the first operand.
LogicalResult verifyEntries(Operation *op, StringRef name,
                            ArrayRef<int64_t> numbers, int64_t least);

/// What a window does along a dimension; defaults where a list is absent.
using OptionalNumbers = std::optional<ArrayRef<int64_t>>;
WindowDimension readWindow(int64_t dim, OptionalNumbers strides,
                           OptionalNumbers lhsDilations,
                           OptionalNumbers rhsDilations,
                           std::optional<DenseIntElementsAttr> padding);

/// A padding has two numbers for each of `rank` dimensions.
LogicalResult verifyPadding(Operation *op,
                            std::optional<DenseIntElementsAttr> padding,
                            int64_t rank);

/// How many positions a window has: of `rhs` taps, over an extent `lhs`.
int64_t getOutputExtent(const WindowDimension &window, int64_t lhs,
                        int64_t rhs);

} // namespace mlir::conv::stablehlo

#endif // CONV_LIB_DIALECT_STABLEHLO_IR_VERIFY_H
