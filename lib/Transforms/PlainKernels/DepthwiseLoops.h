//===- DepthwiseLoops.h - sums of depthwise convolutions --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `conv.depthwise` as a thread computes it.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_PLAINKERNELS_DEPTHWISELOOPS_H
#define CONV_LIB_TRANSFORMS_PLAINKERNELS_DEPTHWISELOOPS_H

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"

namespace mlir::conv {

/// Products of a thread that are written out, and not in a loop over the lines
/// of the filter: with more, code does not stay in the instruction cache.
inline constexpr int64_t kMostUnrolledProducts = 1500;

/// Lines of a filter, and taps of one, from which on lines are a loop however few
/// products there are: to pass over those outside saves more than the loop costs.
/// Measured on an H200: 7x7 filters gain 11 to 14 %, of 5x5 filters only one in
/// three.
inline constexpr int64_t kLeastLoopedLines = 7;

/// Lowers to loads and multiply-adds. Fails, with an error on the operation,
/// where it is not of positions of a line in registers.
LogicalResult lowerDepthwise(DepthwiseOp op);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_PLAINKERNELS_DEPTHWISELOOPS_H
