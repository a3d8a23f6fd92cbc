//===- ZeroPadding.h - tensors padded with zeros ----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_ZEROPADDING_H
#define CONV_DIALECT_CONV_IR_ZEROPADDING_H

#include "conv/Support/Result.h"

#include "mlir/IR/Value.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace mlir::conv {

/// Whether the value is the constant zero, or a tensor of such constants.
bool isConstantZero(Value value);

/// A tensor with this many zeros before and after `source`, per dimension.
struct ZeroPadding {
  Value source;
  SmallVector<int64_t> low, high;
};

/// Reads a tensor.pad with zeros and constant amounts, which a window can
/// absorb where it pads spatial dimensions only; else says why `value` is none.
convmlir::Result<ZeroPadding> matchZeroPadding(Value value);

/// conv(pad(x), ...) -> conv(x, ...) with more padding, for forward and wgrad;
/// a canonicalization of both.
void populateFoldPaddingPatterns(RewritePatternSet &patterns);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_ZEROPADDING_H
