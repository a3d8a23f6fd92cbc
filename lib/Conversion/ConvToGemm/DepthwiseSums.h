//===- DepthwiseSums.h - depthwise convolutions in F2 -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_CONVTOGEMM_DEPTHWISESUMS_H
#define CONV_LIB_CONVERSION_CONVTOGEMM_DEPTHWISESUMS_H

#include "conv/Dialect/Conv/IR/ConvOps.h"

namespace mlir::conv {

/// The result of an operation that has a form of Depthwise.h, in either layout:
/// `conv.depthwise` with the filter, transposed where channels are last, or
/// with dy in its place and the sum over images and parts behind it, as
/// elements of the result.
Value buildDepthwise(OpBuilder &builder, ConvOpInterface op,
                     ScheduleAttr schedule);

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_CONVTOGEMM_DEPTHWISESUMS_H
