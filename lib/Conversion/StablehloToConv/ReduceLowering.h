//===- ReduceLowering.h - reductions as linalg ------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_STABLEHLOTOCONV_REDUCELOWERING_H
#define CONV_LIB_CONVERSION_STABLEHLOTOCONV_REDUCELOWERING_H

#include "conv/Dialect/StableHLO/IR/StableHLOOps.h"
#include "conv/Support/Result.h"

#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"

namespace mlir::conv {

/// A linalg.generic that combines elements of its first input, or what is made
/// of all inputs. The last one may have only a shape, that of a window.
struct Reduction {
  Operation *combiner; ///< What makes one element of two.
  Value init;          ///< The first value, a constant.
  RankedTensorType type;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps; ///< Of the inputs and of the result.
  SmallVector<utils::IteratorType> iterators;
  /// Makes what is combined of the elements of the inputs; the first one of
  /// them where there is none.
  std::function<Value(OpBuilder &, Location, ValueRange)> element = {};
};

/// Its result. Sums of floats narrower than f32 are added in f32, and rounded
/// once. An error where the first value is no constant.
convmlir::Result<Value> emitReduction(OpBuilder &builder, Location loc,
                                      const Reduction &reduction);

/// A conversion in front of it is done in its body.
convmlir::Result<Value> lowerReduce(OpBuilder &builder, stablehlo::ReduceOp op);

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_STABLEHLOTOCONV_REDUCELOWERING_H
