//===- Passes.h - the plan of a kernel --------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TRANSFORMS_PLAN_PASSES_H
#define CONV_TRANSFORMS_PLAN_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
namespace gpu {
class GPUModuleOp;
}
namespace conv {

#define GEN_PASS_DECL
#include "conv/Transforms/Plan/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "conv/Transforms/Plan/Passes.h.inc"

} // namespace conv
} // namespace mlir

#endif // CONV_TRANSFORMS_PLAN_PASSES_H
