//===- Pipeline.cpp - convert-conv-to-im2col ------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Conversion/ConvToGemm/Passes.h"
#include "conv/Conversion/ConvToIm2col/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

void conv::registerConvToIm2colPipeline() {
  static PassPipelineRegistration<> pipeline(
      "convert-conv-to-im2col",
      "convolutions to GEMMs of matrices in a workspace (explicit im2col)",
      [](OpPassManager &manager) {
        OpPassManager &functions = manager.nest<func::FuncOp>();
        functions.addPass(createConvertConvToGemm());
        functions.addPass(createConvMaterializeMatrices());
      });
}
