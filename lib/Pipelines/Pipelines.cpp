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
#include "conv/Pipelines/LowerToNVVM.h"
#include "conv/Pipelines/Passes.h"
#include "conv/Transforms/HopperPasses.h"
#include "conv/Transforms/NamePasses.h"
#include "conv/Transforms/OperationPasses.h"
#include "conv/Transforms/Passes.h"
#include "conv/Transforms/PlainPasses.h"
#include "conv/Transforms/Schedule.h"
#include "conv/Transforms/TilePasses.h"

#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

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
  pm.addNestedPass<func::FuncOp>(createConvExpandAccumulation());
  pm.addNestedPass<func::FuncOp>(createConvConvertLayout());
}

void conv::buildConvToMatrices(OpPassManager &pm,
                               const KernelPipelineOptions &options) {
  ConvSelectScheduleOptions select{options.chip, options.schedule};
  buildConvPreparation(pm);
  if (options.maxWorkspace >= 0)
    pm.addPass(createConvLimitWorkspace(
        {options.chip, options.schedule, options.maxWorkspace}));
  pm.addPass(createConvSelectSchedule(select));
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

void conv::buildConvToTiles(OpPassManager &pm,
                            const KernelPipelineOptions &options) {
  buildConvToMatrices(pm, options);
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

void conv::buildConvToBlocks(OpPassManager &pm,
                             const KernelPipelineOptions &options) {
  buildConvToTiles(pm, options);
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

void conv::buildConvToKernels(OpPassManager &pm,
                              const KernelPipelineOptions &options) {
  buildConvToBlocks(pm, options);
  pm.addPass(createConvOutlineKernels());
  if (options.nameKernels)
    pm.addPass(createConvNameKernels());
  pm.addNestedPass<gpu::GPUModuleOp>(createCanonicalizer());
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>().nest<gpu::GPUFuncOp>();
  kernels.addPass(createConvPipelineCopies());
  kernels.addPass(createConvPipelineBarriers());
  kernels.addPass(createConvSpecializeWarps());
  addCleanup(pm);
}

void conv::buildConvToThreads(OpPassManager &pm,
                              const KernelPipelineOptions &options) {
  buildConvToKernels(pm, options);
  {
    OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
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
  std::optional<ChipInfo> chip = lookupChip(options.chip);
  if (chip && chip->has(convmlir::Engine::LaunchOverlap))
    pm.nest<gpu::GPUModuleOp>().addNestedPass<gpu::GPUFuncOp>(
        createConvOverlapLaunches());
}

void conv::buildConvToNVVM(OpPassManager &pm,
                           const KernelPipelineOptions &options) {
  buildConvToThreads(pm, options);
  buildLowerToNVVMPipeline(pm);
}

void conv::registerConvPipelines() {
  using Registration = PassPipelineRegistration<KernelPipelineOptions>;
  Registration("conv-to-matrices", "convolutions to virtual matrices (F2)",
               buildConvToMatrices);
  Registration("conv-to-tiles", "convolutions to tiles (F3)", buildConvToTiles);
  Registration("conv-to-blocks", "convolutions to block programs (F4)",
               buildConvToBlocks);
  Registration("conv-to-kernels", "convolutions to kernels with a ring (F6)",
               buildConvToKernels);
  Registration("conv-to-threads", "convolutions to what a thread does (F7)",
               buildConvToThreads);
  Registration("conv-to-nvvm", "convolutions to nvvm and llvm (F8)",
               buildConvToNVVM);
}
