//===- Registration.cpp - everything the tools know -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Pipelines/Registration.h"
#include "conv/Conversion/ConvMatricesToLinalg/Passes.h"
#include "conv/Conversion/ConvToGemm/Passes.h"
#include "conv/Conversion/ConvToIm2col/Passes.h"
#include "conv/Conversion/Passes.h"
#include "conv/Dialect/Conv/IR/ConvDialect.h"
#include "conv/Dialect/Conv/Transforms/BufferizableConvOps.h"
#include "conv/Dialect/Conv/Transforms/BufferizableMatrixOps.h"
#include "conv/Dialect/Engine/IR/EngineDialect.h"
#include "conv/Dialect/StableHLO/IR/CHLOOps.h"
#include "conv/Dialect/StableHLO/IR/StableHLOOps.h"
#include "conv/Pipelines/LowerToNVVM.h"
#include "conv/Pipelines/Passes.h"
#include "conv/Pipelines/Pipelines.h"
#include "conv/Pipelines/Upstream.h"
#include "conv/Script/TransformOps.h"
#include "conv/Transforms/Passes.h"

using namespace mlir;

void conv::registerDialects(DialectRegistry &registry) {
  registry.insert<ConvDialect, EngineDialect, chlo::CHLODialect,
                  stablehlo::StableHLODialect>();
  registerBufferizableMatrixOps(registry);
  registerBufferizableConvOps(registry);
  registerTransformDialectExtension(registry);
  registerUpstreamDialects(registry);
}

void conv::registerPasses() {
  registerConvMatricesToLinalgPasses();
  registerConvToGemmPasses();
  registerConvToIm2colPasses();
  registerConvToIm2colPipeline();
  registerConvTransformsPasses();
  registerConvConversionPasses();
  registerConvPipelinesPasses();
  registerConvPipelines();
  registerLowerToNVVMPipeline();
}

void conv::registerAll(DialectRegistry &registry) {
  registerDialects(registry);
  registerUpstreamPasses();
  registerPasses();
}
