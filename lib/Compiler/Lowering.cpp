//===- Lowering.cpp - a module in one of its forms ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "TunedSchedules.h"
#include "conv/Compiler/Diagnostics.h"
#include "conv/Pipelines/Pipelines.h"
#include "conv/Pipelines/WorkspaceLimit.h"
#include "conv/Transforms/TilePasses.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace convmlir;

std::optional<Form> convmlir::parseForm(std::string_view name) {
  static constexpr std::pair<const char *, Form> forms[] = {
      {"f0", Form::F0}, {"f1", Form::F1}, {"f2", Form::F2}, {"f3", Form::F3},
      {"f4", Form::F4}, {"f6", Form::F6}, {"f7", Form::F7}, {"f8", Form::F8}};
  for (auto [text, form] : forms)
    if (name == text)
      return form;
  return std::nullopt;
}

static void addPasses(OpPassManager &pm, Form form,
                      const CompileOptions &options) {
  conv::KernelPipelineOptions pipeline;
  pipeline.chip = options.target;
  pipeline.schedule = options.schedule;
  pipeline.nameKernels = true;
  conv::ConvSelectScheduleOptions select{options.target, options.schedule};
  switch (form) {
  case Form::F0:
    return;
  case Form::F1:
    return pm.addPass(conv::createConvSelectSchedule(select));
  case Form::F2:
    return conv::buildConvToMatrices(pm, pipeline);
  case Form::F3:
    return conv::buildConvToTiles(pm, pipeline);
  case Form::F4:
    return conv::buildConvToBlocks(pm, pipeline);
  case Form::F6:
    return conv::buildConvToKernels(pm, pipeline);
  case Form::F7:
    return conv::buildConvToThreads(pm, pipeline);
  case Form::F8:
    return conv::buildConvToNVVM(pm, pipeline);
  }
}

/// Schedules with which the kernels need no more workspace than the options
/// allow. Those that records gave may go; what is written at an operation
/// stays.
static LogicalResult limitWorkspace(ModuleOp module,
                                    const CompileOptions &options,
                                    ArrayRef<conv::TunedOperation> tuned) {
  if (!options.maxWorkspace)
    return success();
  auto isFixed = [&](conv::ConvOpInterface op) {
    return op->hasAttr(conv::ScheduleAttr::attributeName()) &&
           llvm::none_of(tuned, [&](const conv::TunedOperation &one) {
             return one.op == op;
           });
  };
  conv::WorkspaceLimit limit{*options.maxWorkspace, options.target,
                             options.schedule};
  for (auto function : module.getOps<func::FuncOp>())
    if (failed(conv::limitWorkspace(function, limit, isFixed)))
      return failure();
  return success();
}

/// What is decided before any kernel: schedules that are not the model's.
static LogicalResult addSchedules(ModuleOp module,
                                  const CompileOptions &options) {
  SmallVector<conv::TunedOperation> tuned = conv::applyTuning(module, options);
  if (failed(limitWorkspace(module, options, tuned)))
    return failure();
  conv::reportTuning(tuned, options,
                     "its schedule needs more workspace than is allowed");
  return success();
}

Result<OwningOpRef<ModuleOp>>
convmlir::lower(const SourceModule &source, Form form,
                const CompileOptions &options,
                conv::DiagnosticCollector::Remark onRemark) {
  SourceModule::Impl &impl = source.impl();
  conv::DiagnosticCollector diagnostics(impl.context.get(),
                                        std::move(onRemark));
  OwningOpRef<ModuleOp> module(cast<ModuleOp>((*impl.module)->clone()));
  auto run = [&](llvm::function_ref<void(OpPassManager &)> add) {
    PassManager pm(impl.context.get(), ModuleOp::getOperationName());
    add(pm);
    return pm.run(*module);
  };
  if (form != Form::F0) {
    conv::nameTuningProblems(*module);
    if (failed(run(conv::buildConvPreparation)))
      return diagnostics.take("the compiler failed without a message");
    if (failed(addSchedules(*module, options)))
      return diagnostics.take("the compiler failed without a message");
  }
  if (failed(run([&](OpPassManager &pm) { addPasses(pm, form, options); })))
    return diagnostics.take("the compiler failed without a message");
  return module;
}
