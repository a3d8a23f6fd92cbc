//===- Registration.cpp - everything the tools know -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Pipelines/Registration.h"
#include "conv/Dialect/Conv/IR/ConvDialect.h"
#include "conv/Dialect/Conv/Transforms/BufferizableMatrixOps.h"
#include "conv/Dialect/Conv/Transforms/BufferizableOpInterfaceImpl.h"
#include "conv/Transforms/TilePasses.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

using namespace mlir;

void conv::registerDialects(DialectRegistry &registry) {
  registry.insert<ConvDialect>();
  registerBufferizableMatrixOps(registry);
  registerConvOpsBufferizationModels(registry);
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
}

void conv::registerAll(DialectRegistry &registry) {
  registerDialects(registry);
  registerAllPasses();
  registerConvTilePasses();
}
