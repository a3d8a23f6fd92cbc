//===- ScalarConvert.h - an element in another type -------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_STABLEHLOTOCONV_SCALARCONVERT_H
#define CONV_LIB_CONVERSION_STABLEHLOTOCONV_SCALARCONVERT_H

#include "mlir/IR/Builders.h"

namespace mlir::conv {

/// One element in another type.
Value emitScalarConvert(OpBuilder &builder, Location loc, Value value,
                        Type type);

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_STABLEHLOTOCONV_SCALARCONVERT_H
