//===- ThreadPasses.h - from tiles to threads -------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes from F6 to F7 of docs/Pipelines.md; they are described in
// ThreadPasses.td.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TRANSFORMS_THREADPASSES_H
#define CONV_TRANSFORMS_THREADPASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace mlir::conv {

#define GEN_PASS_DECL
#include "conv/Transforms/ThreadPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "conv/Transforms/ThreadPasses.h.inc"

} // namespace mlir::conv

#endif // CONV_TRANSFORMS_THREADPASSES_H
