//===- Passes.td - the plan of a kernel --------------------*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forms F5 and F6 of docs/Pipelines.md. The code is in lib/Transforms/Plan.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TRANSFORMS_PLAN_PASSES_TD
#define CONV_TRANSFORMS_PLAN_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvPlanKernels : Pass<"conv-plan-kernels", "::mlir::gpu::GPUModuleOp"> {
  let summary = "write how each kernel does what its schedule says";
  let description = [{
    Form F5. Each kernel with a schedule gets a `conv.kernel_plan`. A field of a plan
    that is there already stays. One that the kernel cannot have is an error that says
    why. Passes behind this one read the plan, and do not decide again:

    ```mlir
    gpu.func @main_0(...) kernel attributes {conv.kernel_plan = #conv.kernel_plan<left = tma, right = tma>, conv.schedule = ...}
    ```
  }];
}

def ConvPlanStores : Pass<"conv-plan-stores", "::mlir::gpu::GPUModuleOp"> {
  let summary = "write how each kernel reads and stores tiles of the result's shape";
  let description = [{
    Form F6. What shared memory has left beside the operands decides how results leave.
    So this pass adds `reads`, `zero_rows` and `stores` to the `conv.kernel_plan` of each
    kernel with a schedule, when the operands have their memory. A field that is there
    already stays, or is refused with the reason. Passes of F7 do as the plan says:

    ```mlir
    gpu.func @main_0(...) kernel attributes {conv.kernel_plan = #conv.kernel_plan<left = tma, right = tma, ..., stores = [panels]>, conv.schedule = ...}
    ```
  }];
}

#endif // CONV_TRANSFORMS_PLAN_PASSES_TD
