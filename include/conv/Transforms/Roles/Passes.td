//===- Passes.td - warps with roles ------------------------*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Form F6 of docs/Pipelines.md. The code is in lib/Transforms/Roles.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TRANSFORMS_ROLES_PASSES_TD
#define CONV_TRANSFORMS_ROLES_PASSES_TD

include "mlir/Pass/PassBase.td"

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

#endif // CONV_TRANSFORMS_ROLES_PASSES_TD
