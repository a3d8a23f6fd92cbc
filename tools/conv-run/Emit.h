//===- Emit.h - what is written instead of run ------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_RUN_EMIT_H
#define CONV_TOOLS_CONV_RUN_EMIT_H

#include "CommandLine.h"

#include <functional>

namespace convmlir {

/// Makes the plan of what is emitted.
using PlanFunction = std::function<Result<Plan>()>;

/// Compiles as far as `request` says and writes the file atomically; "-" is
/// standard output.
Status emit(const SourceModule &source, const EmitRequest &request,
            const std::string &path, const CompileOptions &options,
            const PlanFunction &compile);

} // namespace convmlir

#endif // CONV_TOOLS_CONV_RUN_EMIT_H
