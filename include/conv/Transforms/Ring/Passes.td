//===- Passes.td - rings of tiles --------------------------*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Form F6 of docs/Pipelines.md. The code is in lib/Transforms/Ring.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TRANSFORMS_RING_PASSES_TD
#define CONV_TRANSFORMS_RING_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvPipelineBarriers : Pass<"conv-pipeline-barriers", "::mlir::gpu::GPUModuleOp"> {
  let summary = "put operand tiles into a ring with full and empty barriers";
  let description = [{
    Form F5 to F6b, for kernels whose schedule copies by TMA. The gemm-k nest becomes one
    loop over blocks, its first block peeled off; copies become `engine.load_tile`, which
    a full barrier counts; an empty barrier says that a slot may be filled again. What
    is to be done by a producer is marked. A loop over the workgroup's tiles around the nest
    carries the position in the ring.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::nvgpu::NVGPUDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::conv::EngineDialect"];
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

#endif // CONV_TRANSFORMS_RING_PASSES_TD
