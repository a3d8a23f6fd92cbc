//===- TransposedSlices.h - slices that are transposed ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Positions of x that a filter with a stride reads are a slice of it; where its
// channels are to become the last dimension, that is transposed. One kernel
// does both: it reads the slice's elements where they are.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_PLAINKERNELS_TRANSPOSEDSLICES_H
#define CONV_LIB_TRANSFORMS_PLAINKERNELS_TRANSPOSEDSLICES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::conv {

/// Replaces a transposition that alone reads a slice, whatever reshapes lie
/// between them, by one of the tensor that the slice is of. Both are
/// linalg.generic with loops in the order of their results. Does nothing to
/// what is none.
void readSliceInPlace(RewriterBase &rewriter, linalg::GenericOp transposition);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_PLAINKERNELS_TRANSPOSEDSLICES_H
