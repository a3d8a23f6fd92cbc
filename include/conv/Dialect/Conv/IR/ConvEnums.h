//===- ConvEnums.h - enums of the conv dialect ------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_CONVENUMS_H
#define CONV_DIALECT_CONV_IR_CONVENUMS_H

#include "mlir/IR/BuiltinAttributes.h"

#include "conv/Dialect/Conv/IR/ConvEnums.h.inc"

#endif // CONV_DIALECT_CONV_IR_CONVENUMS_H
