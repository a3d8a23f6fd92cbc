//===- WorkspaceLayout.cpp - one workspace for a plan ---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/WorkspaceLayout.h"

#include "conv/Support/BufferSlot.h"

namespace convmlir {

WorkspaceLayout layOutWorkspace(const Plan &plan) {
  WorkspaceLayout layout;
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    if (plan.buffers[i].role != BufferRole::Workspace)
      continue;
    layout.buffers.push_back(static_cast<int64_t>(i));
    layout.offsets.push_back(layout.bytes);
    layout.bytes += bufferSlot(plan.buffers[i].bytes());
  }
  return layout;
}

} // namespace convmlir
