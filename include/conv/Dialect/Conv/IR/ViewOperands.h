//===- ViewOperands.h - views and phases of operations ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What operations that read or write a tensor through views have in common:
// their assembly, `view <…>` or `at %phase views [<…>, …]`, and its rules.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_VIEWOPERANDS_H
#define CONV_DIALECT_CONV_IR_VIEWOPERANDS_H

#include "conv/Dialect/Conv/IR/ConvDialect.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"

namespace mlir::conv {

ParseResult parseViews(OpAsmParser &parser,
                       std::optional<OpAsmParser::UnresolvedOperand> &phase,
                       ArrayAttr &views);
void printViews(OpAsmPrinter &printer, Operation *op, Value phase,
                ArrayAttr views);

/// Checks that a phase chooses among several views, and that the views differ
/// in rows, taps and offset only.
LogicalResult verifyPhases(Operation *op, Value phase, ArrayAttr views,
                           ValueRange offsets);

/// Checks that elements of the tensor and rows of its images fit 64 bits.
LogicalResult verifyCounts(Operation *op, StringRef role, ShapedType type,
                           ArrayAttr views);

/// Checks the tensor that views are laid over, and the offsets.
LogicalResult verifyView(Operation *op, StringRef role, ShapedType type,
                         ArrayAttr views, ValueRange offsets);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_VIEWOPERANDS_H
