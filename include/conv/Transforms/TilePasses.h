//===- TilePasses.h - from matrices to kernels ------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TRANSFORMS_TILEPASSES_H
#define CONV_TRANSFORMS_TILEPASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
namespace func {
class FuncOp;
}
namespace gpu {
class GPUFuncOp;
}
namespace conv {

#define GEN_PASS_DECL
#include "conv/Transforms/TilePasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "conv/Transforms/TilePasses.h.inc"

} // namespace conv
} // namespace mlir

#endif // CONV_TRANSFORMS_TILEPASSES_H
