//===- Pipelines.cpp - passes in the order of the stages ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Pipelines/Pipelines.h"
#include "conv/Conversion/ConvToGemm/Passes.h"
#include "conv/Conversion/ConvToIm2col/Passes.h"
#include "conv/Pipelines/Forms.h"
#include "conv/Pipelines/LowerToNVVM.h"
#include "conv/Pipelines/Passes.h"
#include "conv/Schedule/Schedule.h"
#include "conv/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;

/// Without the patterns that make an addition to a contraction its accumulator:
/// they compute the contraction once more where it has other uses, and a kernel
/// has one (test/Upstream/contract-add.mlir).
static std::unique_ptr<Pass> createCanonicalizer() {
  return createCanonicalizerPass(
      GreedyRewriteConfig(), {"CanonicalizeContractAdd<mlir::arith::AddFOp>",
                              "CanonicalizeContractAdd<mlir::arith::AddIOp>"});
}

static void addCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalizer());
  pm.addPass(createCSEPass());
}

void conv::buildConvPreparation(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createConvExpandPadding());
  pm.addNestedPass<func::FuncOp>(createConvExpandSlices());
  pm.addNestedPass<func::FuncOp>(createConvExpandAccumulation());
  pm.addNestedPass<func::FuncOp>(createConvConvertLayout());
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// F0 to F1.
static void addSchedules(OpPassManager &pm,
                         const KernelPipelineOptions &options) {
  if (options.noteOrigin)
    pm.addPass(createConvNoteOrigin());
  pm.addNestedPass<func::FuncOp>(createConvDropAssertions());
  buildConvPreparation(pm);
  if (options.maxWorkspace >= 0)
    pm.addPass(
        createConvLimitWorkspace({options.chip, options.multiprocessors,
                                  options.schedule, options.maxWorkspace}));
  pm.addPass(createConvSelectSchedule(
      {options.chip, options.multiprocessors, options.schedule}));
}

/// F1 to F2.
static void addMatrices(OpPassManager &pm,
                        const KernelPipelineOptions &options) {
  if (options.nameKernels)
    pm.addNestedPass<func::FuncOp>(createConvNoteOperations());
  pm.addNestedPass<func::FuncOp>(createConvFoldTaps());
  pm.addNestedPass<func::FuncOp>(createConvMergeGroups());
  pm.addNestedPass<func::FuncOp>(createConvTransposeWgrad());
  pm.addNestedPass<func::FuncOp>(createConvRestoreLayout());
  pm.addNestedPass<func::FuncOp>(createConvertConvToGemm());
  pm.addNestedPass<func::FuncOp>(createConvFuseEpilogue());
  pm.addNestedPass<func::FuncOp>(createConvFuseTransposition());
  pm.addNestedPass<func::FuncOp>(createConvFillZeroPhases());
  pm.addNestedPass<func::FuncOp>(createConvFuseBiasGradient());
  pm.addNestedPass<func::FuncOp>(createConvFuseInputTransposition());
  pm.addNestedPass<func::FuncOp>(createConvMaterializeMatrices());
  pm.addNestedPass<func::FuncOp>(createConvViewMatrices());
  addCleanup(pm);
}

/// F2 to F3.
static void addTiles(OpPassManager &pm, const KernelPipelineOptions &options) {
  pm.addNestedPass<func::FuncOp>(createConvTileToWorkgroups());
  pm.addNestedPass<func::FuncOp>(createConvDivideEmpties());
  addCleanup(pm);
  if (options.nameKernels)
    pm.addNestedPass<func::FuncOp>(createConvNoteOperations());
  pm.addNestedPass<func::FuncOp>(createConvTilePlainKernels());
  pm.addNestedPass<func::FuncOp>(createConvDivideEmpties());
  addCleanup(pm);
}

/// Tensors to buffers; results of functions become arguments, so that the
/// caller owns all memory but the workspace.
static void addBufferization(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createConvProtectArguments());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  pm.addNestedPass<func::FuncOp>(createConvShapeResults());
  bufferization::BufferResultsToOutParamsPassOptions results;
  results.hoistStaticAllocs = true;
  results.modifyPublicFunctions = true;
  pm.addPass(bufferization::createBufferResultsToOutParamsPass(results));
}

/// F3 to F4.
static void addBlocks(OpPassManager &pm, const KernelPipelineOptions &) {
  pm.addNestedPass<func::FuncOp>(createConvVectorizeTiles());
  pm.addNestedPass<func::FuncOp>(createConvVectorizePlainKernels());
  addCleanup(pm);
  addBufferization(pm);
  // Equal views become one, copies of a buffer to itself go.
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizer());
  pm.addNestedPass<func::FuncOp>(createConvCopiesToPlainKernels());
  pm.addNestedPass<func::FuncOp>(createConvSinkEpilogues());
  pm.addNestedPass<func::FuncOp>(createConvSpreadSums());
  addCleanup(pm);
}

/// F4 to F5.
static void addKernels(OpPassManager &pm,
                       const KernelPipelineOptions &options) {
  pm.addPass(createConvOutlineKernels());
  if (options.nameKernels)
    pm.addPass(createConvNameKernels());
  pm.addNestedPass<gpu::GPUModuleOp>(createCanonicalizer());
  pm.addNestedPass<gpu::GPUModuleOp>(createConvPlanKernels());
}

/// F5 to F6. What of a plan is not in the text is decided here.
static void addRings(OpPassManager &pm, const KernelPipelineOptions &) {
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addPass(createConvPlanKernels());
  kernels.addPass(createConvPipelineCopies());
  kernels.addPass(createConvPipelineBarriers());
  kernels.addPass(createConvSpecializeWarps());
  addCleanup(pm);
  pm.addNestedPass<gpu::GPUModuleOp>(createConvPlanStores());
}

/// F6 to F7. The same holds here.
static void addThreads(OpPassManager &pm,
                       const KernelPipelineOptions &options) {
  {
    OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
    kernels.addPass(createConvPlanStores());
    kernels.addPass(createConvLowerPlainKernels());
    kernels.addPass(createConvLowerTileCopies());
    kernels.addPass(createConvMapToMmaSync());
    kernels.addPass(createConvLowerRowSums());
    kernels.addPass(createConvMapToWgmma());
  }
  // Warpgroups store tiles by TMA as they load them.
  pm.addPass(createConvLowerTileLoads());
  pm.addNestedPass<gpu::GPUModuleOp>(createConvAllocateSharedMemory());
  addCleanup(pm);
  // What `chip` says, where no pass put it on the module.
  std::optional<ChipInfo> chip = lookupChip(options.chip);
  if (!chip || chip->has(convmlir::Engine::LaunchOverlap))
    pm.addNestedPass<gpu::GPUModuleOp>(createConvOverlapLaunches());
}

/// F7 to F8.
static void addTarget(OpPassManager &pm, const KernelPipelineOptions &) {
  buildLowerToNVVMPipeline(pm);
}

namespace {
/// From the form of its place in the table to the next one.
struct Step {
  StringRef pipeline, summary;
  void (*add)(OpPassManager &, const KernelPipelineOptions &);
};
} // namespace

static constexpr Step steps[] = {
    {"conv-operations-to-schedules", "choose schedules (F0 to F1)",
     addSchedules},
    {"conv-schedules-to-matrices",
     "scheduled operations to matrices (F1 to F2)", addMatrices},
    {"conv-matrices-to-tiles", "matrices to tiles (F2 to F3)", addTiles},
    {"conv-tiles-to-blocks", "tiles to block programs (F3 to F4)", addBlocks},
    {"conv-blocks-to-kernels", "block programs to kernels (F4 to F5)",
     addKernels},
    {"conv-kernels-to-rings", "kernels to kernels with a ring (F5 to F6)",
     addRings},
    {"conv-rings-to-threads", "kernels to what a thread does (F6 to F7)",
     addThreads},
    {"conv-threads-to-nvvm", "threads to nvvm and llvm (F7 to F8)", addTarget},
};

void conv::buildConvSteps(OpPassManager &pm, Form from, Form to,
                          const KernelPipelineOptions &options) {
  for (int form = int(from); form < int(to); ++form)
    steps[form].add(pm, options);
}

std::string conv::getStepName(Form from) {
  assert(from < Form::F8 && "no step begins with the last form");
  return steps[int(from)].pipeline.str();
}

std::string conv::printStep(Form from) {
  KernelPipelineOptions all;
  all.chip = "sm_90a";
  all.maxWorkspace = 0;
  all.nameKernels = true;
  OpPassManager pm(ModuleOp::getOperationName());
  steps[int(from)].add(pm, all);
  std::string text;
  llvm::raw_string_ostream stream(text);
  pm.printAsTextualPipeline(stream);
  return text;
}

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

static std::string nameOf(Form form) { return "f" + std::to_string(int(form)); }

static void checkForm(OpPassManager &pm, FormRange expected,
                      StringRef pipeline) {
  pm.addPass(createConvCheckForm(
      {nameOf(expected.first), nameOf(expected.last), pipeline.str()}));
}

using Registration = PassPipelineRegistration<KernelPipelineOptions>;

namespace {
/// From F0 to a form.
struct WholeWay {
  StringRef pipeline, summary;
  Form to;
};
} // namespace

static constexpr WholeWay wholeWays[] = {
    {"conv-to-matrices", "convolutions to virtual matrices (F2)", Form::F2},
    {"conv-to-tiles", "convolutions to tiles (F3)", Form::F3},
    {"conv-to-blocks", "convolutions to block programs (F4)", Form::F4},
    {"conv-to-kernels", "convolutions to kernels with a ring (F6)", Form::F6},
    {"conv-to-threads", "convolutions to what a thread does (F7)", Form::F7},
    {"conv-to-nvvm", "convolutions to nvvm and llvm (F8)", Form::F8},
};

/// From any form that has no kernels yet: what is of a later one already, its
/// first steps leave as it is.
static void registerWholeWay(const WholeWay &way) {
  Registration(way.pipeline, way.summary,
               [=](OpPassManager &pm, const KernelPipelineOptions &options) {
                 Form last = std::min(Form(int(way.to) - 1), Form::F4);
                 checkForm(pm, {Form::F0, last}, way.pipeline);
                 buildConvSteps(pm, Form::F0, way.to, options);
               });
}

static void registerStep(Form from) {
  const Step &step = steps[int(from)];
  Registration(step.pipeline, step.summary,
               [=](OpPassManager &pm, const KernelPipelineOptions &options) {
                 checkForm(pm, {from, from}, step.pipeline);
                 buildConvSteps(pm, from, Form(int(from) + 1), options);
               });
}

void conv::registerConvPipelines() {
  for (const WholeWay &way : wholeWays)
    registerWholeWay(way);
  for (int form = 0; form < int(Form::F8); ++form)
    registerStep(Form(form));
}

SmallVector<PipelineName> conv::listPipelines() {
  SmallVector<PipelineName> all;
  for (const WholeWay &way : wholeWays)
    all.push_back({way.pipeline, way.summary});
  for (const Step &step : steps)
    all.push_back({step.pipeline, step.summary});
  return all;
}

static std::string describe(StringRef pipeline, StringRef summary) {
  return llvm::formatv("  --{0,-31} {1}\n", pipeline, summary).str();
}

std::string conv::describePipelines() {
  std::string text =
      "The whole way from F0 (docs/Pipelines.md has the forms):\n";
  for (const WholeWay &way : wholeWays)
    text += describe(way.pipeline, way.summary);
  text += "One step, which refuses every other form:\n";
  for (const Step &step : steps)
    text += describe(step.pipeline, step.summary);
  return text;
}
