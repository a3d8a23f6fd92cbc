//===- ConvViews.cpp - implicit-GEMM views, stride phases, TMA boxes ------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a geometry that passed check(), without input dilation. Output: the
// operand views, the stride phases of dgrad, and the TMA boxes of both. The
// derivation is in docs/ConvSpec.md.
//
//===----------------------------------------------------------------------===//

#include "conv/Geometry/ConvGeometry.h"

#include <algorithm>
#include <cassert>
#include <numeric>

using namespace convmlir;

bool ConvGeometry::hasViews() const {
  return std::all_of(inputDilation.begin(), inputDilation.begin() + spatialRank,
                     [](int64_t dilation) { return dilation == 1; });
}

/// The view whose rows are all positions of the tensor and that has one tap.
static MatrixView plainView(int rank, int64_t batch, const Spatial &extent,
                            int64_t channels) {
  MatrixView view;
  view.spatialRank = rank;
  view.batch = batch;
  view.channels = channels;
  for (int d = 0; d < rank; ++d)
    view.extent[d] = view.rows[d] = extent[d];
  return view;
}

MatrixView ConvGeometry::inputView() const {
  assert(hasViews() && "no view with input dilation");
  MatrixView view = plainView(spatialRank, n, input, c);
  for (int d = 0; d < spatialRank; ++d) {
    view.rows[d] = output(d);
    view.taps[d] = filter[d];
    view.stride[d] = stride[d];
    view.step[d] = dilation[d];
    view.offset[d] = -padLow[d];
  }
  return view;
}

MatrixView ConvGeometry::filterView() const {
  MatrixView view = plainView(spatialRank, k, filter, c / groups);
  for (int d = 0; d < spatialRank; ++d) {
    view.rows[d] = 1;
    view.taps[d] = filter[d];
  }
  return view;
}

MatrixView ConvGeometry::outputView() const {
  return plainView(spatialRank, n, outputs(), k);
}

namespace {
/// What one phase is along one dimension.
struct PhaseTaps {
  int64_t first, count, step;
};
} // namespace

/// The taps r with (phase + padLow - r*dilation) divisible by the stride. They
/// are stride/gcd apart, so the lowest, if any, is among the first of these.
static PhaseTaps tapsOfPhase(const ConvGeometry &g, int d, int64_t phase) {
  int64_t step = g.stride[d] / std::gcd(g.stride[d], g.dilation[d]);
  for (int64_t r = 0; r < std::min(step, g.filter[d]); ++r)
    if ((phase + g.padLow[d] - r * g.dilation[d]) % g.stride[d] == 0)
      return {r, (g.filter[d] - 1 - r) / step + 1, step};
  return {0, 0, step};
}

/// Fills dimension `d` of a phase. Reversing the taps makes the step of dy
/// positive, as a TMA box needs it: the last tap reads the lowest position.
static void fillPhase(const ConvGeometry &g, int d, DgradPhase &p) {
  auto [first, count, step] = tapsOfPhase(g, d, p.phase[d]);
  p.extent[d] = (g.input[d] - 1 - p.phase[d]) / g.stride[d] + 1;
  p.taps[d] = count;
  p.firstTap[d] = first;
  p.tapStep[d] = step;
  int64_t lastTap = first + (count - 1) * step;

  p.dy.rows[d] = p.dx.rows[d] = p.extent[d];
  p.w.rows[d] = 1;
  p.dx.stride[d] = g.stride[d];
  p.dx.offset[d] = p.phase[d];
  p.dy.taps[d] = p.w.taps[d] = count;
  if (count == 0)
    return;
  p.dy.step[d] = g.dilation[d] / std::gcd(g.stride[d], g.dilation[d]);
  p.dy.offset[d] =
      (p.phase[d] + g.padLow[d] - lastTap * g.dilation[d]) / g.stride[d];
  p.w.step[d] = -step;
  p.w.offset[d] = lastTap;
}

static DgradPhase makePhase(const ConvGeometry &g, const Spatial &phase) {
  DgradPhase result;
  result.phase = phase;
  result.dy = g.outputView();
  result.w = g.filterView();
  result.dx = plainView(g.spatialRank, g.n, g.input, g.c);
  for (int d = 0; d < g.spatialRank; ++d)
    fillPhase(g, d, result);
  return result;
}

std::vector<DgradPhase> ConvGeometry::dgradPhases() const {
  assert(hasViews() && "no phases with input dilation");
  std::vector<Spatial> firsts{Spatial{}};
  for (int d = 0; d < spatialRank; ++d) {
    std::vector<Spatial> extended;
    for (Spatial first : firsts)
      for (first[d] = 0; first[d] < std::min(stride[d], input[d]); ++first[d])
        extended.push_back(first);
    firsts = std::move(extended);
  }
  std::vector<DgradPhase> phases;
  for (const Spatial &first : firsts)
    phases.push_back(makePhase(*this, first));
  return phases;
}

/// The box whose base positions are the rows of the view at tap 0: the upper
/// corner is where the last row lies, relative to the last position.
static TmaBox boxOf(const MatrixView &view) {
  TmaBox box;
  for (int d = 0; d < view.spatialRank; ++d) {
    box.lower[d] = view.offset[d];
    box.elementStride[d] = view.stride[d];
    box.tapStep[d] = view.step[d];
    int64_t last = view.offset[d] + (view.rows[d] - 1) * view.stride[d];
    box.upper[d] = last - (view.extent[d] - 1);
  }
  return box;
}

TmaBox ConvGeometry::inputTmaBox() const {
  TmaBox box = boxOf(inputView());
  for (int d = 0; d < spatialRank; ++d)
    box.upper[d] = padHigh[d] - (filter[d] - 1) * dilation[d];
  return box;
}

TmaBox ConvGeometry::dgradTmaBox(const DgradPhase &phase) const {
  return boxOf(phase.dy);
}

namespace {
/// Limits of the fields of an im2col descriptor and of its offsets.
struct TmaLimits {
  int64_t corner, tapDistance;
};
} // namespace

/// 16, 8 or 5 bits a corner for tensors of rank 3, 4 or 5 (CUDA driver API,
/// cuTensorMapEncodeIm2col); as many, unsigned, for an offset.
static TmaLimits limitsOf(int spatialRank) {
  int bits = spatialRank == 1 ? 16 : spatialRank == 2 ? 8 : 5;
  return {int64_t(1) << (bits - 1), (int64_t(1) << bits) - 1};
}

static constexpr int64_t kMaxTmaElementStride = 8;

Status convmlir::checkTmaRanges(const TmaBox &box, const MatrixView &view) {
  TmaLimits limits = limitsOf(view.spatialRank);
  auto outOfRange = [](const char *what, int dim, int64_t value, int64_t low,
                       int64_t high) {
    return Error{std::string("TMA ") + what + " of spatial dimension " +
                 std::to_string(dim) + " is " + std::to_string(value) +
                 ", outside [" + std::to_string(low) + ", " +
                 std::to_string(high) + "]"};
  };
  for (int d = 0; d < view.spatialRank; ++d) {
    int64_t distance = (view.taps[d] - 1) * box.tapStep[d];
    if (box.lower[d] < -limits.corner || box.lower[d] >= limits.corner)
      return outOfRange("lower corner", d, box.lower[d], -limits.corner,
                        limits.corner - 1);
    if (box.upper[d] < -limits.corner || box.upper[d] >= limits.corner)
      return outOfRange("upper corner", d, box.upper[d], -limits.corner,
                        limits.corner - 1);
    if (distance >= limits.tapDistance)
      return outOfRange("tap distance", d, distance, 0, limits.tapDistance - 1);
    if (box.elementStride[d] > kMaxTmaElementStride)
      return outOfRange("element stride", d, box.elementStride[d], 1,
                        kMaxTmaElementStride);
  }
  return {};
}
