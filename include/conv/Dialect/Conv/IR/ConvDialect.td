//===- ConvDialect.td - the conv dialect -------------------*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_CONVDIALECT_TD
#define CONV_DIALECT_CONV_IR_CONVDIALECT_TD

include "mlir/IR/OpBase.td"

def Conv_Dialect : Dialect {
  let name = "conv";
  let cppNamespace = "::mlir::conv";
  let summary = "Convolutions, their gradients, and the matrices they are made of";
  let description = [{
    Two families of operations: the convolutions themselves (`conv.forward`,
    `conv.dgrad`, `conv.wgrad`), and the virtual matrices of implicit GEMM
    (`conv.im2col`, `conv.scatter`); and the attributes that carry geometry
    (`#conv.view`) and decisions (`#conv.schedule`). What engines of a chip do
    is a level below, the dialect `engine`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Name of the attribute of a kernel that holds the bytes of dynamic
    /// shared memory of a launch.
    static constexpr ::llvm::StringLiteral getSharedBytesAttrName() {
      return "conv.shared_bytes";
    }
    /// Adds the convolutions (ConvOps.cpp).
    void registerConvOps();
  }];
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect",
                           "tensor::TensorDialect"];
}

class Conv_Op<string mnemonic, list<Trait> traits = []>
    : Op<Conv_Dialect, mnemonic, traits>;

#endif // CONV_DIALECT_CONV_IR_CONVDIALECT_TD
