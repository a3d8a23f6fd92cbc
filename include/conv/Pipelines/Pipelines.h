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

#include "conv/Dialect/Conv/IR/ScheduleKeys.h"
#include "conv/Support/Form.h"

#include "mlir/Pass/PassOptions.h"
#include "mlir/Support/LLVM.h"

#include <string>

namespace mlir {
class OpPassManager;
namespace conv {

/// Options of every pipeline here.
struct KernelPipelineOptions
    : public PassPipelineOptions<KernelPipelineOptions> {
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("the target, a name in "
                                          "docs/Targets.md; empty: that of "
                                          "the module's conv.chip, or sm_90a"),
                           llvm::cl::init("")};
  Option<int64_t> multiprocessors{
      *this, "multiprocessors",
      llvm::cl::desc("of the device; 0: of the module's conv.chip, or as the "
                     "table of chips says"),
      llvm::cl::init(0)};
  Option<std::string> schedule{
      *this, "schedule",
      llvm::cl::desc(kScheduleOptionHelp)};
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
  Option<bool> noteOrigin{
      *this, "note-origin",
      llvm::cl::desc("keep the functions as text in conv.origin, so that "
                     "conv-run can verify what becomes of them"),
      llvm::cl::init(true)};
};

/// Within F0, what a schedule is chosen for: no accumulation, and layouts that
/// are computed. Running it again changes nothing.
void buildConvPreparation(OpPassManager &pm);
/// The steps from a module of form `from` to one of form `to`, in order; none
/// where it has that form.
void buildConvSteps(OpPassManager &pm, convmlir::Form from, convmlir::Form to,
                    const KernelPipelineOptions &options);
/// The pipeline of the step from a form to the next one:
/// "conv-rings-to-threads" of F6.
std::string getStepName(convmlir::Form from);

/// The passes of the step from a form to the next one, as text:
/// "builtin.module(func.func(conv-fold-taps, …), …)".
std::string printStep(convmlir::Form from);

/// What a pipeline is called on a command line, and what it does.
struct PipelineName {
  StringRef name, summary;
};

/// The pipelines from F0, then those of one step, in the order of the forms.
SmallVector<PipelineName> listPipelines();
/// A line for each of them, for --help.
std::string describePipelines();

/// The pipelines from F0 and those of one step, on the command line.
void registerConvPipelines();

} // namespace conv
} // namespace mlir

#endif // CONV_PIPELINES_PIPELINES_H
