//===- Passes.td - convolutions as kernels compute them ----*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forms F0 and F1 of docs/Pipelines.md. The code is in lib/Transforms/Operations.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TRANSFORMS_OPERATIONS_PASSES_TD
#define CONV_TRANSFORMS_OPERATIONS_PASSES_TD

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

def ConvDropAssertions : Pass<"conv-drop-assertions", "::mlir::func::FuncOp"> {
  let summary = "drop assertions that hold, and refuse other effects of bodies";
  let description = [{
    A kernel checks nothing while it runs. A `cf.assert` whose condition
    constants show to be true goes away, in the function and in the bodies of
    `linalg`. Any other is an error, and so is each operation in a body that does
    not only compute its results, such as a store.

    ```mlir
    %y = linalg.generic ins(%x) { %t = arith.cmpi slt, %c2, %c4; cf.assert %t, "…"; addf }
    // becomes
    %y = linalg.generic ins(%x) { addf }
    ```
  }];
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

def ConvExpandSlices : Pass<"conv-expand-slices", "::mlir::func::FuncOp"> {
  let summary = "make parts of tensors operations with loops";
  let description = [{
    `tensor.extract_slice`, `tensor.insert_slice` and `tensor.concat` of constant
    offsets and strides become a `linalg.generic` each that reads its source by
    position. It is a plain kernel, or part of that of what reads it.

    ```mlir
    %s = tensor.extract_slice %x[0, 1] [8, 3] [1, 2] : tensor<8x6xf32> to tensor<8x3xf32>
    // becomes
    %f = tensor.collapse_shape %x [[0, 1]] : tensor<8x6xf32> into tensor<48xf32>
    %s = linalg.generic outs(%e : tensor<8x3xf32>) {
      %i = linalg.index 0 …                      // %position = 6 * %i + 2 * %j + 1
      %v = tensor.extract %f[%position]
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

def ConvSelectSchedule : Pass<"conv-select-schedule"> {
  let summary = "decide how each convolution runs on a chip";
  let description = [{
    Form F0 to F1. Attaches `conv.schedule` to every convolution that has none:
    the legal candidate with the least modelled time. A schedule that is there
    already, or that the `schedule` option asks for, is checked; one that the
    chip cannot run is an error that names the limit.

    The chip is that of the options, and put on the module as `conv.chip`
    (`#conv.chip`), where later passes read it.
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"\"",
           "the target, a name in docs/Targets.md; empty: that of the module's "
           "`conv.chip`, or sm_90a where it has none">,
    Option<"multiprocessors", "multiprocessors", "int64_t", "0",
           "of the device; 0: of `conv.chip`, or as the table of chips says">,
    Option<"schedule", "schedule", "std::string", "\"\"",
           "keys that replace the choice: tile=128x128x32 warps=2x2 stages=4">
  ];
  let dependentDialects = ["::mlir::conv::ConvDialect"];
}

def ConvFoldTaps : Pass<"conv-fold-taps", "::mlir::func::FuncOp"> {
  let summary = "compute taps of a convolution as channels";
  let description = [{
    Within form F1. An operation whose schedule has `fold = [F…]`, one number for
    each spatial dimension, is computed with F taps of each as channels: x becomes
    x' [N, positions, (taps, C)], w becomes w' [K, R / F, (taps, C)], their
    channels padded with zeros to a multiple of 32 bytes, and along a dimension
    with F > 1 there is neither stride nor padding. `conv.forward` and `conv.wgrad`
    read copies, and dx and dw are picked from the results of `conv.dgrad` and
    `conv.wgrad`, all by `linalg.generic` that become plain kernels. A tensor that
    a `linalg.transpose` makes is read in front of it. The schedule keeps its `fold`.

    With F = stride this is space to depth. A zero of w' past the taps of w times
    an infinity or NaN is NaN: in `forward` and `dgrad`, one reaches positions whose
    windows end up to F - 1 taps in front of it.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"];
}

def ConvMergeGroups : Pass<"conv-merge-groups", "::mlir::func::FuncOp"> {
  let summary = "compute several groups of a convolution as one";
  let description = [{
    Within form F1. An operation whose schedule has `merge = M` and that has G
    groups becomes one of G / M groups, whose filter is block-diagonal: K,R,S,C/G
    becomes K,R,S,M*C/G, with zeros where filter and channel are of different
    groups. `linalg.generic` spreads the filter in front of `conv.forward` and
    `conv.dgrad`, or picks the blocks of the diagonal behind `conv.wgrad`; both
    become plain kernels. The schedule keeps its `merge`.

    A zero of the filter times an infinity or NaN is NaN: in results of `forward`
    and `dgrad`, one in a channel reaches the groups that are merged with its own.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"];
}

def ConvTransposeWgrad : Pass<"conv-transpose-wgrad", "::mlir::func::FuncOp"> {
  let summary = "compute wgrad as forward of transposed copies";
  let description = [{
    Within form F1. `wgmma` multiplies operands of other widths than 16 bits only
    where gemm-k is contiguous, and that of `conv.wgrad` are positions. Where its
    schedule has `mma = wgmma`, it becomes a `conv.forward` with the same schedule on
    copies of x and dy whose last dimension are images and columns: the images are
    (c, s), the taps are the other dimensions of dy, and the output positions are
    those of the filter. The result is transposed to the filter's order.

    ```mlir
    %dw = conv.wgrad ins(%x, %dy : tensor<8x14x14x64xi8>, tensor<8x14x14x128xi8>) … -> tensor<128x3x3x64xi32>
    // becomes, with 64 x 3 images of 14 rows of 8 x 14 channels, and 128 filters of 14 taps,
    %y = conv.forward ins(%xt, %dyt : tensor<192x14x112xi8>, tensor<128x14x112xi8>) … -> tensor<192x3x128xi32>
    %s = tensor.expand_shape …
    %dw = linalg.transpose ins(%s : tensor<64x3x3x128xi32>) … permutation = [3, 2, 1, 0]
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"];
}

#endif // CONV_TRANSFORMS_OPERATIONS_PASSES_TD
