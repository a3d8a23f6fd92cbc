//===- Passes.td - tiles of threads ------------------------*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forms F6 to F7 of docs/Pipelines.md. The code is in lib/Transforms/TensorCores.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TRANSFORMS_TENSORCORES_PASSES_TD
#define CONV_TRANSFORMS_TENSORCORES_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvMapToWgmma : Pass<"conv-map-to-wgmma", "::mlir::gpu::GPUModuleOp"> {
  let summary = "distribute tile vectors over warpgroups, for wgmma";
  let description = [{
    Form F6c to F7. As `conv-map-to-mma-sync`, but for contractions and accumulators: a contraction is one group
    of `engine.warpgroup_mma`, one for each 64 rows of the warpgroup's part of the tile, after which the
    group before is waited for. Loops carry accumulators; behind a loop they are waited for
    and read into the fragments on which all other operations work.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::nvgpu::NVGPUDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::conv::ConvDialect", "::mlir::conv::EngineDialect"];
}

def ConvMapToMmaSync : Pass<"conv-map-to-mma-sync", "::mlir::gpu::GPUModuleOp"> {
  let summary = "distribute tile vectors over warps and lanes, for mma.sync, fma or wmma";
  let description = [{
    Every vector of the shape of the workgroup's tile becomes, per thread, one
    `vector<2x2xT>` for each 16x8 block of the warp's part of the tile; a vector
    along gemm-n becomes one `vector<2xT>` for each block of eight columns. Who
    holds what is said by `FragmentLayout`.

    `vector.contract` on operands read from shared memory becomes `nvgpu.ldmatrix`
    and `nvgpu.mma.sync`, all steps of gemm-k unrolled. What `ldmatrix` cannot bring
    into the form of the instruction is loaded element by element: operands of 8 or
    32 bits whose gemm-k is not contiguous, and f64. Operands that `arith.truncf` makes
    tf32 are rounded in registers. 8-bit floats are multiplied by an intrinsic of LLVM. Where the
    schedule says `mma = fma`, `vector.contract` becomes `math.fma` on single numbers. Where it says
    `mma = wmma`, it becomes `gpu.subgroup_mma_compute` on matrices, which loops carry; behind a loop
    they reach the fragments through shared memory. Elementwise operations are
    cloned for each block; `conv.im2col` with a vector result, and
    `vector.transfer_read` of a row, become loads; `conv.scatter` becomes stores:
    of 16-byte pieces of rows, through a tile in shared memory, where the result's
    channels allow it and the operand tiles leave room, else of pairs or single elements.

    An operation on tiles that is not of the normal form F6 is an error.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::math::MathDialect", "::mlir::nvgpu::NVGPUDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::conv::EngineDialect"];
}

#endif // CONV_TRANSFORMS_TENSORCORES_PASSES_TD
