//===- EngineDialect.cpp - the engine dialect -----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Engine/IR/EngineDialect.h"

#include "conv/Dialect/Conv/IR/ConvDialect.h"

#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace mlir::conv;

#include "conv/Dialect/Engine/IR/EngineDialect.cpp.inc"

void EngineDialect::initialize() { registerOps(); }
