//===- WorkspaceLimit.h - schedules that need little workspace --*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a function of form F0 in a module with `conv.chip`, and the bytes of
// workspace that its kernels may have. Output: schedules of its convolutions
// with which they have no more, or an error that says how many they need.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PIPELINES_WORKSPACELIMIT_H
#define CONV_PIPELINES_WORKSPACELIMIT_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace mlir {
namespace func {
class FuncOp;
}
namespace conv {

class ConvOpInterface;

struct WorkspaceLimit {
  int64_t bytes;
  std::string schedule; ///< Keys that the user names.
};

/// What conv-limit-workspace does to a function. Schedules of operations that
/// are `fixed` stay as they are.
LogicalResult limitWorkspace(func::FuncOp function, const WorkspaceLimit &limit,
                             llvm::function_ref<bool(ConvOpInterface)> isFixed);

} // namespace conv
} // namespace mlir

#endif // CONV_PIPELINES_WORKSPACELIMIT_H
