//===- MoveLowering.h - what moves elements, as linalg and tensor -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_STABLEHLOTOCONV_MOVELOWERING_H
#define CONV_LIB_CONVERSION_STABLEHLOTOCONV_MOVELOWERING_H

#include "mlir/IR/Builders.h"

namespace mlir::conv {

/// What a constant, a transposition, a reversal, a reshape or a broadcast of
/// StableHLO becomes; null where `op` is none of them.
Value lowerMove(OpBuilder &builder, Operation *op);

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_STABLEHLOTOCONV_MOVELOWERING_H
