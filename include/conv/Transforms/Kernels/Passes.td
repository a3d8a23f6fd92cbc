//===- Passes.td - functions of a chip ---------------------*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forms F5 and F7 of docs/Pipelines.md. The code is in lib/Transforms/Kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TRANSFORMS_KERNELS_PASSES_TD
#define CONV_TRANSFORMS_KERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvOverlapLaunches : Pass<"conv-overlap-launches", "::mlir::gpu::GPUModuleOp"> {
  let summary = "let a kernel begin before the one in front of it has ended";
  let description = [{
    Form F7. All threads of a kernel wait (`nvvm.griddepcontrol wait`) for what their stream ran before, behind the operations that read and
    write nothing but registers and shared memory, and then say that the kernel behind it may begin (`launch_dependents`). So its workgroups
    get their places and initialise their barriers while the last ones of the kernel in front work. Plain kernels say so at once, and do not
    wait: they are launched in order. Kernels stay as they are where the chip lacks the engine `launch_overlap`.

    ```mlir
    gpu.barrier
    nvvm.griddepcontrol wait               // new
    nvvm.griddepcontrol launch_dependents  // new
    scf.if %producer { … engine.tma_load … }
    ```
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect"];
}

def ConvNoteOperations : Pass<"conv-note-operations", "::mlir::func::FuncOp"> {
  let summary = "note in locations what operations are, for the names of kernels";
  let description = [{
    Within form F1, of convolutions ("conv.operation.forward_bf16"), and within form F3, of
    what becomes a plain kernel: its role ("conv.role.transpose"). The notes are
    names of locations around those that are there. Whatever is made of an
    operation has its location, so a kernel has the notes of what it came from
    (`conv-name-kernels`).
  }];
}

def ConvNameKernels : Pass<"conv-name-kernels", "::mlir::ModuleOp"> {
  let summary = "call kernels by what they do";
  let description = [{
    Within form F6. A kernel of matrices becomes
    `conv_forward_bf16_128x256x64_tma_wgmma`: operation and type of the operands,
    tile, the engine that copies and the one that multiplies. One of depthwise
    loops is `conv_wgrad_f16_depthwise`, a plain one has its role behind what it is
    for: `conv_dgrad_bf16_transpose`, `conv_wgrad_bf16_sum`, `conv_copy`. Kernels of a
    function that is not called `main` begin with its name. The second one of a name
    ends with `_2`.
  }];
}

def ConvAllocateSharedMemory : Pass<"conv-allocate-shared-memory", "::mlir::gpu::GPUModuleOp"> {
  let summary = "give workgroup buffers their place in dynamic shared memory";
  let description = [{
    Each `memref.alloc` in workgroup memory becomes a `memref.view` of
    `gpu.dynamic_shared_memory`. Two buffers share bytes when a `gpu.barrier` lies
    between the last use of one and the first use of the other. The bytes that
    the kernel needs become its attribute `conv.shared_bytes`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
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

#endif // CONV_TRANSFORMS_KERNELS_PASSES_TD
