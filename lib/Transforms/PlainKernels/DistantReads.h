//===- DistantReads.h - every n-th element of a buffer ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice reads the first of each group of n neighbours (conv-convert-layout).
// Wide loads of whole groups, of which one element each is kept, are fewer than
// loads of elements.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_PLAINKERNELS_DISTANTREADS_H
#define CONV_LIB_TRANSFORMS_PLAINKERNELS_DISTANTREADS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::conv {

/// A vector of one dimension whose elements lie along dimension `dim` of a
/// dense buffer, from `indices` on, by loads of all that lies between them.
/// Null where they are no first elements of groups, or far apart.
Value readGroups(OpBuilder &builder, Location loc, VectorType type,
                 Value buffer, ValueRange indices, unsigned dim);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_PLAINKERNELS_DISTANTREADS_H
