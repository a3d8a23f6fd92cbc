//===- EngineOps.h - operations for engines of sm_90a -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_ENGINE_IR_ENGINEOPS_H
#define CONV_DIALECT_ENGINE_IR_ENGINEOPS_H

#include "conv/Dialect/Conv/IR/ConvDialect.h"
#include "conv/Dialect/Engine/IR/EngineDialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "conv/Dialect/Engine/IR/EngineOps.h.inc"

#endif // CONV_DIALECT_ENGINE_IR_ENGINEOPS_H
