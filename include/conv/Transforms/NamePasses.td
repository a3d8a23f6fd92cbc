//===- NamePasses.td - kernels by what they do -------------*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TRANSFORMS_NAMEPASSES_TD
#define CONV_TRANSFORMS_NAMEPASSES_TD

include "mlir/Pass/PassBase.td"

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

#endif // CONV_TRANSFORMS_NAMEPASSES_TD
