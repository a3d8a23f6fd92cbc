//===- TilePasses.td - from matrices to kernels ------------*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forms F2 to F6 of docs/Pipelines.md.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TRANSFORMS_TILEPASSES_TD
#define CONV_TRANSFORMS_TILEPASSES_TD

include "mlir/Pass/PassBase.td"

def ConvSelectSchedule : Pass<"conv-select-schedule"> {
  let summary = "decide how each convolution runs on a chip";
  let description = [{
    Form F0 to F1. Attaches `conv.schedule` to every convolution that has none:
    the legal candidate with the least modelled time. A schedule that is there
    already, or that the `schedule` option asks for, is checked; one that the
    chip cannot run is an error that names the limit.
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_80\"",
           "the target, a name in docs/Targets.md">,
    Option<"schedule", "schedule", "std::string", "\"\"",
           "keys that replace the choice: tile=128x128x32 warps=2x2 stages=4">
  ];
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

def ConvTileToWorkgroups
    : Pass<"conv-tile-to-workgroups", "::mlir::func::FuncOp"> {
  let summary = "tile a scheduled contraction to workgroups and gemm-k blocks";
  let description = [{
    Form F2 to F3. The root is a `conv.scatter` whose value comes, through
    elementwise operations, from a contraction with a `conv.schedule`. It
    becomes an `scf.forall` over workgroup tiles; the elementwise operations,
    the contraction and the `conv.im2col` operations that feed them are fused
    into it. The contraction then gets `scf.for` loops over channel blocks
    (outer) and taps (inner). All tiles are static: matrices read zero past
    their extents, and the scatter drops what lies past the result's.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def ConvVectorizeTiles : Pass<"conv-vectorize-tiles", "::mlir::func::FuncOp"> {
  let summary = "move operand tiles to shared memory, everything else to vectors";
  let description = [{
    Form F3 to the tensor half of F4. Every `conv.im2col` that feeds a
    contraction gets a destination in workgroup memory; the contraction becomes
    a `vector.contract`; elementwise operations become vector operations; the
    accumulator leaves memory and is carried by the loops as a vector. A
    `conv.im2col` that feeds the epilogue is read straight into a vector.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::gpu::GPUDialect", "::mlir::vector::VectorDialect"];
}

def ConvSinkEpilogues : Pass<"conv-sink-epilogues", "::mlir::func::FuncOp"> {
  let summary = "do what only a branch of a kernel needs in that branch";
  let description = [{
    Within form F4. Operations of a loop over workgroups or threads that do no
    more than compute, or read global memory, move into the `scf.if` that alone
    uses their results: those of the epilogue, where only some items of the loop
    have one.
  }];
}

def ConvOutlineKernels : Pass<"conv-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "make each block program a gpu.func";
  let description = [{
    Form F4 to F5. A top-level `scf.forall` with a schedule becomes a
    `gpu.func` in a `gpu.module`, launched from where it stood. Workgroups
    are numbered along one grid dimension, the last index of the forall
    fastest. What the body may contain is checked here.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

def ConvPipelineCopies : Pass<"conv-pipeline-copies", "::mlir::gpu::GPUModuleOp"> {
  let summary = "put operand tiles into a ring that is filled ahead of their use";
  let description = [{
    Form F5 to F6. The gemm-k loop nest becomes one loop. Every shared-memory tile
    that the loop fills becomes a ring of as many slots as the schedule has stages;
    copies run `stages - 1` blocks ahead, in groups of `cp.async`.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

#endif // CONV_TRANSFORMS_TILEPASSES_TD
