//===- ChannelsFirst.cpp - convolutions that stay nchw --------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ChannelsFirst.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvGeometry;

bool conv::hasOneTap(const ConvGeometry &geometry, int d) {
  return geometry.filter[d] == 1 && geometry.padLow[d] == 0 &&
         geometry.padHigh[d] == 0 && geometry.inputDilation[d] == 1;
}

SmallVector<int64_t> conv::getUnusedStrides(ConvOpInterface op) {
  SmallVector<int64_t> strides(op.getSpatialRank(), 1);
  FailureOr<ConvGeometry> geometry = op.getGeometry();
  if (failed(geometry) || geometry->n == 0 || op.getLayout() != Layout::NCHW ||
      !isa<RankedTensorType>(op.getDestType()) ||
      op.getConvKind() == convmlir::ConvKind::Dgrad)
    return strides;
  for (auto [d, stride] : llvm::enumerate(strides))
    if (hasOneTap(*geometry, d) &&
        geometry->input[d] % geometry->stride[d] == 0)
      stride = geometry->stride[d];
  return strides;
}

/// Whether each position of x that is used meets one position of y.
static bool isPointwise(ConvOpInterface op, const ConvGeometry &geometry) {
  SmallVector<int64_t> unused = getUnusedStrides(op);
  for (int d = 0; d < geometry.spatialRank; ++d)
    if (!hasOneTap(geometry, d) || geometry.stride[d] != unused[d])
      return false;
  return geometry.groups == 1;
}

bool conv::isComputedChannelsFirst(ConvOpInterface op) {
  // Copies of 16 bytes, and images that fill the narrower tiles.
  constexpr int64_t unit = 8, leastPositions = 64;
  constexpr unsigned bits = 16;
  if (op.getLayout() != Layout::NCHW ||
      !isa<RankedTensorType>(op.getDestType()) ||
      op.getSourceElementType().getIntOrFloatBitWidth() != bits ||
      !isa<FloatType>(op.getSourceElementType()))
    return false;
  FailureOr<ConvGeometry> geometry = op.getGeometry();
  if (failed(geometry) || geometry->n == 0 || !isPointwise(op, *geometry))
    return false;
  int64_t positions = 1;
  for (int d = 0; d < geometry->spatialRank; ++d)
    positions *= geometry->input[d] / geometry->stride[d];
  return positions % unit == 0 && positions >= leastPositions;
}
