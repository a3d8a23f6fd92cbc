//===- LowerToNVVM.cpp - threads to nvvm ----------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-lower-to-nvvm: from F7 (what one thread does, in nvgpu, gpu, memref,
// vector, scf, affine and arith) to F8 (nvvm and llvm).
//
//===----------------------------------------------------------------------===//

#include "conv/Pipelines/LowerToNVVM.h"
#include "conv/Conversion/Passes.h"
#include "conv/Pipelines/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

static void addCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void conv::buildLowerToNVVMPipeline(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  addCleanup(kernels);
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createLowerAffinePass());
  addCleanup(kernels);
  kernels.addPass(createLoopInvariantCodeMotionPass());
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(createConvertConvKernelToNVVM());
  kernels.addPass(createReconcileUnrealizedCastsPass());
  addCleanup(kernels);
}

void conv::registerLowerToNVVMPipeline() {
  PassPipelineRegistration<>(
      "conv-lower-to-nvvm",
      "From what one thread does (F7) to the nvvm and llvm dialects (F8)",
      [](OpPassManager &pm) {
        pm.addPass(createConvCheckForm({"f7", "f7", "conv-lower-to-nvvm"}));
        buildLowerToNVVMPipeline(pm);
      });
}
