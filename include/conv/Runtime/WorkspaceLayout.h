//===- WorkspaceLayout.h - one workspace for a plan -------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan's workspace buffers as parts of one piece of memory: what a program
// that brings its own memory has to give, and what a limit is compared with.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_WORKSPACELAYOUT_H
#define CONV_RUNTIME_WORKSPACELAYOUT_H

#include "conv/Runtime/Plan.h"

#include <cstdint>
#include <vector>

namespace convmlir {

/// Where each workspace buffer lies in the one workspace of a program.
struct WorkspaceLayout {
  std::vector<int64_t> buffers; ///< Indices of the plan's workspace buffers.
  std::vector<int64_t> offsets; ///< Of each, in bytes; multiples of 256.
  int64_t bytes = 0;            ///< Of the whole.
};
WorkspaceLayout layOutWorkspace(const Plan &plan);

} // namespace convmlir

#endif // CONV_RUNTIME_WORKSPACELAYOUT_H
