//===- TransposeFilter.h - filters with gemm-k of dgrad last -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_CONVTOGEMM_TRANSPOSEFILTER_H
#define CONV_LIB_CONVERSION_CONVTOGEMM_TRANSPOSEFILTER_H

#include "mlir/IR/Builders.h"

namespace mlir::conv {

/// A copy of a filter tensor, [K, R, S, C/G] as [C, R, S, K/G]: filters and
/// channels change places within each group.
Value transposeFilter(OpBuilder &builder, Location loc, Value filter,
                      int64_t groups);

/// A copy of a filter tensor [K, C, (R,) S] for sums of their own for each s,
/// in blocks of AddTapsOp::kBlockRows: of forward [(block of filters, s, filter
/// in it), r, channel], of dgrad [filter, r, (block of channels, s, channel in
/// it)].
Value blockFilter(OpBuilder &builder, Location loc, Value filter,
                  bool isForward);

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_CONVTOGEMM_TRANSPOSEFILTER_H
