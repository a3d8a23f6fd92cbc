//===- ConvertElements.h - tensors of another element type ------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_CONVERTELEMENTS_H
#define CONV_DIALECT_CONV_IR_CONVERTELEMENTS_H

#include "mlir/IR/Builders.h"

namespace mlir::conv {

/// `source` with elements of another type; itself where they are of this type.
Value convertElements(OpBuilder &builder, Location loc, Value source,
                      Type element);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_CONVERTELEMENTS_H
