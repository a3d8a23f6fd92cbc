//===- KnownDivisor.h - what divides an index -------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles start at positions such as `block * 128`. That they do decides whether
// accesses are aligned and whether a tile can reach past an extent.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_SUPPORT_KNOWNDIVISOR_H
#define CONV_LIB_TRANSFORMS_SUPPORT_KNOWNDIVISOR_H

#include "mlir/IR/OpDefinition.h"

namespace mlir::conv {

/// A number that is known to divide `value`, 1 if nothing is known; 0 where
/// `value` is the constant 0, which everything divides. Looks through
/// constants, sums and products in arith and affine, remainders, and
/// induction variables.
int64_t getKnownDivisor(OpFoldResult value);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_SUPPORT_KNOWNDIVISOR_H
