//===- OperandSources.h - what stands in front of operands ------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Zeros around and between elements, elements backwards and conversions to a
// wider type, which a convolution has as padding, input dilation and `flip`, or
// needs not at all.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_LINALGTOCONV_OPERANDSOURCES_H
#define CONV_LIB_CONVERSION_LINALGTOCONV_OPERANDSOURCES_H

#include "mlir/IR/Value.h"

namespace mlir::conv {

/// A tensor as `value` has it, but with this many zeros around each dimension
/// and every element of it `spread` positions from the one before.
struct SpreadSource {
  Value value;
  SmallVector<int64_t> low, high, spread;
};

/// Looks behind tensor.pad and tensor.insert_slice that put zeros around and
/// between elements of the dimensions `mayChange` alone, and behind conversions
/// if `skipsCasts`.
SpreadSource findSpreadSource(Value value, ArrayRef<bool> mayChange,
                              bool skipsCasts);

/// A tensor as `value` has it, but with some dimensions backwards.
struct ReversedSource {
  Value value;
  SmallVector<bool> reversed;
};

/// Looks behind what turns the dimensions `mayChange` around, and behind
/// conversions if `skipsCasts`.
ReversedSource findReversedSource(Value value, ArrayRef<bool> mayChange,
                                  bool skipsCasts);

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_LINALGTOCONV_OPERANDSOURCES_H
