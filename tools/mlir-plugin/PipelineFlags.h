//===- PipelineFlags.h - a flag for each pipeline ---------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-opt makes the flags of passes before it loads a plugin, so those of a
// plugin have none: it knows them in --pass-pipeline alone. Input: the command
// line of a tool that has --pass-pipeline. Output: flags such as
// --conv-to-threads=chip=sm_90a, which fill --pass-pipeline.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_MLIR_PLUGIN_PIPELINEFLAGS_H
#define CONV_TOOLS_MLIR_PLUGIN_PIPELINEFLAGS_H

namespace convmlir {

/// Adds a flag for each pipeline; none where a tool has no --pass-pipeline, or
/// has the flags already.
void addPipelineFlags();

} // namespace convmlir

#endif // CONV_TOOLS_MLIR_PLUGIN_PIPELINEFLAGS_H
