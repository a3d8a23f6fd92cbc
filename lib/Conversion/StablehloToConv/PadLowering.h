//===- PadLowering.h - padding of StableHLO as tensor ops -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a stablehlo.pad with a constant. Output: a tensor.pad, or where there
// is something between the elements a tensor.insert_slice into a filled tensor;
// behind it a tensor.extract_slice where elements are left out. An error where
// the value is no constant.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_STABLEHLOTOCONV_PADLOWERING_H
#define CONV_LIB_CONVERSION_STABLEHLOTOCONV_PADLOWERING_H

#include "conv/Dialect/StableHLO/IR/StableHLOOps.h"
#include "conv/Support/Result.h"

#include "mlir/IR/Builders.h"

namespace mlir::conv {

/// For each dimension: elements in front, behind, and between two. Negative
/// numbers in front and behind leave elements out.
struct Padding {
  SmallVector<int64_t> low, high, interior;
};

/// The tensor with elements of one number around and between its own.
Value emitPadding(OpBuilder &builder, Location loc, Value operand,
                  const Padding &padding, TypedAttr number);

convmlir::Result<Value> lowerPad(OpBuilder &builder, stablehlo::PadOp op);

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_STABLEHLOTOCONV_PADLOWERING_H
