//===- Pipelines.h - passes in the order of the stages ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same from the command line of conv-opt, in tests and in conv-run. The
// forms F0 to F9 are those of docs/Pipelines.md.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PIPELINES_PIPELINES_H
#define CONV_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassOptions.h"

#include <string>

namespace mlir {
class OpPassManager;
namespace conv {

/// Options of every pipeline here.
struct KernelPipelineOptions
    : public PassPipelineOptions<KernelPipelineOptions> {
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("the target, a name in "
                                          "docs/Targets.md"),
                           llvm::cl::init("sm_80")};
  Option<std::string> schedule{
      *this, "schedule",
      llvm::cl::desc("keys that replace the chosen schedule's")};
  Option<int64_t> maxWorkspace{
      *this, "max-workspace",
      llvm::cl::desc("bytes of workspace that a function may have; -1: any "
                     "number"),
      llvm::cl::init(-1)};
  Option<bool> nameKernels{
      *this, "name-kernels",
      llvm::cl::desc("call kernels by what they do, instead of by their "
                     "function and a number"),
      llvm::cl::init(false)};
};

/// Within F0, what a schedule is chosen for: no accumulation, and layouts that
/// are computed. Running it again changes nothing.
void buildConvPreparation(OpPassManager &pm);
/// F0 to F2: `conv-to-matrices`.
void buildConvToMatrices(OpPassManager &pm,
                         const KernelPipelineOptions &options);
/// F0 to F3: `conv-to-tiles`.
void buildConvToTiles(OpPassManager &pm, const KernelPipelineOptions &options);
/// F0 to F4: `conv-to-blocks`.
void buildConvToBlocks(OpPassManager &pm, const KernelPipelineOptions &options);
/// F0 to F6: `conv-to-kernels`.
void buildConvToKernels(OpPassManager &pm,
                        const KernelPipelineOptions &options);

/// F0 to F7: `conv-to-threads`.
void buildConvToThreads(OpPassManager &pm,
                        const KernelPipelineOptions &options);
/// F0 to F8: `conv-to-nvvm`.
void buildConvToNVVM(OpPassManager &pm, const KernelPipelineOptions &options);

/// All of the above on the command line.
void registerConvPipelines();

} // namespace conv
} // namespace mlir

#endif // CONV_PIPELINES_PIPELINES_H
