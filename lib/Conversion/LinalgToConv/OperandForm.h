//===- OperandForm.h - tensors of linalg as those of conv -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_LINALGTOCONV_OPERANDFORM_H
#define CONV_LIB_CONVERSION_LINALGTOCONV_OPERANDFORM_H

#include "mlir/Dialect/Utils/IndexingUtils.h"

namespace mlir::conv {

/// How an operand of linalg becomes one of conv: its dimensions are permuted,
/// neighbours that are one dimension in conv (groups and channels) collapsed to
/// `collapsed`, and missing dimensions of extent one added to get `shape`.
struct OperandForm {
  SmallVector<int64_t> permutation;
  SmallVector<int64_t> collapsed;
  SmallVector<int64_t> shape;

  /// Whether elements have to be moved.
  bool isMoved() const { return !isIdentityPermutation(permutation); }
};

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_LINALGTOCONV_OPERANDFORM_H
