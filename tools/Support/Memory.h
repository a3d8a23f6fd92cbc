//===- Memory.h - what a run holds, and what there is -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A problem line can name tensors that no machine holds. They are counted
// before they are made: a process that takes too much is killed without a
// message.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_MEMORY_H
#define CONV_TOOLS_SUPPORT_MEMORY_H

#include "conv/Problem/Problem.h"
#include "conv/Support/Result.h"

#include <optional>
#include <string_view>
#include <vector>

namespace convmlir {

/// How much of the reference is held.
enum class ReferenceUse { None, Sample, Full };

/// What a run holds at a time, beside its arguments and results.
struct MemoryUse {
  /// The emulator's buffers lie in this machine's memory, too.
  bool isEmulated = false;
  double workspaceBytes = 0; ///< Constants included; 0 where not known yet.
  ReferenceUse reference = ReferenceUse::None;
};

/// Bytes of tensors of the element types; numbers so large that they overflow
/// integers are no error.
double bytesOf(const std::vector<TensorSpec> &specs);

/// The most bytes that are held at a time.
double bytesHeld(const std::vector<TensorSpec> &arguments,
                 const std::vector<TensorSpec> &results, const MemoryUse &use);

/// "MemAvailable" of a text such as /proc/meminfo, in bytes.
std::optional<double> parseAvailable(std::string_view meminfo);

/// What this machine has left; all that it has where it does not say.
double bytesAvailable();

/// An error where `needed` is more than `available`.
Status checkMemory(double needed, double available);

} // namespace convmlir

#endif // CONV_TOOLS_SUPPORT_MEMORY_H
