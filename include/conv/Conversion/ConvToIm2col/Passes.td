//===- Passes.td - explicit im2col -------------------------*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CONVERSION_CONVTOIM2COL_PASSES_TD
#define CONV_CONVERSION_CONVTOIM2COL_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvMaterializeMatrices
    : Pass<"conv-materialize-matrices", "::mlir::func::FuncOp"> {
  let summary = "give the matrices of a contraction a workspace, flatten the contraction";
  let description = [{
    Turns the implicit GEMM of form F2 (docs/Pipelines.md) into the explicit
    one. Every matrix that is not its tensor in another shape is written to a
    workspace by an operation of its own: `conv.im2col` with a `dest`, or
    `linalg.transpose` of the virtual matrix where taps and channels are not
    neighbours in it (groups, the filter of `conv.dgrad`). Taps and channels are
    then one dimension, and the contraction is a GEMM of 2-D matrices, with a
    batch dimension for groups. The workspaces are the `tensor.empty` operations
    that the pass makes; their types say how large they are.

    ```mlir
    %X = conv.im2col %x view #view : tensor<1x8x9x4xf16> -> tensor<42x9x4xf16>
    %W = conv.im2col %w view #taps : tensor<6x3x3x4xf16> -> tensor<6x9x4xf16>
    %acc = linalg.generic {(m, n, t, c) -> (m, t, c), (n, t, c), (m, n)} ins(%X, %W) outs(%zeros)
    ```

    becomes

    ```mlir
    %workspace = tensor.empty() : tensor<42x9x4xf16>
    %X = conv.im2col %x into %workspace view #view : tensor<1x8x9x4xf16> into tensor<42x9x4xf16> -> tensor<42x9x4xf16>
    %A = tensor.collapse_shape %X [[0], [1, 2]] : tensor<42x9x4xf16> into tensor<42x36xf16>
    %B = tensor.collapse_shape %w [[0], [1, 2, 3]] : tensor<6x3x3x4xf16> into tensor<6x36xf16>
    %acc = linalg.generic {(m, n, k) -> (m, k), (n, k), (m, n)} ins(%A, %B) outs(%zeros)
    ```

    Contractions whose `conv.schedule` names another algorithm than `im2col` stay
    as they are.
  }];
  let dependentDialects = [
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def ConvViewMatrices
    : Pass<"conv-view-matrices", "::mlir::func::FuncOp"> {
  let summary = "read dense operands of scheduled contractions through views";
  let description = [{
    What follows knows the operands of a contraction as `conv.im2col`. A dense
    matrix becomes one of a view without taps: its rows are the positions of one
    image, its columns the channels. Groups between rows and columns are groups of
    channels, those in front of the rows are row groups. A result of taps and
    channels in one dimension, which was expanded for what comes next, is scattered
    through a view of this kind: into its tensor where that is the same, else into a
    workspace.

    ```mlir
    %acc = linalg.generic {(m, n, k) -> (m, k), (n, k), (m, n)} ins(%A, %B : tensor<42x36xf16>, tensor<6x36xf16>) outs(%zeros)
    ```

    becomes

    ```mlir
    %a = tensor.expand_shape %A [[0, 1], [2]] output_shape [1, 42, 36] : tensor<42x36xf16> into tensor<1x42x36xf16>
    %X = conv.im2col %a view <rows = [42], taps = [1], …> : tensor<1x42x36xf16> -> tensor<42x36xf16>
    …
    %acc = linalg.generic {(m, n, k) -> (m, k), (n, k), (m, n)} ins(%X, %W) outs(%zeros)
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

#endif // CONV_CONVERSION_CONVTOIM2COL_PASSES_TD
