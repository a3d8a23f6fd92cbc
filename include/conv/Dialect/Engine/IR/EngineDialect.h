//===- EngineDialect.h - the engine dialect ---------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations are in EngineOps.h. A pass that makes some of them depends on this
// dialect; the module that it reads need not have any.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_ENGINE_IR_ENGINEDIALECT_H
#define CONV_DIALECT_ENGINE_IR_ENGINEDIALECT_H

#include "mlir/IR/Dialect.h"

#include "conv/Dialect/Engine/IR/EngineDialect.h.inc"

#endif // CONV_DIALECT_ENGINE_IR_ENGINEDIALECT_H
