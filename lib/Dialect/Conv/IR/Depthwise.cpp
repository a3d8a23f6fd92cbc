//===- Depthwise.cpp - depthwise convolutions without matrices ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/Depthwise.h"

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"

#include "llvm/Support/FormatVariadic.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvGeometry;
using convmlir::ConvKind;
using convmlir::MatrixView;
using llvm::formatv;

static std::string whyNot(ConvOpInterface op, const ConvGeometry &geometry) {
  if (geometry.groups != geometry.c || geometry.groups != geometry.k)
    return formatv("algorithm loops is for groups of one channel and one "
                   "filter, but {0} groups have {1} and {2}",
                   geometry.groups, geometry.c, geometry.k);
  Type element = op.getSourceElementType();
  if (!element.isF16() && !element.isBF16() && !element.isF32())
    return formatv("algorithm loops is for f16, bf16, f32 and tf32, not for "
                   "{0}",
                   element);
  if (geometry.outputElements() == 0 || geometry.inputElements() == 0)
    return "algorithm loops needs an image";
  return "";
}

/// Of taps that are read backwards: the last one first.
static void turn(MatrixView &view, int dim, int64_t &distance, int64_t count) {
  view.offset[dim] += (count - 1) * distance;
  distance = -distance;
}

/// The positions of y, each of which reads x.
static DepthwiseSum getForwardSum(const ConvGeometry &geometry) {
  DepthwiseSum sum;
  MatrixView &view = sum.view;
  view.channels = geometry.c;
  view.extent = geometry.input;
  view.taps = geometry.filter;
  view.stride = geometry.stride;
  view.step = geometry.dilation;
  for (int d = 0; d < geometry.spatialRank; ++d) {
    view.rows[d] = geometry.output(d);
    view.offset[d] = -geometry.padLow[d];
    sum.dilation[d] = geometry.inputDilation[d];
    if (geometry.flip)
      turn(view, d, view.step[d], geometry.filter[d]);
  }
  return sum;
}

/// The taps of w at all positions of y: the same with their roles swapped.
static DepthwiseSum getWgradSum(const ConvGeometry &geometry) {
  DepthwiseSum sum = getForwardSum(geometry);
  std::swap(sum.view.rows, sum.view.taps);
  std::swap(sum.view.stride, sum.view.step);
  return sum;
}

/// The positions of x. From q * stride + r * dilation - padLow = i * e, with
/// input dilation e, follows which q meets i by tap r: place i * e - r *
/// dilation + padLow of a dy that has `stride` places for each element.
static DepthwiseSum getDgradSum(const ConvGeometry &geometry) {
  DepthwiseSum sum;
  MatrixView &view = sum.view;
  view.channels = geometry.k;
  view.rows = geometry.input;
  view.taps = geometry.filter;
  view.stride = geometry.inputDilation;
  for (int d = 0; d < geometry.spatialRank; ++d) {
    view.extent[d] = geometry.output(d);
    view.step[d] = -geometry.dilation[d];
    view.offset[d] = geometry.padLow[d];
    sum.dilation[d] = geometry.stride[d];
    if (geometry.flip)
      turn(view, d, view.step[d], geometry.filter[d]);
  }
  return sum;
}

convmlir::Result<DepthwiseSum> conv::getDepthwiseSum(ConvOpInterface op) {
  ConvGeometry geometry = *op.getGeometry();
  if (std::string why = whyNot(op, geometry); !why.empty())
    return convmlir::Error{why};
  DepthwiseSum sum = op.getConvKind() == ConvKind::Wgrad ? getWgradSum(geometry)
                     : op.getConvKind() == ConvKind::Dgrad
                         ? getDgradSum(geometry)
                         : getForwardSum(geometry);
  sum.view.spatialRank = geometry.spatialRank;
  sum.view.batch = geometry.n;
  return sum;
}

/// `places` in elements; nothing if that is no whole number.
static std::optional<int64_t> toElements(int64_t places, int64_t dilation) {
  if (places % dilation != 0)
    return std::nullopt;
  return places / dilation;
}

std::optional<int64_t> DepthwiseSum::getTileStep(int64_t rows) const {
  int last = view.spatialRank - 1;
  bool isWhole = view.rows[last] == rows;
  return toElements(isWhole ? 0 : rows * view.stride[last], dilation[last]);
}

std::optional<int64_t> DepthwiseSum::getBlockStep(int64_t taps) const {
  int last = view.spatialRank - 1;
  bool isWhole = view.taps[last] == taps;
  return toElements(isWhole ? 0 : taps * view.step[last], dilation[last]);
}

std::map<int64_t, DepthwiseSum::Column>
DepthwiseSum::getColumns(int64_t rows, int64_t taps) const {
  int last = view.spatialRank - 1;
  int64_t lastTile = (view.rows[last] / rows - 1) * *getTileStep(rows),
          lastBlock = (view.taps[last] / taps - 1) * *getBlockStep(taps);
  int64_t before =
      std::min<int64_t>(lastTile, 0) + std::min<int64_t>(lastBlock, 0);
  int64_t behind =
      std::max<int64_t>(lastTile, 0) + std::max<int64_t>(lastBlock, 0);
  std::map<int64_t, Column> columns;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t tap = 0; tap < taps; ++tap) {
      int64_t place =
          row * view.stride[last] + tap * view.step[last] + view.offset[last];
      int64_t column = place / dilation[last];
      if (place % dilation[last] != 0 || column + behind < 0 ||
          column + before >= view.extent[last])
        continue;
      Column &found = columns[column];
      found.lowest = column + before;
      found.highest = column + behind;
      found.readers.push_back({row, tap});
    }
  return columns;
}

int64_t DepthwiseSum::getColumnDivisor(int64_t rows, int64_t taps,
                                       int64_t most) const {
  int64_t divisor = std::gcd(most, view.extent[view.spatialRank - 1]);
  return std::gcd(std::gcd(divisor, *getTileStep(rows)), *getBlockStep(taps));
}

DepthwiseSum conv::getDepthwiseSum(DepthwiseOp op) {
  SmallVector<int64_t> shape(op.getSourceType().getShape());
  if (op.getChannelsFirst()) // Views are of tensors with channels last.
    std::rotate(shape.begin() + 1, shape.begin() + 2, shape.end());
  DepthwiseSum sum;
  sum.view = op.getView().getMatrixView(shape);
  for (int dim = 0; dim < sum.view.spatialRank; ++dim)
    sum.dilation[dim] = op.getDilationOf(dim);
  return sum;
}

bool conv::multipliesBands(ScheduleAttr schedule) {
  return schedule && schedule.getAlgorithm() == Algorithm::Loops &&
         schedule.getMma() == MmaKind::MmaSync;
}

bool conv::gathersLoops(ScheduleAttr schedule) {
  return schedule && schedule.getAlgorithm() == Algorithm::Loops &&
         schedule.getGather();
}
