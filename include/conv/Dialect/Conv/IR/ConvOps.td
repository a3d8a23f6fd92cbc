//===- ConvOps.td - forward, dgrad, wgrad ------------------*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_CONVOPS_TD
#define CONV_DIALECT_CONV_IR_CONVOPS_TD

include "conv/Dialect/Conv/IR/ConvAttrs.td"
include "conv/Dialect/Conv/IR/ConvInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Conv_ConvTensor : AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>;

/// One of the three operations on the operands `first`, `second` and `made`,
/// the letters of the convolution.
class Conv_ConvolutionOp<string mnemonic, string kind, string first,
                         string second, string made>
    : Conv_Op<mnemonic, [
        DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<Conv_ConvOpInterface, ["getConvKind"]>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
          ["reifyResultShapes"]>]> {
  dag windowAttributes = (ins
    DenseI64ArrayAttr:$stride,
    DenseI64ArrayAttr:$pad_low,
    DenseI64ArrayAttr:$pad_high,
    DenseI64ArrayAttr:$dilation,
    DenseI64ArrayAttr:$input_dilation,
    I64Attr:$groups,
    Conv_LayoutAttr:$layout,
    TypeAttr:$acc_type,
    OptionalAttr<TypeAttr>:$precision_type,
    UnitAttr:$flip,
    UnitAttr:$accumulate);
  let arguments = !con(
    !dag(ins, [Conv_ConvTensor, Conv_ConvTensor, Conv_ConvTensor],
              [first, second, made]),
    windowAttributes);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat =
    "`ins` `(` $" # first # " `,` $" # second #
    " `:` type($" # first # ") `,` type($" # second # ") `)` " #
    "`outs` `(` $" # made # " `:` type($" # made # ") `)` " #
    "`` custom<Window>(ref(type($" # first # ")), $stride, $pad_low, $pad_high, " #
    "$dilation, $input_dilation, $groups, $layout, $acc_type, " #
    "$precision_type, $flip, $accumulate) " #
    "attr-dict (`->` type($result)^)?";
  let hasCanonicalizer = 1;
  let builders = [
    /// The window (stride, padding, dilations, groups, flip) is that of
    /// `geometry`. Without `accType`, the default for the element type of the
    /// sources; without `precisionType`, these are multiplied as they are.
    OpBuilder<(ins "Value":$source0, "Value":$source1, "Value":$dest,
                   "const ::convmlir::ConvGeometry &":$geometry,
                   CArg<"Layout", "Layout::NHWC">:$layout,
                   CArg<"Type", "{}">:$accType,
                   CArg<"Type", "{}">:$precisionType),
              [{ detail::buildConvOp($_builder, $_state, {source0, source1, dest},
                                     geometry, layout, accType, precisionType); }]>
  ];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return get}] # !toupper(!substr(made, 0, 1)) # !substr(made, 1) # [{Mutable();
    }
  }];
  let extraClassDefinition = [{
    ::convmlir::ConvKind $cppClass::getConvKind() {
      return ::convmlir::ConvKind::}] # kind # [{;
    }
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance> &effects) {
      ::mlir::conv::detail::getConvEffects(*this, effects);
    }
    ::llvm::LogicalResult $cppClass::reifyResultShapes(
        ::mlir::OpBuilder &builder, ::mlir::ReifiedRankedShapedTypeDims &shapes) {
      return ::mlir::conv::detail::reifyConvShapes(*this, builder, shapes);
    }
    void $cppClass::getCanonicalizationPatterns(
        ::mlir::RewritePatternSet &patterns, ::mlir::MLIRContext *context) {
      ::mlir::conv::detail::populateConvCanonicalization(
          patterns, context, getOperationName());
    }
  }];
}

def Conv_ForwardOp : Conv_ConvolutionOp<"forward", "Forward", "x", "w", "y"> {
  let summary = "convolution (cross-correlation) of x with the filters w";
  let description = [{
    ```
    y[n, p, k] = sum over r, c of x'[n, p*stride + r*dilation - pad_low, c'] * w[k, r, c]
    ```

    where x' is x with `input_dilation - 1` zeros between neighbours, and zero
    outside of its extent (docs/ConvSpec.md). The sum is formed in `acc_type`
    and converted to the element type of y. The operand of `outs` is a
    destination only, which is overwritten; with `accumulate` it is what the
    result begins with: y = y0 + sum, formed in `acc_type` and rounded once.

    Tensors are in the order of `layout`: `nhwc` has x N,D,H,W,C, w K,T,R,S,C/G
    and y N,Z,P,Q,K; `nchw` has x N,C,D,H,W, w K,C/G,T,R,S and y N,K,Z,P,Q. All
    ranks from 1-D (W, S, Q) to 3-D. Between the operands and the type of the
    result stand, in this order, the parameters that are not the default:

    | text | meaning | default |
    |---|---|---|
    | `stride [2, 1]` | per spatial dimension, outermost first | 1 |
    | `pad [1, 0:2]` | zeros around x, one number or low:high; negative crops | 0 |
    | `dilation [2, 2]` | distance of two filter taps | 1 |
    | `input_dilation [2, 1]` | distance of two positions of x | 1 |
    | `groups 4` | C and K are divided into groups | 1 |
    | `layout nchw` | memory order of the tensors | `nhwc` |
    | `flip` | the filter is read backwards: w[k, R - 1 - r, c] | forwards |
    | `acc f16` | type of the sum | `f32` for floats below 64 bits, `i32` for integers up to 16 |
    | `precision tf32` | type to which elements of x and w, which are f32, are rounded before they are multiplied | none |
    | `accumulate` | the result is added to what `outs` holds | overwritten |

    ```mlir
    %y = conv.forward ins(%x, %w : tensor<8x56x56x64xbf16>, tensor<128x3x3x64xbf16>)
                      outs(%y0 : tensor<8x28x56x128xbf16>)
                      stride [2, 1] pad [1, 1] -> tensor<8x28x56x128xbf16>
    conv.forward ins(%x, %w : memref<8x4x56xf32>, memref<6x2x3xf32>)
                 outs(%y : memref<8x6x54xf32>) groups 2 layout nchw
    ```

    `conv.schedule = #conv.schedule<…>` in the attribute dictionary says how the
    op is to be computed.
  }];
}

def Conv_DgradOp : Conv_ConvolutionOp<"dgrad", "Dgrad", "dy", "w", "dx"> {
  let summary = "gradient of conv.forward with respect to x";
  let description = [{
    ```
    dx[n, h, c'] = sum over all (p, r, k) with p*stride + r*dilation - pad_low = h*input_dilation
                   of dy[n, p, k] * w[k, r, c]
    ```

    The attributes are those of the forward convolution. Several input extents
    lead to the same dy, so the extents of dx are those of the destination. An
    element of dx that no output depends on is zero, and is written.

    ```mlir
    %dx = conv.dgrad ins(%dy, %w : tensor<8x28x56x128xbf16>, tensor<128x3x3x64xbf16>)
                     outs(%dx0 : tensor<8x56x56x64xbf16>)
                     stride [2, 1] pad [1, 1] -> tensor<8x56x56x64xbf16>
    ```
  }];
}

def Conv_WgradOp : Conv_ConvolutionOp<"wgrad", "Wgrad", "x", "dy", "dw"> {
  let summary = "gradient of conv.forward with respect to w";
  let description = [{
    ```
    dw[k, r, c] = sum over n, p of dy[n, p, k] * x'[n, p*stride + r*dilation - pad_low, c']
    ```

    The attributes are those of the forward convolution.

    ```mlir
    %dw = conv.wgrad ins(%x, %dy : tensor<8x56x56x64xbf16>, tensor<8x28x56x128xbf16>)
                     outs(%dw0 : tensor<128x3x3x64xf32>)
                     stride [2, 1] pad [1, 1] -> tensor<128x3x3x64xf32>
    ```
  }];
}

#endif // CONV_DIALECT_CONV_IR_CONVOPS_TD
