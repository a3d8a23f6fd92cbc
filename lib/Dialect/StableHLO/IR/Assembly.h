//===- Assembly.h - custom syntax of StableHLO -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The directives `custom<…>` of StableHLOOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_STABLEHLO_IR_ASSEMBLY_H
#define CONV_LIB_DIALECT_STABLEHLO_IR_ASSEMBLY_H

#include "conv/Dialect/StableHLO/IR/StableHLOOps.h"

namespace mlir::conv::stablehlo {

/// `[b, 0, f]x[0, i, o]->[b, 0, f]`
ParseResult parseDimensionNumbers(OpAsmParser &parser,
                                  ConvDimensionNumbersAttr &attr);
void printDimensionNumbers(OpAsmPrinter &printer, Operation *op,
                           ConvDimensionNumbersAttr attr);

/// `stride = [1], pad = [[0, 0]], lhs_dilate = [1], rhs_dilate = [1],
/// reverse = [false]`, each or none, in any order.
ParseResult parseWindow(OpAsmParser &parser, DenseI64ArrayAttr &strides,
                        DenseIntElementsAttr &padding,
                        DenseI64ArrayAttr &lhsDilation,
                        DenseI64ArrayAttr &rhsDilation,
                        DenseBoolArrayAttr &reversal);
void printWindow(OpAsmPrinter &printer, Operation *op,
                 DenseI64ArrayAttr strides, DenseIntElementsAttr padding,
                 DenseI64ArrayAttr lhsDilation, DenseI64ArrayAttr rhsDilation,
                 DenseBoolArrayAttr reversal);

/// `batching_dims = [0] x [0], contracting_dims = [2] x [1]`, the former or not.
ParseResult parseDotDimensions(OpAsmParser &parser,
                               DotDimensionNumbersAttr &attr);
void printDotDimensions(OpAsmPrinter &printer, Operation *op,
                        DotDimensionNumbersAttr attr);

/// `, precision = [DEFAULT, HIGHEST]`, or nothing.
ParseResult parsePrecisions(OpAsmParser &parser, ArrayAttr &attr);
void printPrecisions(OpAsmPrinter &printer, Operation *op, ArrayAttr attr);

/// `[0, 1]`
ParseResult parseDims(OpAsmParser &parser, DenseI64ArrayAttr &attr);
void printDims(OpAsmPrinter &printer, Operation *op, DenseI64ArrayAttr attr);

/// `%x, %y,`
ParseResult
parseInputs(OpAsmParser &parser,
            SmallVectorImpl<OpAsmParser::UnresolvedOperand> &inputs);
void printInputs(OpAsmPrinter &printer, Operation *op, OperandRange inputs);

/// `[0:3, 1:8:2]`
ParseResult parseRanges(OpAsmParser &parser, DenseI64ArrayAttr &starts,
                        DenseI64ArrayAttr &limits, DenseI64ArrayAttr &strides);
void printRanges(OpAsmPrinter &printer, Operation *op, DenseI64ArrayAttr starts,
                 DenseI64ArrayAttr limits, DenseI64ArrayAttr strides);

/// The one type of all, or `(operand) -> result`.
ParseResult parseUnaryType(OpAsmParser &parser, Type &operand, Type &result);
void printUnaryType(OpAsmPrinter &printer, Operation *op, Type operand,
                    Type result);

/// The one type of all, or `(min, operand, max) -> result`.
ParseResult parseTernaryTypes(OpAsmParser &parser, Type &first, Type &second,
                              Type &third, Type &result);
void printTernaryTypes(OpAsmPrinter &printer, Operation *op, Type first,
                       Type second, Type third, Type result);

/// `condition, value`, or `(condition, value, value) -> value`.
ParseResult parseSelectTypes(OpAsmParser &parser, Type &pred, Type &onTrue,
                             Type &onFalse, Type &result);
void printSelectTypes(OpAsmPrinter &printer, Operation *op, Type pred,
                      Type onTrue, Type onFalse, Type result);

} // namespace mlir::conv::stablehlo

#endif // CONV_LIB_DIALECT_STABLEHLO_IR_ASSEMBLY_H
