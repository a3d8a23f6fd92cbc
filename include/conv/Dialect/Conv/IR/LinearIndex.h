//===- LinearIndex.h - indices that are sums of loops -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_LINEARINDEX_H
#define CONV_DIALECT_CONV_IR_LINEARINDEX_H

#include "mlir/IR/AffineExpr.h"

namespace mlir::conv {

/// The factor of each of the loops in an index and, last, what is added to
/// them; nothing where it is no such sum.
std::optional<SmallVector<int64_t>> getFactors(AffineExpr index,
                                               unsigned loops);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_LINEARINDEX_H
