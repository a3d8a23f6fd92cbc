//===- Passes.td - tiles of workgroups ---------------------*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forms F2 to F4 of docs/Pipelines.md. The code is in lib/Transforms/Tiling.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TRANSFORMS_TILING_PASSES_TD
#define CONV_TRANSFORMS_TILING_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvProtectArguments
    : Pass<"conv-protect-arguments", "::mlir::func::FuncOp"> {
  let summary = "let bufferisation write no argument of a function";
  let description = [{
    Sets `bufferization.writable = false` on every tensor argument. A destination
    that is an argument is then copied, and the caller's tensor stays as it was.
    A result that is an argument, or another result as well, is copied: each has
    a buffer of its own.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def ConvDivideEmpties
    : Pass<"conv-divide-empties", "::mlir::func::FuncOp"> {
  let summary = "keep results of one type apart where they are very many";
  let description = [{
    Equal `tensor.empty` are one operation after common subexpressions have gone.
    All results that are written into it may share a buffer, and all loops that
    write them look alike to CSE. One-shot bufferisation compares all reads with
    all writes of such a set for each operation of it, and CSE each loop with each
    other, so a long function takes time that grows with the third power of its
    length.

    Where the `tensor.empty` of a type have more uses than `uses`, there is one
    for that many neighbouring uses, with a number of its own in `conv.group`,
    which keeps them apart. Results of a group still share a buffer.

    ```mlir
    %a = tensor.empty() {conv.group = 0 : i64} : tensor<8x64xf32>     // the first 64 results
    %b = tensor.empty() {conv.group = 1 : i64} : tensor<8x64xf32>     // the next ones
    ```
  }];
  let options = [
    Option<"uses", "uses", "unsigned", /*default=*/"64",
           "the most uses of a tensor.empty">];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def ConvShapeResults : Pass<"conv-shape-results", "::mlir::func::FuncOp"> {
  let summary = "allocate what a function returns in the returned shape";
  let description = [{
    A returned `memref.expand_shape` or `memref.collapse_shape` of an allocation
    becomes the allocation; other users see it through the opposite reshape.
    `buffer-results-to-out-params` can then put the caller's buffer in its place
    instead of copying.

    ```mlir
    %a = memref.alloc() : memref<144xf32>
    %r = memref.expand_shape %a [[0, 1]] : memref<144xf32> into memref<12x12xf32>
    // becomes
    %r = memref.alloc() : memref<12x12xf32>
    %a = memref.collapse_shape %r [[0, 1]] : memref<12x12xf32> into memref<144xf32>
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
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

#endif // CONV_TRANSFORMS_TILING_PASSES_TD
