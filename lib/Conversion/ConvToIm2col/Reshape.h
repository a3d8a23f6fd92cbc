//===- Reshape.h - a dense tensor in another shape --------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_CONVTOIM2COL_RESHAPE_H
#define CONV_LIB_CONVERSION_CONVTOIM2COL_RESHAPE_H

#include "mlir/IR/Builders.h"

namespace mlir::conv {

/// `value`, a static tensor without empty dimensions, in a `shape` with as many
/// elements: itself, or a tensor.collapse_shape to the dimensions that both
/// shapes have boundaries of, a tensor.expand_shape from there, or both.
Value reshape(OpBuilder &builder, Location loc, Value value,
              ArrayRef<int64_t> shape);

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_CONVTOIM2COL_RESHAPE_H
