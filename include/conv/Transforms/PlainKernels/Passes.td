//===- Passes.td - kernels without tensor cores ------------*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forms F2 to F7, "Plain kernels", of docs/Pipelines.md. The code is in lib/Transforms/PlainKernels.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TRANSFORMS_PLAINKERNELS_PASSES_TD
#define CONV_TRANSFORMS_PLAINKERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvTilePlainKernels
    : Pass<"conv-tile-plain-kernels", "::mlir::func::FuncOp"> {
  let summary = "give each operation that no contraction took a loop over threads";
  let description = [{
    Form F2 to F3, for what `conv-tile-to-workgroups` left: `linalg` operations,
    `conv.im2col` into a workspace, and `conv.scatter` of what is no
    contraction. Chains of elementwise operations are fused first. Each root
    becomes an `scf.forall` whose indices are threads of the grid; what only it
    reads is computed inside of it. A thread makes as many neighbouring elements as
    16 bytes hold, where their number divides the extent, so every tile is static.
    Where there is a reduction, it is what the reduction reads that counts.
    Reductions are `scf.for` loops, one step at a time in ascending order.

    ```mlir
    %y = scf.forall (%i, %j) in (33, 8) shared_outs(%o = %e) -> (tensor<33x64xbf16>) {
      %n = affine.apply affine_map<(d0) -> (d0 * 8)>(%j)
      %s = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %zero) -> (tensor<1x8xf32>) {
        %p = tensor.extract_slice %partials[%k, %i, %n] [1, 1, 8] [1, 1, 1] : …
        %t = linalg.generic {…} ins(%p) outs(%a) { addf }
        scf.yield %t : tensor<1x8xf32>
      }
      …
    } {mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]}
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def ConvVectorizePlainKernels
    : Pass<"conv-vectorize-plain-kernels", "::mlir::func::FuncOp"> {
  let summary = "compute with vectors what a thread of a plain kernel does";
  let description = [{
    Form F3 to the tensor half of F4, for loops over the threads of the grid: unit
    dimensions go, `linalg` operations become operations on vectors of one
    dimension, and what a reduction carries leaves memory.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::tensor::TensorDialect", "::mlir::vector::VectorDialect"];
}

def ConvCopiesToPlainKernels
    : Pass<"conv-copies-to-plain-kernels", "::mlir::func::FuncOp"> {
  let summary = "make copies between whole buffers plain kernels";
  let description = [{
    Form F4. Bufferisation copies a buffer where its old contents are needed
    elsewhere. Such a `memref.copy`, outside of kernels and between buffers without
    gaps, becomes a loop over threads. One inside of a plain kernel, whose operation
    folded to its operand, becomes the copy of a vector.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect",
    "::mlir::vector::VectorDialect"];
}

def ConvSpreadSums : Pass<"conv-spread-sums", "::mlir::func::FuncOp"> {
  let summary = "divide sums with few results among more threads";
  let description = [{
    Form F4. Where a loop over threads has too few of them for a chip and each adds
    many parts, the loop gets one more index, the lane: lane l of L adds parts l,
    l + L, …, and the first lane stores what the lanes have together. L is a power
    of two, at most 32, that follows from the number of threads and of parts and
    from nothing else: the order of the additions is fixed, and with it every
    bit of the result. Loops that only read are unrolled by eight, so that their
    reads are under way together. Threads that copy less than 16 bytes take several
    vectors, where a chip has threads enough.

    ```mlir
    scf.forall (%i, %l) in (1024, 32) {
      %n = affine.apply affine_map<(d0) -> (d0 * 4)>(%i)
      %s = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %zero) -> (vector<4xf32>) {
        %part = affine.apply affine_map<(d0, d1) -> (d0 * 32 + d1)>(%k, %l)
        …
      }
      %t = scf.if (%l is below 132 mod 32) { one more part }
      %sum = gpu.subgroup_reduce add %t cluster(size = 32) : (vector<4xf32>) -> vector<4xf32>
      scf.if (%l is 0) {
        vector.transfer_write %sum, …
      }
    } {mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]}
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

def ConvLowerPlainKernels
    : Pass<"conv-lower-plain-kernels", "::mlir::gpu::GPUModuleOp"> {
  let summary = "turn reads and writes of plain kernels into loads and stores";
  let description = [{
    Form F5 to F7, for kernels with `conv.plain`. A `vector.transfer_read` or
    `vector.transfer_write` becomes a load or store of the widest alignment that
    the extents and the index warrant, or one of each element where these are
    not neighbours. A `conv.im2col` into a vector loads where the view is
    inside of the tensor and is zero elsewhere; a `conv.scatter` stores. A
    `gpu.subgroup_reduce` becomes shuffles that name its own lanes only.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

#endif // CONV_TRANSFORMS_PLAINKERNELS_PASSES_TD
