//===- ConvInterfaces.td - what the convolutions share -----*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_CONVINTERFACES_TD
#define CONV_DIALECT_CONV_IR_CONVINTERFACES_TD

include "mlir/Interfaces/DestinationStyleOpInterface.td"

def Conv_ConvOpInterface
    : OpInterface<"ConvOpInterface", [DestinationStyleOpInterface]> {
  let cppNamespace = "::mlir::conv";
  let description = [{
    `conv.forward`, `conv.dgrad` and `conv.wgrad` alike: one geometry, in which
    x, w and y play their roles, and the tensors that are given or made. Names
    without a "d" mean the role: `getInputType()` is the type of x in
    `conv.forward` and of dx in `conv.dgrad`.
  }];
  let methods = [
    InterfaceMethod<"Which of the three operations this is.",
      "::convmlir::ConvKind", "getConvKind">,
    InterfaceMethod<"Per spatial dimension, outermost first, as all below.",
      "::llvm::ArrayRef<int64_t>", "getStride">,
    InterfaceMethod<"Zeros before the first position; negative: crop.",
      "::llvm::ArrayRef<int64_t>", "getPadLow">,
    InterfaceMethod<"Zeros after the last position; negative: crop.",
      "::llvm::ArrayRef<int64_t>", "getPadHigh">,
    InterfaceMethod<"Distance of two filter taps in x.",
      "::llvm::ArrayRef<int64_t>", "getDilation">,
    InterfaceMethod<"Distance of two input positions in the spread x.",
      "::llvm::ArrayRef<int64_t>", "getInputDilation">,
    InterfaceMethod<"Groups that C and K are divided into.",
      "int64_t", "getGroups">,
    InterfaceMethod<"", "void", "setGroups", (ins "uint64_t":$groups)>,
    InterfaceMethod<"Memory order of the three tensors.",
      "::mlir::conv::Layout", "getLayout">,
    InterfaceMethod<"Type in which the sum is formed.",
      "::mlir::Type", "getAccType">,
    InterfaceMethod<"Type to which the sources are rounded before they are "
      "multiplied; nothing where they are multiplied as they are.",
      "::std::optional<::mlir::Type>", "getPrecisionType">,
    InterfaceMethod<"Whether the filter is read backwards.",
      "bool", "getFlip">,
    InterfaceMethod<"Whether the result is added to what `outs` holds.",
      "bool", "getAccumulate">,
    InterfaceMethod<"", "void", "setAccumulate", (ins "bool":$value)>,
    InterfaceMethod<"", "void", "setStride",
      (ins "::llvm::ArrayRef<int64_t>":$values)>,
    InterfaceMethod<"", "void", "setPadLow",
      (ins "::llvm::ArrayRef<int64_t>":$values)>,
    InterfaceMethod<"", "void", "setPadHigh",
      (ins "::llvm::ArrayRef<int64_t>":$values)>,
    InterfaceMethod<"", "void", "setDilation",
      (ins "::llvm::ArrayRef<int64_t>":$values)>,
    InterfaceMethod<"", "void", "setInputDilation",
      (ins "::llvm::ArrayRef<int64_t>":$values)>,
  ];
  let extraSharedClassDeclaration = [{
    /// The operand that is x, w or y, or the gradient in its place.
    ::mlir::Value getOperandOf(::mlir::conv::TensorRole role) {
      return $_op->getOperand(
          ::mlir::conv::getOperandIndex($_op.getConvKind(), role));
    }
    ::mlir::ShapedType getTypeOf(::mlir::conv::TensorRole role) {
      return ::llvm::cast<::mlir::ShapedType>($_op.getOperandOf(role).getType());
    }
    ::mlir::Value getInput() { return getOperandOf(::mlir::conv::TensorRole::Input); }
    ::mlir::Value getFilter() { return getOperandOf(::mlir::conv::TensorRole::Filter); }
    ::mlir::Value getOutput() { return getOperandOf(::mlir::conv::TensorRole::Output); }
    ::mlir::ShapedType getInputType() { return getTypeOf(::mlir::conv::TensorRole::Input); }
    ::mlir::ShapedType getFilterType() { return getTypeOf(::mlir::conv::TensorRole::Filter); }
    ::mlir::ShapedType getOutputType() { return getTypeOf(::mlir::conv::TensorRole::Output); }

    /// The tensor that is computed, and its destination.
    ::mlir::Value getDest() { return $_op->getOperand(2); }
    ::mlir::ShapedType getDestType() {
      return ::llvm::cast<::mlir::ShapedType>($_op.getDest().getType());
    }
    /// Element type of the two tensors that are read; of two 8-bit floats that
    /// of the first.
    ::mlir::Type getSourceElementType() {
      return ::mlir::getElementTypeOrSelf($_op->getOperand(0).getType());
    }
    /// Element type of the second of them.
    ::mlir::Type getSecondElementType() {
      return ::mlir::getElementTypeOrSelf($_op->getOperand(1).getType());
    }
    /// Type of the factors of each product; of two 8-bit floats that of the
    /// first.
    ::mlir::Type getFactorType() {
      return $_op.getPrecisionType().value_or($_op.getSourceElementType());
    }
    int64_t getSpatialRank() { return $_op.getStride().size(); }

    /// The shape of the convolution; of a verified op it always exists.
    ::llvm::FailureOr<::convmlir::ConvGeometry> getGeometry() {
      ::convmlir::Result<::convmlir::ConvGeometry> geometry =
          ::mlir::conv::detail::readGeometry($_op.getOperation());
      if (!geometry)
        return ::mlir::failure();
      return *geometry;
    }
  }];
  let verify = [{ return ::mlir::conv::detail::verifyConvOp($_op); }];
}

#endif // CONV_DIALECT_CONV_IR_CONVINTERFACES_TD
