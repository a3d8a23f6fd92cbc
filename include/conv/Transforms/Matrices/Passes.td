//===- Passes.td - virtual matrices ------------------------*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Form F2 of docs/Pipelines.md. The code is in lib/Transforms/Matrices.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TRANSFORMS_MATRICES_PASSES_TD
#define CONV_TRANSFORMS_MATRICES_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvFuseTransposition
    : Pass<"conv-fuse-transposition", "::mlir::func::FuncOp"> {
  let summary = "let a convolution's kernel write its result with channels first";
  let description = [{
    Form F2. A `linalg.transpose` to channels first, of a result that nothing else
    reads, goes into the `conv.scatter` that writes the result. It does so where rows
    of the matrix that are neighbours in memory fill 8 bytes or more: not for gemm-k in
    parts, stride phases or explicit im2col.

    ```mlir
    %y = conv.scatter %m into %y0 view #view : tensor<25088x128xbf16> into tensor<8x56x56x128xbf16>
    %t = linalg.transpose ins(%y) outs(%e) permutation = [0, 3, 1, 2]
    // becomes
    %t = conv.scatter %m into %e view #view channels_first : tensor<25088x128xbf16> into tensor<8x128x56x56xbf16>
    ```
  }];
}

def ConvFillZeroPhases
    : Pass<"conv-fill-zero-phases", "::mlir::func::FuncOp"> {
  let summary = "let the kernel of one phase store the zeros of all others";
  let description = [{
    Form F2. Of a result whose stride phases are zeros but for one, since no tap reaches
    them, only the `conv.scatter` of that one is left, with `zero_fill`. It does so where
    the kernel of the schedule stores the result by TMA, has room for a few zeros in
    shared memory, and each row of the matrix has a cell of the tensor to itself (up to
    16 positions); gemm-k in parts, and results that are transposed, have other forms.

    ```mlir
    %y0 = conv.scatter %m into %e view <rows = [28], taps = [1], stride = [2], …> : tensor<224x128xbf16> into tensor<8x56x128xbf16>
    %y1 = conv.scatter %zeros into %y0 view <rows = [28], …, stride = [2], …, offset = [1]> : …
    // becomes
    %y = conv.scatter %m into %e view <rows = [28], taps = [1], stride = [2], …> zero_fill : tensor<224x128xbf16> into tensor<8x56x128xbf16>
    ```
  }];
}

def ConvFuseBiasGradient
    : Pass<"conv-fuse-bias-gradient", "::mlir::func::FuncOp"> {
  let summary = "sum dy over positions as the rows that wgrad multiplies";
  let description = [{
    Form F2. A sum of a tensor over all dimensions but its channels, the gradient of
    a bias, becomes the sum over the rows of the matrix that `wgrad` reads of the same
    tensor: tiling makes both in one kernel. A transposition between tensor and
    matrix, of images with channels first, is looked through.

    ```mlir
    %DY = conv.im2col %dy view #view : tensor<4x16x18x128xbf16> -> tensor<1152x128xbf16>
    %dw = linalg.generic ins(%DY, %X) … {conv.schedule = …}
    %db = linalg.generic {(k, n, p, q) -> (n, p, q, k), (k); parallel, reduction, reduction, reduction} ins(%dy) outs(%zeros) { extf, addf }
    // becomes
    %db = linalg.generic {(k, m) -> (m, k), (k); parallel, reduction} ins(%DY) outs(%zeros) { extf, addf }
    ```

    It does so where `whyApart` (BiasGradient.h) finds nothing against it; else a remark says why. A sum of many
    positions that stays apart, or has no `wgrad` beside it, becomes one of equal parts of them (of images, with channels
    first) and one of these sums, so that there are threads enough for both.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ConvFuseInputTransposition
    : Pass<"conv-fuse-input-transposition", "::mlir::func::FuncOp"> {
  let summary = "let a convolution's kernel read tensors with channels first";
  let description = [{
    Form F2. Where the schedule of a contraction says `gather`, a `linalg.transpose` to channels
    last of what a `conv.im2col` reads for it goes into the `conv.im2col`.

    ```mlir
    %t = linalg.transpose ins(%x) outs(%e) permutation = [0, 2, 3, 1]
    %X = conv.im2col %t view #view : tensor<8x14x14x64xbf16> -> tensor<1568x64xbf16>
    // becomes
    %X = conv.im2col %x view #view channels_first : tensor<8x64x14x14xbf16> -> tensor<1568x64xbf16>
    ```
  }];
}

#endif // CONV_TRANSFORMS_MATRICES_PASSES_TD
