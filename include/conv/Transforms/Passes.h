//===- Passes.h - passes of the convolution compiler ------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each pass reads one normal form and writes the next; the forms are described
// in docs/Pipelines.md, the passes in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TRANSFORMS_PASSES_H
#define CONV_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace mlir::conv {

#define GEN_PASS_DECL
#include "conv/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "conv/Transforms/Passes.h.inc"

} // namespace mlir::conv

#endif // CONV_TRANSFORMS_PASSES_H
