//===- HopperPasses.td - kernels of sm_90a -----------------*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forms F5 to F7 on Hopper of docs/Pipelines.md.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TRANSFORMS_HOPPERPASSES_TD
#define CONV_TRANSFORMS_HOPPERPASSES_TD

include "mlir/Pass/PassBase.td"

def ConvPipelineBarriers : Pass<"conv-pipeline-barriers", "::mlir::gpu::GPUModuleOp"> {
  let summary = "put operand tiles into a ring with full and empty barriers";
  let description = [{
    Form F5 to F6b, for kernels whose schedule copies by TMA. The gemm-k nest becomes one
    loop over blocks, its first block peeled off; copies become `conv.load_tile`, which
    a full barrier counts; an empty barrier says that a slot may be filled again. What
    is to be done by a producer is marked. A loop over the workgroup's tiles around the nest
    carries the position in the ring.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::nvgpu::NVGPUDialect", "::mlir::NVVM::NVVMDialect"];
}

def ConvSpecializeWarps : Pass<"conv-specialize-warps", "::mlir::gpu::GPUModuleOp"> {
  let summary = "give the producer a branch of its own, and the consumers another";
  let description = [{
    Form F6b to F6c. What follows the first barrier of a kernel with a producer is cloned into both branches of
    a condition on the warpgroup's index; the last warpgroup is the producer. Its branch keeps
    the operations marked `conv.producer`, executed by one thread, the other branch the rest. What is marked
    `conv.helper` is for other warps of the producer's warpgroup, in a branch with this mark. Arrivals of
    consumers and helpers are made by one lane of each warp. Registers are moved from the producer to
    the consumers where there are several warpgroups of these.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect",
                           "::mlir::ub::UBDialect", "::mlir::NVVM::NVVMDialect"];
}

def ConvLowerRowSums : Pass<"conv-lower-row-sums", "::mlir::gpu::GPUModuleOp"> {
  let summary = "distribute sums over rows of a tile over the lanes of helpers";
  let description = [{
    Form F6c to F7, in the branch of a kernel's helpers. They sum rows of an operand's tile as it lies in shared
    memory: a lane has 16 bytes of neighbouring columns and one of several groups of rows (RowSums.cpp). Where
    columns are summed, it has whole rows (LineSums.cpp). Vectors of a tile's sums become what a lane has of them. Where
    they are scattered, lanes with the same columns add their sums, in a fixed order, and one of them stores. The
    kernel's attribute `conv.row_sums` says how many partial sums make one.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

def ConvMapToWgmma : Pass<"conv-map-to-wgmma", "::mlir::gpu::GPUModuleOp"> {
  let summary = "distribute tile vectors over warpgroups, for wgmma";
  let description = [{
    Form F6c to F7. As `conv-map-to-mma-sync`, but for contractions and accumulators: a contraction is one group
    of `conv.warpgroup_mma`, one for each 64 rows of the warpgroup's part of the tile, after which the
    group before is waited for. Loops carry accumulators; behind a loop they are waited for
    and read into the fragments on which all other operations work.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::nvgpu::NVGPUDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::conv::ConvDialect"];
}

def ConvOverlapLaunches : Pass<"conv-overlap-launches", "::mlir::gpu::GPUModuleOp"> {
  let summary = "let a kernel begin before the one in front of it has ended";
  let description = [{
    Form F7. All threads of a kernel wait (`nvvm.griddepcontrol wait`) for what their stream ran before, behind the operations that read and
    write nothing but registers and shared memory, and then say that the kernel behind it may begin (`launch_dependents`). So its workgroups
    get their places and initialise their barriers while the last ones of the kernel in front work. Plain kernels say so at once, and do not
    wait: they are launched in order. Chips from sm_90 on have this.

    ```mlir
    gpu.barrier
    nvvm.griddepcontrol wait               // new
    nvvm.griddepcontrol launch_dependents  // new
    scf.if %producer { … conv.tma_load … }
    ```
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect"];
}

#endif // CONV_TRANSFORMS_HOPPERPASSES_TD
