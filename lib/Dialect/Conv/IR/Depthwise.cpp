//===- Depthwise.cpp - depthwise convolutions without matrices ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/Depthwise.h"

#include "llvm/Support/FormatVariadic.h"

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
