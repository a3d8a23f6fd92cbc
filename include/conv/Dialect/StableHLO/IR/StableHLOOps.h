//===- StableHLOOps.h - a part of StableHLO -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect `stablehlo`: what JAX prints of programs with convolutions.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_STABLEHLO_IR_STABLEHLOOPS_H
#define CONV_DIALECT_STABLEHLO_IR_STABLEHLOOPS_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "conv/Dialect/StableHLO/IR/StableHLODialect.h.inc"
#include "conv/Dialect/StableHLO/IR/StableHLOEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "conv/Dialect/StableHLO/IR/StableHLOAttrs.h.inc"

namespace mlir::conv::stablehlo {

/// The window of a convolution along one spatial dimension. Output position p
/// meets, at position r of the window, position p*stride + r*rhsDilation - low
/// of the left operand, which is spread by lhsDilation.
struct WindowDimension {
  int64_t stride = 1, low = 0, high = 0, lhsDilation = 1, rhsDilation = 1;
  bool reversed = false;
};

/// How many positions an extent has when it is spread; none stay none.
inline int64_t getSpread(int64_t extent, int64_t dilation) {
  return extent == 0 ? 0 : (extent - 1) * dilation + 1;
}

/// Whether it is an operation of StableHLO, or of CHLO, which JAX prints beside
/// it.
bool isStablehlo(Operation *op);

} // namespace mlir::conv::stablehlo

#define GET_OP_CLASSES
#include "conv/Dialect/StableHLO/IR/StableHLOOps.h.inc"

#endif // CONV_DIALECT_STABLEHLO_IR_STABLEHLOOPS_H
