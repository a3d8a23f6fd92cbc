//===- ConvHopperOps.h - operations for engines of sm_90a -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_CONVHOPPEROPS_H
#define CONV_DIALECT_CONV_IR_CONVHOPPEROPS_H

#include "conv/Dialect/Conv/IR/ConvDialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "conv/Dialect/Conv/IR/ConvHopperOps.h.inc"

namespace mlir::conv {

/// Name of the unit attribute of operations that the producer of a kernel
/// executes once its warps have roles.
inline constexpr llvm::StringLiteral kProducerAttrName = "conv.producer";
/// An integer: the same of operations that all threads of so many warps of the
/// producer execute; those with the other name are executed by one of them.
inline constexpr llvm::StringLiteral kProducersAttrName = "conv.producers";

/// The same of operations that one thread of another warp of the producer
/// executes, beside those of which two work together: it waits for less, and
/// runs ahead.
inline constexpr llvm::StringLiteral kLoaderAttrName = "conv.loader";

/// The same of operations that helpers execute: warps of the producer's
/// warpgroup that read what consumers multiply.
inline constexpr llvm::StringLiteral kHelperAttrName = "conv.helper";

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_CONVHOPPEROPS_H
