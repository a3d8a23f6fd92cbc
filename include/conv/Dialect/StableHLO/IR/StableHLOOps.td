//===- StableHLOOps.td - operations of StableHLO -*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_STABLEHLO_IR_STABLEHLOOPS_TD
#define CONV_DIALECT_STABLEHLO_IR_STABLEHLOOPS_TD

include "conv/Dialect/StableHLO/IR/StableHLODialect.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def StableHLO_Tensor : StaticShapeTensorOf<[AnyFloat, AnySignlessInteger]>;
def StableHLO_FloatTensor : StaticShapeTensorOf<[AnyFloat]>;
def StableHLO_IntegerTensor : StaticShapeTensorOf<[AnySignlessInteger]>;
def StableHLO_BoolTensor : StaticShapeTensorOf<[I1]>;

class StableHLO_Op<string mnemonic, list<Trait> traits = []>
    : Op<StableHLO_Dialect, mnemonic, [Pure] # traits>;

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

def StableHLO_ConvolutionOp : StableHLO_Op<"convolution"> {
  let summary = "sums of products over a window, of tensors in any order";
  let description = [{
    ```mlir
    %y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {stride = [2, 1], pad = [[1, 0], [1, 1]], rhs_dilate = [1, 2]}
      {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
      : (tensor<4x9x10x8xbf16>, tensor<3x3x4x6xbf16>) -> tensor<4x4x8x6xf32>
    ```
  }];
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<I64ElementsAttr>:$padding,
    OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
    OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
    OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
    StableHLO_ConvDimensionNumbersAttr:$dimension_numbers,
    I64Attr:$feature_group_count, I64Attr:$batch_group_count,
    OptionalAttr<TypedArrayAttrBase<StableHLO_PrecisionAttr, "precisions">>:$precision_config);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    `(` operands `)` `dim_numbers` `=` custom<DimensionNumbers>($dimension_numbers)
    `,` `window` `=` `{` custom<Window>($window_strides, $padding, $lhs_dilation,
    $rhs_dilation, $window_reversal) `}` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What the window does along a spatial dimension; defaults where the
    /// attributes are absent.
    WindowDimension getWindowDimension(int64_t dim);
    int64_t getSpatialRank() { return getDimensionNumbers().getSpatialRank(); }
    ::mlir::RankedTensorType getLhsType() { return getLhs().getType(); }
    ::mlir::RankedTensorType getRhsType() { return getRhs().getType(); }
  }];
}

def StableHLO_DotGeneralOp : StableHLO_Op<"dot_general"> {
  let summary = "sums of products over dimensions of two tensors";
  let description = [{
    ```mlir
    %y = stablehlo.dot_general %x, %w, batching_dims = [0] x [0], contracting_dims = [2] x [1],
      precision = [DEFAULT, DEFAULT] : (tensor<3x4x8xbf16>, tensor<3x8x5xbf16>) -> tensor<3x4x5xf32>
    ```

    The result has the batching dimensions first, then those of the left operand that
    are neither these nor summed over, then those of the right one.
  }];
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs,
    StableHLO_DotDimensionNumbersAttr:$dot_dimension_numbers,
    OptionalAttr<TypedArrayAttrBase<StableHLO_PrecisionAttr, "precisions">>:$precision_config);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDimensions>($dot_dimension_numbers) ``
    custom<Precisions>($precision_config) attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The dimensions that are in the result, behind those of the batch.
    ::llvm::SmallVector<int64_t> getLhsFree();
    ::llvm::SmallVector<int64_t> getRhsFree();
  }];
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

class StableHLO_SameTypeOp<string mnemonic, dag operands>
    : StableHLO_Op<mnemonic, [Elementwise, SameOperandsAndResultType]> {
  let arguments = operands;
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` type($result)";
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() { return verifyArithmetic(*this); }
  }];
}
class StableHLO_BinaryOp<string mnemonic> : StableHLO_SameTypeOp<mnemonic,
    (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs)>;
class StableHLO_UnaryOp<string mnemonic, TypeConstraint type>
    : StableHLO_SameTypeOp<mnemonic, (ins type:$operand)>;

def StableHLO_AddOp : StableHLO_BinaryOp<"add"> { let summary = "sum"; }
def StableHLO_SubtractOp : StableHLO_BinaryOp<"subtract"> { let summary = "difference"; }
def StableHLO_MultiplyOp : StableHLO_BinaryOp<"multiply"> { let summary = "product"; }
def StableHLO_DivideOp : StableHLO_Op<"divide", [Elementwise, SameOperandsAndResultType]> {
  let summary = "quotient of floats";
  let arguments = (ins StableHLO_FloatTensor:$lhs, StableHLO_FloatTensor:$rhs);
  let results = (outs StableHLO_FloatTensor:$result);
  let assemblyFormat = "operands attr-dict `:` type($result)";
}
def StableHLO_MaxOp : StableHLO_BinaryOp<"maximum"> { let summary = "the larger; NaN where one is"; }
def StableHLO_MinOp : StableHLO_BinaryOp<"minimum"> { let summary = "the smaller; NaN where one is"; }
def StableHLO_NegOp : StableHLO_UnaryOp<"negate", StableHLO_Tensor> { let summary = "negation"; }
def StableHLO_AbsOp : StableHLO_UnaryOp<"abs", StableHLO_Tensor> { let summary = "the distance from 0"; }
def StableHLO_ExpOp : StableHLO_UnaryOp<"exponential", StableHLO_FloatTensor> { let summary = "e to the power"; }
def StableHLO_LogOp : StableHLO_UnaryOp<"log", StableHLO_FloatTensor> { let summary = "natural logarithm"; }
def StableHLO_LogisticOp : StableHLO_UnaryOp<"logistic", StableHLO_FloatTensor> { let summary = "1 / (1 + exp(-x))"; }
def StableHLO_TanhOp : StableHLO_UnaryOp<"tanh", StableHLO_FloatTensor> { let summary = "hyperbolic tangent"; }
def StableHLO_SqrtOp : StableHLO_UnaryOp<"sqrt", StableHLO_FloatTensor> { let summary = "square root"; }
def StableHLO_RsqrtOp : StableHLO_UnaryOp<"rsqrt", StableHLO_FloatTensor> { let summary = "1 / sqrt(x)"; }

/// Of floats, what the name says.
class StableHLO_FunctionOp<string mnemonic, string text>
    : StableHLO_UnaryOp<mnemonic, StableHLO_FloatTensor> {
  let summary = text;
}
def StableHLO_CbrtOp : StableHLO_FunctionOp<"cbrt", "cube root">;
def StableHLO_CeilOp : StableHLO_FunctionOp<"ceil", "rounded up">;
def StableHLO_CosineOp : StableHLO_FunctionOp<"cosine", "cosine">;
def StableHLO_Expm1Op : StableHLO_FunctionOp<"exponential_minus_one", "exp(x) - 1">;
def StableHLO_FloorOp : StableHLO_FunctionOp<"floor", "rounded down">;
def StableHLO_Log1pOp : StableHLO_FunctionOp<"log_plus_one", "log(1 + x)">;
def StableHLO_RoundAfzOp
    : StableHLO_FunctionOp<"round_nearest_afz", "rounded, halves away from zero">;
def StableHLO_RoundEvenOp
    : StableHLO_FunctionOp<"round_nearest_even", "rounded, halves to even">;
def StableHLO_SineOp : StableHLO_FunctionOp<"sine", "sine">;
def StableHLO_TanOp : StableHLO_FunctionOp<"tan", "tangent">;

/// Of two floats.
class StableHLO_BinaryFunctionOp<string mnemonic, string text>
    : StableHLO_SameTypeOp<mnemonic, (ins StableHLO_FloatTensor:$lhs,
                                          StableHLO_FloatTensor:$rhs)> {
  let summary = text;
}
def StableHLO_Atan2Op : StableHLO_BinaryFunctionOp<"atan2", "the angle of a point (rhs, lhs)">;
def StableHLO_PowOp : StableHLO_BinaryFunctionOp<"power", "lhs to the power of rhs, of floats">;

def StableHLO_SignOp : StableHLO_UnaryOp<"sign", StableHLO_Tensor> {
  let summary = "-1, 0 or 1; NaN and -0 are themselves";
}
def StableHLO_IsFiniteOp : StableHLO_Op<"is_finite", [Elementwise, SameOperandsAndResultShape]> {
  let summary = "neither infinite nor NaN";
  let arguments = (ins StableHLO_FloatTensor:$x);
  let results = (outs StableHLO_BoolTensor:$y);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}

/// Of the bits of integers, or of truth values.
class StableHLO_BitsOp<string mnemonic, string text, dag operands>
    : StableHLO_Op<mnemonic, [Elementwise, SameOperandsAndResultType]> {
  let summary = text;
  let arguments = operands;
  let results = (outs StableHLO_IntegerTensor:$result);
  let assemblyFormat = "operands attr-dict `:` type($result)";
}
class StableHLO_BinaryBitsOp<string mnemonic, string text>
    : StableHLO_BitsOp<mnemonic, text, (ins StableHLO_IntegerTensor:$lhs,
                                            StableHLO_IntegerTensor:$rhs)>;
def StableHLO_AndOp : StableHLO_BinaryBitsOp<"and", "bitwise and; of i1 the logical one">;
def StableHLO_OrOp : StableHLO_BinaryBitsOp<"or", "bitwise or; of i1 the logical one">;
def StableHLO_XorOp : StableHLO_BinaryBitsOp<"xor", "bitwise exclusive or; of i1 the logical one">;
def StableHLO_NotOp
    : StableHLO_BitsOp<"not", "bitwise not; of i1 the logical one",
                       (ins StableHLO_IntegerTensor:$operand)>;

def StableHLO_ConvertOp : StableHLO_Op<"convert", [Elementwise, SameOperandsAndResultShape]> {
  let summary = "elements in another type";
  let arguments = (ins StableHLO_Tensor:$operand);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<UnaryType>(type($operand), type($result))";
}

def StableHLO_CompareOp : StableHLO_Op<"compare", [Elementwise, SameTypeOperands,
                                                   SameOperandsAndResultShape]> {
  let summary = "a comparison";
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs,
                       StableHLO_DirectionAttr:$comparison_direction,
                       OptionalAttr<StableHLO_ComparisonTypeAttr>:$compare_type);
  let results = (outs StableHLO_BoolTensor:$result);
  let assemblyFormat = [{
    $comparison_direction `,` $lhs `,` $rhs (`,` $compare_type^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_SelectOp : StableHLO_Op<"select"> {
  let summary = "the one or the other, by a condition per element or one for all";
  let arguments = (ins StableHLO_BoolTensor:$pred, StableHLO_Tensor:$on_true,
                       StableHLO_Tensor:$on_false);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` custom<SelectTypes>(type($pred), type($on_true),
                                              type($on_false), type($result))
  }];
  let hasVerifier = 1;
}

def StableHLO_ClampOp : StableHLO_Op<"clamp"> {
  let summary = "the operand, not below min and not above max";
  let arguments = (ins StableHLO_Tensor:$min, StableHLO_Tensor:$operand,
                       StableHLO_Tensor:$max);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` custom<TernaryTypes>(type($min), type($operand),
                                               type($max), type($result))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Constants, and what moves elements
//===----------------------------------------------------------------------===//

def StableHLO_ConstantOp : StableHLO_Op<"constant", [AllTypesMatch<["value", "output"]>]> {
  let summary = "a tensor of given elements";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs StableHLO_Tensor:$output);
  let assemblyFormat = "attr-dict $value";
}

def StableHLO_IotaOp : StableHLO_Op<"iota"> {
  let summary = "elements that are their index along a dimension";
  let description = [{
    ```mlir
    %i = stablehlo.iota dim = 1 : tensor<2x3xi32>
    ```
  }];
  let arguments = (ins I64Attr:$iota_dimension);
  let results = (outs StableHLO_Tensor:$output);
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
  let hasVerifier = 1;
}

/// Has a list of dimensions behind its operand.
class StableHLO_MoveOp<string mnemonic, string dims> : StableHLO_Op<mnemonic> {
  let arguments = !con((ins StableHLO_Tensor:$operand),
                       !dag(ins, [DenseI64ArrayAttr], [dims]));
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "$operand `,` `dims` `=` custom<Dims>($" # dims #
    ") attr-dict `:` custom<UnaryType>(type($operand), type($result))";
  let hasVerifier = 1;
}
def StableHLO_TransposeOp : StableHLO_MoveOp<"transpose", "permutation"> {
  let summary = "dimension i of the result is dimension permutation[i] of the operand";
}
def StableHLO_ReverseOp : StableHLO_MoveOp<"reverse", "dimensions"> {
  let summary = "the elements of these dimensions backwards";
}
def StableHLO_BroadcastInDimOp
    : StableHLO_MoveOp<"broadcast_in_dim", "broadcast_dimensions"> {
  let summary = "dimension i of the operand is broadcast_dimensions[i] of the result";
}

def StableHLO_ReshapeOp : StableHLO_Op<"reshape"> {
  let summary = "the elements in the same order, in another shape";
  let arguments = (ins StableHLO_Tensor:$operand);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def StableHLO_SliceOp : StableHLO_Op<"slice"> {
  let summary = "the elements from a start to a limit, in steps";
  let description = [{
    ```mlir
    %y = stablehlo.slice %x [0:3, 1:8:2] : (tensor<4x8xf32>) -> tensor<3x4xf32>
    ```
  }];
  let arguments = (ins StableHLO_Tensor:$operand, DenseI64ArrayAttr:$start_indices,
    DenseI64ArrayAttr:$limit_indices, DenseI64ArrayAttr:$strides);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand custom<Ranges>($start_indices, $limit_indices, $strides)
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_ConcatenateOp : StableHLO_Op<"concatenate"> {
  let summary = "tensors one behind the other along a dimension";
  let description = [{
    ```mlir
    %z = stablehlo.concatenate %x, %y, dim = 1 : (tensor<2x3xf32>, tensor<2x5xf32>) -> tensor<2x8xf32>
    ```
  }];
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs, I64Attr:$dimension);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    custom<Inputs>($inputs) `dim` `=` $dimension attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_PadOp : StableHLO_Op<"pad"> {
  let summary = "elements of one value in front of, behind and between those of the operand";
  let description = [{
    ```mlir
    %y = stablehlo.pad %x, %zero, low = [1, -1], high = [0, 2], interior = [0, 1]
      : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x6xf32>
    ```

    Where a number of `low` or `high` is negative, elements are left out.
  }];
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_Tensor:$padding_value,
    DenseI64ArrayAttr:$edge_padding_low, DenseI64ArrayAttr:$edge_padding_high,
    DenseI64ArrayAttr:$interior_padding);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $padding_value `,` `low` `=` custom<Dims>($edge_padding_low) `,` `high` `=`
    custom<Dims>($edge_padding_high) `,` `interior` `=` custom<Dims>($interior_padding)
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

def StableHLO_ReduceOp : StableHLO_Op<"reduce", [SingleBlock]> {
  let summary = "sums, or the largest or smallest, over dimensions";
  let description = [{
    ```mlir
    %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 2]
      : (tensor<4x8x3xf32>, tensor<f32>) -> tensor<8xf32>
    ```

    The body is one `add`, `maximum` or `minimum` of its two arguments.
  }];
  let arguments = (ins StableHLO_Tensor:$input, StableHLO_Tensor:$init_value,
                       DenseI64ArrayAttr:$dimensions);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs StableHLO_Tensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// What makes one element of two.
    ::mlir::Operation &getCombiner() { return getBody().front().front(); }
  }];
}

def StableHLO_ReduceWindowOp : StableHLO_Op<"reduce_window", [SingleBlock]> {
  let summary = "sums, or the largest or smallest, over windows";
  let description = [{
    ```mlir
    %y = "stablehlo.reduce_window"(%x, %minus_infinity)
      <{padding = dense<[[0, 0], [0, 1]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 3>,
        window_strides = array<i64: 1, 2>}> ({ … })
      : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x4xf32>
    ```

    The body is one `add`, `maximum` or `minimum` of its two arguments. Padding, and
    what lies between the elements where `base_dilations` spreads them, has the first
    value.
  }];
  let arguments = (ins StableHLO_Tensor:$input, StableHLO_Tensor:$init_value,
    DenseI64ArrayAttr:$window_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<DenseI64ArrayAttr>:$base_dilations,
    OptionalAttr<DenseI64ArrayAttr>:$window_dilations,
    OptionalAttr<I64ElementsAttr>:$padding);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs StableHLO_Tensor:$result);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// What makes one element of two.
    ::mlir::Operation &getCombiner() { return getBody().front().front(); }
    /// What the window does along a dimension; defaults where the attributes are
    /// absent.
    WindowDimension getWindowDimension(int64_t dim);
  }];
}

def StableHLO_SelectAndScatterOp : StableHLO_Op<"select_and_scatter", [SingleBlock]> {
  let summary = "of each window one element, to which an element of the source is added";
  let description = [{
    ```mlir
    %dx = "stablehlo.select_and_scatter"(%x, %dy, %zero)
      <{window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
    }) : (tensor<4x9xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x9xf32>
    ```

    The gradient of a maximum over windows. A window is read in ascending order, and
    the element that it has selected is kept where `compare` of it and the next one
    holds. Sums begin with the first value. Padding is never selected.
  }];
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_Tensor:$source,
    StableHLO_Tensor:$init_value,
    OptionalAttr<DenseI64ArrayAttr>:$window_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<I64ElementsAttr>:$padding);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
  let results = (outs StableHLO_Tensor:$result);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether of two elements the first one is kept.
    CompareOp getComparison();
    /// What adds an element of the source.
    ::mlir::Operation &getCombiner() { return getScatter().front().front(); }
    /// The extents of a window; ones where the attribute is absent.
    ::llvm::SmallVector<int64_t> getWindowExtents();
    /// What the window does along a dimension.
    WindowDimension getWindowDimension(int64_t dim);
  }];
}

def StableHLO_ReturnOp
    : StableHLO_Op<"return", [Terminator]> {
  let summary = "what the body of an operation makes";
  let arguments = (ins StableHLO_Tensor:$operand);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
  let hasVerifier = 1;
}

#endif // CONV_DIALECT_STABLEHLO_IR_STABLEHLOOPS_TD
