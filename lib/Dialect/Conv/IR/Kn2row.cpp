//===- Kn2row.cpp - sums of their own for taps along a line ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/Kn2row.h"

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Geometry/PhaseCount.h"
#include "conv/Geometry/TapShift.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvGeometry;
using convmlir::ConvKind;
using convmlir::GemmPhase;
using convmlir::MatrixView;
using llvm::formatv;

static constexpr char kHasPhases[] =
    "kn2row has no stride, and no input dilation";

static std::string whyNot(ConvOpInterface op, const ConvGeometry &geometry) {
  Type element = op.getSourceElementType();
  if (op.getConvKind() == ConvKind::Wgrad)
    return "kn2row is for forward and dgrad";
  if (!isa<FloatType>(element) || element.getIntOrFloatBitWidth() != 16)
    return "kn2row is for f16 and bf16";
  if (geometry.groups > 1 || geometry.n == 0 || geometry.spatialRank > 2)
    return "kn2row is for images of one or two dimensions, without groups";
  if (countAllPhases(geometry, op.getConvKind()) != 1)
    return kHasPhases;
  return "";
}

/// What TMA and the rows of an instruction ask for.
static std::string whyNot(const Kn2row &form) {
  constexpr int64_t unit = 8, mostRows = 256;
  constexpr int64_t rows = AddTapsOp::kBlockRows;
  int64_t taps = form.shifts.size();
  if (taps < 2 || taps * rows > mostRows)
    return formatv("kn2row is for filters of 2 to {0} taps along the innermost "
                   "dimension, but there are {1}",
                   mostRows / rows, taps);
  if (form.line % unit != 0)
    return formatv("kn2row wants lines of a multiple of {0} positions, but "
                   "they have {1}",
                   unit, form.line);
  if (form.filters % rows != 0)
    return formatv("kn2row wants channels of the result in multiples of {0}, "
                   "but there are {1}",
                   rows, form.filters);
  return "";
}

convmlir::Result<Kn2row> conv::getKn2row(ConvOpInterface op) {
  ConvGeometry geometry = *op.getGeometry();
  if (std::string why = whyNot(op, geometry); !why.empty())
    return convmlir::Error{why};
  const GemmPhase phase = geometry.phases(op.getConvKind()).front();
  if (phase.isZero())
    return convmlir::Error{kHasPhases};
  const MatrixView &x = phase.a;
  int last = geometry.spatialRank - 1;
  for (int d = 0; d <= last; ++d)
    if (x.stride[d] != 1 || phase.result.stride[d] != 1 ||
        std::abs(phase.b.step[d]) != 1 || phase.b.taps[d] != geometry.filter[d])
      return convmlir::Error{kHasPhases};
  if (x.rows[last] != x.extent[last])
    return convmlir::Error{
        formatv("kn2row wants lines of the input and of the result that are as "
                "long, but they have {0} and {1} positions",
                x.extent[last], x.rows[last])};
  bool isForward = op.getConvKind() == ConvKind::Forward;
  Kn2row form;
  form.filters = isForward ? geometry.k : geometry.c;
  form.channels = isForward ? geometry.c : geometry.k;
  form.line = x.rows[last];
  form.positions = form.line * (last > 0 ? x.rows[0] : 1);
  form.taps = last > 0 ? x.taps[0] : 1;
  auto [outer, outerStep] =
      last > 0 ? getTapShift(phase, 0) : convmlir::TapShift{0, 0};
  form.offset = outer * form.line;
  form.step = outerStep * form.line;
  auto [inner, innerStep] = getTapShift(phase, last);
  for (int64_t s = 0; s < geometry.filter[last]; ++s)
    form.shifts.push_back(inner + s * innerStep);
  if (std::string why = whyNot(form); !why.empty())
    return convmlir::Error{why};
  return form;
}
