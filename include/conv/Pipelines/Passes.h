//===- Passes.h - passes that run pipelines ---------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PIPELINES_PASSES_H
#define CONV_PIPELINES_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
namespace conv {

#define GEN_PASS_DECL
#include "conv/Pipelines/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "conv/Pipelines/Passes.h.inc"

} // namespace conv
} // namespace mlir

#endif // CONV_PIPELINES_PASSES_H
