//===- LayoutPatterns.h - transpositions around convolutions ----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What conv-convert-layout and conv-restore-layout share: transpositions that a
// pass puts around a convolution move behind the elementwise operations that
// follow it, and cancel where two meet. Until the end of the pass they carry an
// attribute.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_OPERATIONS_LAYOUTPATTERNS_H
#define CONV_LIB_TRANSFORMS_OPERATIONS_LAYOUTPATTERNS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::conv {

/// What a transposition makes.
enum class Order { ChannelsLast, ChannelsFirst };

/// A marked transposition of `source` to this order.
Value emitMarkedTransposition(OpBuilder &builder, Location loc, Value source,
                              Order order);

/// op(transpose(x), ...) -> transpose(op(x, ...)) for an elementwise operation
/// and marked transpositions that make `order`, and those that cancel behind
/// it. With `amongMarked` both of such a pair must be marked, else any
/// transposition takes away a marked one.
void populateSinkTranspositionPatterns(RewritePatternSet &patterns, Order order,
                                       bool amongMarked);

/// Takes the marks away, and makes reshapes of marked transpositions that leave
/// all elements in their places, as those of extents of one do.
void settleMarked(RewriterBase &rewriter, Operation *root);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_OPERATIONS_LAYOUTPATTERNS_H
