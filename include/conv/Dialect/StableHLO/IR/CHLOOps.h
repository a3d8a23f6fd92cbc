//===- CHLOOps.h - functions that JAX prints as chlo -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_STABLEHLO_IR_CHLOOPS_H
#define CONV_DIALECT_STABLEHLO_IR_CHLOOPS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "conv/Dialect/StableHLO/IR/CHLODialect.h.inc"

#define GET_OP_CLASSES
#include "conv/Dialect/StableHLO/IR/CHLOOps.h.inc"

#endif // CONV_DIALECT_STABLEHLO_IR_CHLOOPS_H
