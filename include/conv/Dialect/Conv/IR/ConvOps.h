//===- ConvOps.h - conv.forward, conv.dgrad, conv.wgrad ---------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_CONVOPS_H
#define CONV_DIALECT_CONV_IR_CONVOPS_H

#include "conv/Dialect/Conv/IR/ConvDialect.h"
#include "conv/Dialect/Conv/IR/ConvShapes.h"
#include "conv/Dialect/Conv/IR/ConvTypes.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::conv::detail {

/// The geometry of an operation that implements ConvOpInterface, or the first
/// numbered rule of docs/ConvSpec.md that it breaks.
convmlir::Result<convmlir::ConvGeometry> readGeometry(Operation *op);
LogicalResult verifyConvOp(Operation *op);

void buildConvOp(OpBuilder &builder, OperationState &state, ValueRange operands,
                 const convmlir::ConvGeometry &geometry, Layout layout,
                 Type accType, Type precisionType);
void getConvEffects(Operation *op,
                    SmallVectorImpl<MemoryEffects::EffectInstance> &effects);
LogicalResult reifyConvShapes(Operation *op, OpBuilder &builder,
                              ReifiedRankedShapedTypeDims &shapes);
void populateConvCanonicalization(RewritePatternSet &patterns,
                                  MLIRContext *context, StringRef opName);

} // namespace mlir::conv::detail

#include "conv/Dialect/Conv/IR/ConvInterfaces.h.inc"

#define GET_OP_CLASSES
#include "conv/Dialect/Conv/IR/ConvOps.h.inc"

#endif // CONV_DIALECT_CONV_IR_CONVOPS_H
