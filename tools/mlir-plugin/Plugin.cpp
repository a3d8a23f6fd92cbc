//===- Plugin.cpp - dialects and passes in upstream's tools ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two entry points that mlir-opt asks a plugin for. Input: the registry of
// a tool (--load-dialect-plugin), the registry of passes (--load-pass-plugin).
// Output: what conv-opt registers, in both.
//
//===----------------------------------------------------------------------===//

#include "PipelineFlags.h"
#include "conv/Compiler/BinaryPass.h"
#include "conv/Pipelines/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

static void registerPasses() {
  conv::registerPasses();
  conv::registerNvvmToBinaryPass();
  convmlir::addPipelineFlags();
}

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "conv-mlir", CONV_MLIR_VERSION,
          [](DialectRegistry *registry) { conv::registerDialects(*registry); }};
}

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "conv-mlir", CONV_MLIR_VERSION,
          registerPasses};
}
