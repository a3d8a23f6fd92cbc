//===- Passes.td - convolutions as contractions ------------*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CONVERSION_CONVTOGEMM_PASSES_TD
#define CONV_CONVERSION_CONVTOGEMM_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertConvToGemm : Pass<"convert-conv-to-gemm", "::mlir::func::FuncOp"> {
  let summary = "turn convolutions into contractions of virtual matrices";
  let description = [{
    Form F1 to F2 of docs/Pipelines.md, the implicit GEMM: `conv.im2col` of the
    operands, one `linalg.generic` contraction (one per stride phase for
    `conv.dgrad`), and a `conv.scatter` of the result. A stride phase without
    taps is a scatter of zeros. The schedule moves to the contraction.

    ```mlir
    %y = conv.forward ins(%x, %w : tensor<1x8x9x4xf16>, tensor<6x3x3x4xf16>) outs(%y0 : tensor<1x6x7x6xf32>) -> tensor<1x6x7x6xf32>
    ```

    becomes

    ```mlir
    %X = conv.im2col %x view <rows = [6, 7], taps = [3, 3], ...> : tensor<1x8x9x4xf16> -> tensor<42x9x4xf16>
    %W = conv.im2col %w view <rows = [1, 1], taps = [3, 3], ...> : tensor<6x3x3x4xf16> -> tensor<6x9x4xf16>
    %acc = linalg.generic ins(%X, %W) outs(%zeros) -> tensor<42x6xf32>
    %y = conv.scatter %acc into %y0 view <rows = [6, 7], taps = [1, 1], ...>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"];
}

def ConvFuseEpilogue : Pass<"conv-fuse-epilogue", "::mlir::func::FuncOp"> {
  let summary = "move elementwise operations in front of the scatter";
  let description = [{
    An elementwise `linalg.generic` on the result of a `conv.scatter` becomes
    the same operation on the matrix that is scattered, so that tiling fuses it
    into the kernel. Its other operands of the same shape (a residual) are read
    through `conv.im2col`; rows of per-channel values (a bias) and tensors
    without dimensions stay as they are.
  }];
  let dependentDialects = [
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

#endif // CONV_CONVERSION_CONVTOGEMM_PASSES_TD
