//===- ConvDialect.h - the conv dialect and its attributes -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_CONVDIALECT_H
#define CONV_DIALECT_CONV_IR_CONVDIALECT_H

#include "conv/Dialect/Conv/IR/ConvEnums.h"
#include "conv/Dialect/Conv/IR/ScheduleFields.h"
#include "conv/Geometry/MatrixView.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"

#include "conv/Dialect/Conv/IR/ConvDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "conv/Dialect/Conv/IR/ConvAttrs.h.inc"

#endif // CONV_DIALECT_CONV_IR_CONVDIALECT_H
