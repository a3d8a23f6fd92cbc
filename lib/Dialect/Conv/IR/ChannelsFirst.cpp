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

/// Whether a kernel takes images as they lie, and is not slower for it. Of
/// wgrad they are K-major, as every instruction takes them. Of the others they
/// are not, which takes `wgmma` away from tf32: that costs more than to
/// transpose x (or dy) where there are many channels of the result (an
/// estimate: about 240, by the rates of mma.sync, wgmma and memory of an H200).
/// Elements of 8 bits would be loaded one by one.
static bool canReadImages(ConvOpInterface op, const ConvGeometry &geometry) {
  constexpr int64_t mostChannelsOfTF32 = 128;
  if (op.getConvKind() == convmlir::ConvKind::Wgrad)
    return true;
  bool isForward = op.getConvKind() == convmlir::ConvKind::Forward;
  if (op.getPrecisionType())
    return (isForward ? geometry.k : geometry.c) <= mostChannelsOfTF32;
  return op.getSourceElementType().getIntOrFloatBitWidth() >= 16;
}

bool conv::isComputedChannelsFirst(ConvOpInterface op) {
  // Copies of 16 bytes, and images that fill the narrower tiles.
  constexpr int64_t unitBits = 128, leastPositions = 64;
  if (op.getLayout() != Layout::NCHW ||
      !isa<RankedTensorType>(op.getDestType()))
    return false;
  FailureOr<ConvGeometry> geometry = op.getGeometry();
  if (failed(geometry) || geometry->n == 0 || !isPointwise(op, *geometry) ||
      !canReadImages(op, *geometry))
    return false;
  int64_t bits = op.getSourceElementType().getIntOrFloatBitWidth();
  int64_t positions = 1;
  for (int d = 0; d < geometry->spatialRank; ++d)
    positions *= geometry->input[d] / geometry->stride[d];
  return positions * bits % unitBits == 0 && positions >= leastPositions;
}
