//===- ComputedGeometry.cpp - folded taps and merged groups ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Shape/ComputedGeometry.h"

#include "conv/Dialect/Conv/IR/ChannelsFirst.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Geometry/FoldedTaps.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvGeometry;

convmlir::Result<ConvGeometry> conv::getFoldedGeometry(ConvOpInterface op,
                                                       ArrayRef<int64_t> fold) {
  // A step of gemm-k of every instruction, and what TMA and copies want.
  constexpr int64_t unitBits = 32 * 8;
  if (isComputedChannelsFirst(op))
    return convmlir::Error{"an operation that is computed with its channels "
                           "first has no folded taps"};
  return convmlir::foldTaps(
      *op.getGeometry(), op.getConvKind(), fold.vec(),
      unitBits / op.getSourceElementType().getIntOrFloatBitWidth());
}

ConvGeometry conv::getComputedGeometry(ConvOpInterface op, int64_t merge,
                                       ArrayRef<int64_t> fold) {
  ConvGeometry geometry =
      fold.empty() ? *op.getGeometry() : *getFoldedGeometry(op, fold);
  geometry.groups /= merge;
  return geometry;
}
