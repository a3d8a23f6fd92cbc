//===- KMajorWgrad.cpp - wgrad with dy as it lies -------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Forms/KMajorWgrad.h"

#include "conv/Dialect/Conv/IR/ChannelsFirst.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Geometry/FoldedTaps.h"
#include "conv/Geometry/PhaseCount.h"
#include "conv/Geometry/SharedTile.h"
#include "conv/Geometry/TmaView.h"
#include "conv/Schedule/Resources.h"
#include "conv/Schedule/Shape/MmaShape.h"
#include "conv/Schedule/Shape/Transpositions.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvGeometry;
using llvm::formatv;

std::string conv::whyNoKMajor(ConvOpInterface op, int64_t merge,
                              ArrayRef<int64_t> fold) {
  // What TMA wants the rows of a matrix to be a multiple of.
  constexpr int64_t unitBits = 16 * 8, bits = 16;
  if (op.getConvKind() != convmlir::ConvKind::Wgrad)
    return "k-major is for the dy of wgrad";
  if (isComputedChannelsFirst(op))
    return "k-major is for wgrads that are transposed, and this one is "
           "computed with its channels first";
  if (!isTransposition(op, op->getOperand(1)))
    return "k-major reads a dy with channels first, but none is transposed "
           "here";
  Type element = op.getSourceElementType();
  if (!isa<FloatType>(element) || element.getIntOrFloatBitWidth() != bits)
    return formatv("k-major is for f16 and bf16, not for {0}",
                   getTypeName(op.getFactorType()));
  ConvGeometry geometry = getComputedGeometry(op, merge, fold);
  if (foldsOutput(*op.getGeometry(), geometry))
    return "k-major reads dy as it is, but its filters are padded (fold)";
  if (geometry.groups > 1)
    return formatv("k-major has no groups, but there are {0}", geometry.groups);
  if (geometry.n == 0)
    return "k-major is for images, but there are none";
  constexpr char divides[] =
      "k-major reduces all positions of dy at once, which input dilation "
      "divides";
  constexpr convmlir::ConvKind kind = convmlir::ConvKind::Wgrad;
  if (convmlir::countAllPhases(geometry, kind) != 1)
    return divides;
  const convmlir::MatrixView dy = geometry.phases(kind).front().a;
  if (dy.strips != 1 || !hasAllPositions(dy))
    return divides;
  int64_t positions = dy.numRows() / geometry.n;
  if (positions == 0 || positions * bits % unitBits != 0)
    return formatv("k-major wants images of a multiple of {0} positions, but "
                   "dy has {1}",
                   unitBits / bits, positions);
  return "";
}

std::string conv::whyNoImageTiles(ConvOpInterface op, int64_t channels,
                                  int64_t positions) {
  auto type = cast<ShapedType>(op->getOperand(1).getType());
  ConvGeometry geometry = *op.getGeometry();
  int64_t all = type.getNumElements() / (geometry.n * geometry.k);
  auto map = convmlir::getTmaBoxView({geometry.n, geometry.k, all},
                                     {channels, positions},
                                     type.getElementTypeBitWidth() / 8);
  return map ? std::string() : map.error();
}

int64_t conv::getStoredPositions(ScheduleAttr schedule, int64_t otherBytes) {
  constexpr int64_t bytes = 2, widest = 64;
  int64_t rows = schedule.getTile()[0], positions = schedule.getTile()[2];
  int64_t stored = llvm::alignTo(positions, widest);
  auto countPanels = [](int64_t columns) {
    return convmlir::PanelTile(1, columns, bytes).getNumPanels();
  };
  bool fits = schedule.getStages() * rows * stored * bytes + otherBytes <=
              getSharedBytesPerWorkgroup(schedule);
  return fits && countPanels(stored) < countPanels(positions) ? stored
                                                              : positions;
}
