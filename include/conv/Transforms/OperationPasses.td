//===- OperationPasses.td - simpler convolutions -----------*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From F0 to F0: what convolutions say beyond what kernels compute becomes
// operations of its own around them.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TRANSFORMS_OPERATIONPASSES_TD
#define CONV_TRANSFORMS_OPERATIONPASSES_TD

include "mlir/Pass/PassBase.td"

def ConvExpandAccumulation
    : Pass<"conv-expand-accumulation", "::mlir::func::FuncOp"> {
  let summary = "make the addition to an existing result an operation";
  let description = [{
    A convolution on tensors that accumulates becomes one that does not, with a
    result in the accumulation type, and an elementwise addition of what the
    destination holds, rounded once. The addition is then an epilogue as any other.

    ```mlir
    %dw = conv.wgrad ins(%x, %dy : …) outs(%dw0 : tensor<128x3x3x64xbf16>) accumulate -> …
    // becomes
    %s = conv.wgrad ins(%x, %dy : …) outs(%e : tensor<128x3x3x64xf32>) -> …
    %dw = linalg.generic ins(%s, %dw0) { extf, addf, truncf }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ConvExpandPadding : Pass<"conv-expand-padding", "::mlir::func::FuncOp"> {
  let summary = "make a padded tensor an operation with loops";
  let description = [{
    A `tensor.pad` by constants that is no padding of a convolution becomes a
    `linalg.generic` that reads an element of the source where there is one. It
    is a plain kernel, or part of that of what reads it.

    ```mlir
    %p = tensor.pad %x low[1, 0] high[0, 2] { … yield %c … } : tensor<8x6xf32> to tensor<9x8xf32>
    // becomes
    %f = tensor.collapse_shape %x [[0, 1]] : tensor<8x6xf32> into tensor<48xf32>
    %p = linalg.generic outs(%e : tensor<9x8xf32>) {
      %i = linalg.index 0 …                      // %exists, %offset
      %v = tensor.extract %f[%offset]
      %r = arith.select %exists, %v, %c
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ConvConvertLayout : Pass<"conv-convert-layout", "::mlir::func::FuncOp"> {
  let summary = "make convolutions channels last, or rows of positions";
  let description = [{
    A convolution on tensors with the layout nchw becomes one with the layout
    nhwc, between transpositions of its operands and of its result. Where only
    extents of 1 change their place, the transposition is a reshape, without a copy.

    Elementwise operations on the result move in front of its transposition, so
    that they are still a part of the convolution's kernel; what else they read in
    the shape of the result is transposed for them. A result that the next
    convolution reads is not transposed at all.

    ```mlir
    %y = conv.forward ins(%x, %w : tensor<8x64x56x56xbf16>, …) outs(…) layout nchw -> …
    // becomes
    %xt = linalg.transpose ins(%x) outs(%e0) permutation = [0, 2, 3, 1]
    %wt = linalg.transpose ins(%w) outs(%e1) permutation = [0, 2, 3, 1]
    %yt = conv.forward ins(%xt, %wt : tensor<8x56x56x64xbf16>, …) outs(…) -> …
    %y = linalg.transpose ins(%yt) outs(%e2) permutation = [0, 3, 1, 2]
    ```

    A convolution with filters of 1x1 whose images are matrices [channel, position]
    that can be multiplied as they are (conv/Dialect/Conv/IR/ChannelsFirst.h) keeps the
    layout nchw, with all spatial dimensions as one, and so do elementwise operations
    on its result.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

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

def ConvRestoreLayout : Pass<"conv-restore-layout", "::mlir::func::FuncOp"> {
  let summary = "give a scheduled convolution its channels first again";
  let description = [{
    Form F1. Where the schedule of a convolution says `kn2row`, or `gather` with the algorithm
    `loops`, it has the layout nchw again, which conv-convert-layout took from it: the
    transpositions around it and around the elementwise operations behind it cancel.

    ```mlir
    %xt = linalg.transpose ins(%x) … permutation = [0, 2, 3, 1]
    %wt = linalg.transpose ins(%w) … permutation = [0, 2, 3, 1]
    %yt = conv.forward ins(%xt, %wt : …) outs(…) {conv.schedule = #conv.schedule<…, kn2row = true>}
    %zt = linalg.generic ins(%yt) …
    %z = linalg.transpose ins(%zt) … permutation = [0, 3, 1, 2]
    // becomes
    %y = conv.forward ins(%x, %w : …) outs(…) layout nchw {conv.schedule = …}
    %z = linalg.generic ins(%y) …
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
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

#endif // CONV_TRANSFORMS_OPERATIONPASSES_TD
