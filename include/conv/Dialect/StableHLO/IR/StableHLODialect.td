//===- StableHLODialect.td - what is read of StableHLO -*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_STABLEHLO_IR_STABLEHLODIALECT_TD
#define CONV_DIALECT_STABLEHLO_IR_STABLEHLODIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def StableHLO_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::mlir::conv::stablehlo";
  let summary = "the operations of StableHLO that programs of convolutions have";
  let description = [{
    A part of StableHLO, with its syntax, so that what JAX prints can be read:
    convolutions, elementwise operations, and those that move elements. Every
    operation means what the specification of StableHLO says. An operation that
    is not here is an error of the parser.
  }];
  let useDefaultAttributePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

class StableHLO_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::conv::stablehlo";
  let genSpecializedAttr = 0;
}

def StableHLO_Precision : StableHLO_Enum<"Precision",
    "how exactly operands are multiplied", [
    I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>,
    I32EnumAttrCase<"HIGHEST", 2>]>;
def StableHLO_PrecisionAttr
    : EnumAttr<StableHLO_Dialect, StableHLO_Precision, "precision">;

def StableHLO_Direction : StableHLO_Enum<"ComparisonDirection",
    "what is asked about two elements", [
    I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>,
    I32EnumAttrCase<"GE", 2>, I32EnumAttrCase<"GT", 3>,
    I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def StableHLO_DirectionAttr
    : EnumAttr<StableHLO_Dialect, StableHLO_Direction, "comparison_direction">;

def StableHLO_ComparisonType : StableHLO_Enum<"ComparisonType",
    "how elements are compared", [
    I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>,
    I32EnumAttrCase<"TOTALORDER", 2>, I32EnumAttrCase<"SIGNED", 3>,
    I32EnumAttrCase<"UNSIGNED", 4>]>;
def StableHLO_ComparisonTypeAttr
    : EnumAttr<StableHLO_Dialect, StableHLO_ComparisonType, "comparison_type">;

//===----------------------------------------------------------------------===//
// Dimension numbers
//===----------------------------------------------------------------------===//

def StableHLO_ConvDimensionNumbersAttr
    : AttrDef<StableHLO_Dialect, "ConvDimensionNumbers"> {
  let mnemonic = "conv";
  let summary = "what each dimension of the tensors of a convolution is";
  let description = [{
    `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`: per tensor, in the order of its
    dimensions, a letter or the number of a spatial dimension. `kBatch` is kept
    for `b` and, of the filter, for `o`; `kFeature` for `f` and `i`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$lhs,
                        ArrayRefParameter<"int64_t">:$rhs,
                        ArrayRefParameter<"int64_t">:$output);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static constexpr int64_t kBatch = -1, kFeature = -2;
    int64_t getSpatialRank() const { return getLhs().size() - 2; }
    /// Without the `<` and `>` around it.
    static ConvDimensionNumbersAttr parseBare(::mlir::AsmParser &parser);
    void printBare(::mlir::AsmPrinter &printer) const;
  }];
}

def StableHLO_DotDimensionNumbersAttr
    : AttrDef<StableHLO_Dialect, "DotDimensionNumbers"> {
  let mnemonic = "dot";
  let summary = "which dimensions of two tensors a product sums over, or goes along";
  let description = [{
    `<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0],
    lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>`; a list
    without numbers may be left out. In a `dot_general`:
    `batching_dims = [0] x [0], contracting_dims = [2] x [1]`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$lhsBatching,
                        ArrayRefParameter<"int64_t">:$rhsBatching,
                        ArrayRefParameter<"int64_t">:$lhsContracting,
                        ArrayRefParameter<"int64_t">:$rhsContracting);
  let hasCustomAssemblyFormat = 1;
}

#endif // CONV_DIALECT_STABLEHLO_IR_STABLEHLODIALECT_TD
