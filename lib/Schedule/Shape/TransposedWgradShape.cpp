//===- TransposedWgradShape.cpp - wgrad as forward of copies --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Shape/TransposedWgradShape.h"

#include "conv/Dialect/Conv/IR/ChannelsFirst.h"
#include "conv/Geometry/TmaView.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvGeometry;
using convmlir::MatrixView;

bool conv::transposesWgrad(ConvOpInterface op, const ConvGeometry &wgrad,
                           MmaKind mma) {
  if (mma != MmaKind::Wgmma || op.getConvKind() != convmlir::ConvKind::Wgrad ||
      op.getSourceElementType().getIntOrFloatBitWidth() == 16 ||
      isComputedChannelsFirst(op))
    return false;
  // Copies of groups and of inserted zeros would be much larger than tensors.
  convmlir::Spatial outputs = wgrad.outputs();
  return op.getGroups() == 1 && !wgrad.hasInputDilation() && !wgrad.flip &&
         wgrad.n > 0 && llvm::all_of(outputs, [](int64_t p) { return p > 0; });
}

/// Output positions of a patch along a dimension, and patches. One patch that
/// is the image takes its padding with it; those of others lie in the copy.
static void cutDimension(TransposedWgrad &result, const ConvGeometry &wgrad,
                         int d, int64_t patches) {
  int64_t outputs = wgrad.output(d);
  result.patches[d] = patches;
  result.outputs[d] = llvm::divideCeil(outputs, patches);
  result.isCut[d] = patches > 1;
}

/// The forward convolution of patches. A dimension with one output position
/// has the taps of the filter in the place of input positions.
static void setForward(TransposedWgrad &result, const ConvGeometry &wgrad) {
  ConvGeometry &forward = result.forward;
  int last = wgrad.spatialRank - 1;
  result.dropsLast = result.outputs[last] == 1;
  int rank = result.dropsLast ? last : last + 1;
  forward.spatialRank = std::max(rank, 1);
  forward.n = wgrad.c * (result.dropsLast ? wgrad.filter[last] : 1);
  forward.c = wgrad.n;
  forward.k = wgrad.k;
  for (int d = 0; d <= last; ++d)
    forward.c *= result.patches[d];
  for (int d = 0; d < rank; ++d) {
    int64_t reach = (wgrad.filter[d] - 1) * wgrad.dilation[d] +
                    (result.outputs[d] - 1) * wgrad.stride[d] + 1;
    forward.filter[d] = result.outputs[d];
    if (result.hasTapsOnly(d)) {
      forward.input[d] = wgrad.filter[d];
      continue;
    }
    forward.stride[d] = wgrad.dilation[d];
    forward.dilation[d] = wgrad.stride[d];
    forward.input[d] = result.isCut[d] ? reach : wgrad.input[d];
    forward.padLow[d] = result.isCut[d] ? 0 : wgrad.padLow[d];
    // What strides leave over of the input is cropped.
    forward.padHigh[d] = reach - forward.input[d] - forward.padLow[d];
  }
}

/// Whether patches are what a tensor with these extents is in another shape:
/// equal parts of its outermost spatial dimension, without a border.
static bool isReshape(const TransposedWgrad &wgrad,
                      const convmlir::Spatial &extents,
                      const convmlir::Spatial &patch, int rank) {
  for (int d = 0; d < rank; ++d) {
    int64_t patches = wgrad.patches[d];
    if (patches * patch[d] != extents[d] || (d > 0 && patches != 1))
      return false;
  }
  return true;
}

static void setGathers(TransposedWgrad &result, const ConvGeometry &wgrad) {
  int rank = wgrad.spatialRank;
  convmlir::Spatial patch{1, 1, 1};
  bool hasBorder = false;
  for (int d = 0; d < rank; ++d) {
    bool isSame = !result.isCut[d] && !result.hasTapsOnly(d);
    patch[d] = isSame ? wgrad.input[d] : result.outputs[d];
    hasBorder |= !isSame && (wgrad.filter[d] != 1 || wgrad.stride[d] != 1 ||
                             wgrad.padLow[d] != 0);
  }
  result.gathersInput =
      hasBorder || !isReshape(result, wgrad.input, patch, rank);
  result.gathersOutput =
      !isReshape(result, wgrad.outputs(), result.outputs, rank);
}

/// Numbers of patches that are worth a try: whole images, halves of halves, and
/// positions by themselves, of which there are more where that makes channels
/// whole units.
static SmallVector<int64_t> getCuts(int64_t outputs, int64_t n, int64_t unit) {
  SmallVector<int64_t> cuts;
  for (int64_t patches = 1; patches < outputs; patches *= 2)
    cuts.push_back(patches);
  cuts.push_back(n * outputs % unit == 0 ? outputs
                                         : llvm::alignTo(outputs, unit));
  return cuts;
}

/// Copied elements, more where channels are no whole lines of 128 bytes; none
/// where TMA cannot load the copies.
static std::optional<double> getCost(const TransposedWgrad &wgrad,
                                     int64_t elementBytes) {
  constexpr int64_t lineBytes = 128, rows = 64;
  const ConvGeometry &forward = wgrad.forward;
  int64_t bytes = forward.c * elementBytes;
  MatrixView view = forward.phases(convmlir::ConvKind::Forward).front().a;
  int64_t columns = std::max<int64_t>(32, std::min(bytes, lineBytes));
  if (!convmlir::whyNoTensorMap({view}, 1, elementBytes, rows,
                                columns / 32 * 32 / elementBytes)
           .empty())
    return std::nullopt;
  return double(countCopiedElements(wgrad)) * llvm::alignTo(bytes, lineBytes) /
         bytes;
}

TransposedWgrad conv::getTransposedWgrad(ConvOpInterface op,
                                         const ConvGeometry &wgrad) {
  int rank = wgrad.spatialRank, last = rank - 1;
  constexpr int64_t unitBytes = 16;
  int64_t elementBytes = op.getSourceElementType().getIntOrFloatBitWidth() / 8;
  int64_t unit = unitBytes / elementBytes;
  auto get = [&](int64_t first, int64_t second) {
    TransposedWgrad result;
    for (int d = 0; d < rank; ++d)
      cutDimension(result, wgrad, d,
                   d == last       ? second
                   : d == last - 1 ? first
                                   : 1);
    setForward(result, wgrad);
    setGathers(result, wgrad);
    return result;
  };
  SmallVector<int64_t> cuts = getCuts(wgrad.output(last), wgrad.n, unit);
  // There is one for all lengths of rows and numbers of images.
  TransposedWgrad best = get(1, cuts.back());
  std::optional<double> least = getCost(best, elementBytes);
  SmallVector<int64_t> others = {1};
  if (rank > 1)
    others = getCuts(wgrad.output(last - 1), wgrad.n, unit);
  for (int64_t first : others)
    for (int64_t second : cuts) {
      TransposedWgrad candidate = get(first, second);
      std::optional<double> cost = getCost(candidate, elementBytes);
      if (cost && (!least || *cost < *least)) {
        best = candidate;
        least = cost;
      }
    }
  return best;
}

int64_t conv::countCopiedElements(const TransposedWgrad &wgrad) {
  int64_t input = wgrad.forward.inputElements();
  int64_t output = wgrad.forward.filterElements();
  return input * (wgrad.gathersInput ? 4 : 2) +
         output * (wgrad.gathersOutput ? 4 : 2);
}
