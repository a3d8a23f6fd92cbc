//===- Depthwise.cpp - depthwise convolutions without matrices ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/Depthwise.h"

#include "conv/Geometry/TapShift.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvGeometry;
using convmlir::ConvKind;
using convmlir::GemmPhase;
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

/// The taps of w at all positions of y.
static MatrixView getWgradView(const ConvGeometry &geometry) {
  MatrixView view;
  view.spatialRank = geometry.spatialRank;
  view.batch = geometry.n;
  view.channels = geometry.c;
  view.extent = geometry.input;
  view.rows = geometry.filter;
  view.step = geometry.stride;
  for (int d = 0; d < geometry.spatialRank; ++d) {
    int64_t dilation = geometry.dilation[d];
    view.taps[d] = geometry.output(d);
    view.stride[d] = geometry.flip ? -dilation : dilation;
    view.offset[d] = -geometry.padLow[d];
    if (geometry.flip)
      view.offset[d] += (geometry.filter[d] - 1) * dilation;
  }
  return view;
}

convmlir::Result<MatrixView> conv::getDepthwiseView(ConvOpInterface op) {
  ConvGeometry geometry = *op.getGeometry();
  if (std::string why = whyNot(op, geometry); !why.empty())
    return convmlir::Error{why};
  convmlir::Error strided{"algorithm loops has no stride of dgrad, and no "
                          "input dilation"};
  if (op.getConvKind() == ConvKind::Wgrad) {
    if (geometry.hasInputDilation())
      return strided;
    return getWgradView(geometry);
  }
  std::vector<GemmPhase> phases = geometry.phases(op.getConvKind());
  if (phases.size() != 1 || phases.front().isZero())
    return strided;
  const GemmPhase &phase = phases.front();
  MatrixView view = phase.a;
  for (int d = 0; d < geometry.spatialRank; ++d) {
    if (phase.result.stride[d] != 1 || std::abs(phase.b.step[d]) != 1 ||
        phase.b.taps[d] != geometry.filter[d])
      return strided;
    convmlir::TapShift shift = getTapShift(phase, d);
    view.offset[d] = shift.offset;
    view.step[d] = shift.step;
  }
  return view;
}
