//===- WindowLowering.h - reductions over windows -*- C++ -* --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_STABLEHLOTOCONV_WINDOWLOWERING_H
#define CONV_LIB_CONVERSION_STABLEHLOTOCONV_WINDOWLOWERING_H

#include "conv/Dialect/StableHLO/IR/StableHLOOps.h"
#include "conv/Support/Result.h"

#include "mlir/IR/Builders.h"

namespace mlir::conv {

/// A padding where there is one, and a linalg.generic with the loops of a
/// pooling.
convmlir::Result<Value> lowerReduceWindow(OpBuilder &builder,
                                          stablehlo::ReduceWindowOp op);

/// Two linalg.generic: the number of the element that each window selects, and
/// sums of what its windows hand to an element. An error where the first value
/// is no constant, or where there is padding.
convmlir::Result<Value> lowerSelectAndScatter(OpBuilder &builder,
                                              stablehlo::SelectAndScatterOp op);

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_STABLEHLOTOCONV_WINDOWLOWERING_H
