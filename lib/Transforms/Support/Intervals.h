//===- Intervals.h - long constant tables as arithmetic ---------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table has an entry for each stride phase, and some operations have
// thousands of phases. Their entries are mostly those of a few straight lines.
//
// Input: the constants of a table. Output: operations, as many as it has lines.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_SUPPORT_INTERVALS_H
#define CONV_LIB_TRANSFORMS_SUPPORT_INTERVALS_H

#include "IndexMath.h"

namespace mlir::conv {

/// Entries of a table up to which it is a comparison and a choice for each of
/// them: no more operations than arithmetic has, for tables without lines.
inline constexpr size_t kMostChoices = 256;

/// The entry of a constant table at an index inside of it: choices, or, where
/// these are too many, as the lines through its entries say.
Value lookUpEntry(IndexMath &math, Value index, ArrayRef<int64_t> table);

/// Of neighbouring intervals the one that a number is in: interval i is from
/// starts[i] to in front of starts[i + 1], and may be empty.
Value findInterval(IndexMath &math, Value number, ArrayRef<int64_t> starts);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_SUPPORT_INTERVALS_H
