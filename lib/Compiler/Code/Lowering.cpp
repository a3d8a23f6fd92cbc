//===- Lowering.cpp - a module in one of its forms ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "Tuning/TunedSchedules.h"
#include "conv/Dialect/Conv/IR/ConvChip.h"
#include "conv/Dialect/Conv/Utils/Diagnostics.h"
#include "conv/Pipelines/Pipelines.h"
#include "conv/Pipelines/WorkspaceLimit.h"
#include "conv/Transforms/Passes.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace convmlir;

/// One of the steps that are left, from a form to the next one, for a module
/// that came in another. Its tiles are those of the number of multiprocessors
/// that the module has, whatever the device's is.
static void addStep(OpPassManager &pm, Form came, Form from,
                    const CompileOptions &options) {
  conv::KernelPipelineOptions pipeline;
  pipeline.chip = options.target;
  if (came <= Form::F1)
    pipeline.multiprocessors = options.limits.multiprocessors;
  pipeline.schedule = options.schedule;
  // What operations are called is noted at them.
  pipeline.nameKernels = came == Form::F0;
  pipeline.noteOrigin = false;
  conv::buildConvSteps(pm, from, Form(int(from) + 1), pipeline);
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
  conv::WorkspaceLimit limit{*options.maxWorkspace, options.schedule};
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

/// What cannot be asked of a module that was lowered already.
static Status checkForm(const SourceModule &source, Form to,
                        const CompileOptions &options) {
  Form from = source.impl().form;
  std::string name = "@" + source.impl().entry.getName().str();
  if (from > to)
    return Error{name + " is of form " + toString(from) +
                 ": expected a form in front of " + toString(to)};
  if (from > Form::F1 && !options.schedule.empty())
    return Error{name + " is of form " + toString(from) +
                 ", which has its schedules: expected no keys of a schedule, "
                 "got '" +
                 options.schedule + "'"};
  return {};
}

Result<OwningOpRef<ModuleOp>>
convmlir::lower(const SourceModule &source, Form form,
                const CompileOptions &options,
                conv::DiagnosticCollector::Remark onRemark) {
  if (Status status = checkForm(source, form, options); !status)
    return status.takeError();
  SourceModule::Impl &impl = source.impl();
  conv::DiagnosticCollector diagnostics(impl.context.get(),
                                        std::move(onRemark));
  OwningOpRef<ModuleOp> module(cast<ModuleOp>((*impl.module)->clone()));
  // What a problem line says is our own IR from the start: verified behind each
  // step, not behind each of its passes, which takes longer than the passes
  // where there are thousands of stride phases.
  bool isOurs = impl.problem.has_value();
  auto run = [&](llvm::function_ref<void(OpPassManager &)> add) {
    PassManager pm(impl.context.get(), ModuleOp::getOperationName());
    pm.enableVerifier(!isOurs);
    add(pm);
    return success(succeeded(pm.run(*module)) &&
                   (!isOurs || succeeded(mlir::verify(*module))));
  };
  if (impl.form == Form::F0 && form != Form::F0) {
    conv::nameTuningProblems(*module);
    if (failed(run(conv::buildConvPreparation)))
      return diagnostics.take("the compiler failed without a message");
    if (failed(conv::setChip(*module, options.target, options.limits)) ||
        failed(addSchedules(*module, options)))
      return diagnostics.take("the compiler failed without a message");
  }
  // The schedules of a module that was lowered may be of another target.
  if (impl.form > Form::F1 && failed(run([&](OpPassManager &pm) {
        pm.addPass(conv::createConvSelectSchedule({options.target, 0, ""}));
      })))
    return diagnostics.take("the compiler failed without a message");
  for (int from = int(impl.form); from < int(form); ++from)
    if (failed(run([&](OpPassManager &pm) {
          addStep(pm, impl.form, Form(from), options);
        })))
      return diagnostics.take("the compiler failed without a message");
  return module;
}
