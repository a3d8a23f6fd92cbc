//===- ConvViews.cpp - implicit-GEMM views, stride phases, TMA boxes ------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a geometry that passed check(). Output: the operand views, the phases
// of all ops, and the TMA boxes. The derivation is in docs/ConvSpec.md.
//
//===----------------------------------------------------------------------===//

#include "Saturating.h"
#include "conv/Geometry/PhaseCount.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <optional>
#include <utility>

using namespace convmlir;

bool ConvGeometry::hasInputDilation() const {
  return std::any_of(inputDilation.begin(), inputDilation.begin() + spatialRank,
                     [](int64_t dilation) { return dilation != 1; });
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
  assert(!hasInputDilation() && "one view is not enough");
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

/// Positions of a result that are `stride` apart, from `first` on.
static void selectRows(MatrixView &view, int d, int64_t first, int64_t stride,
                       int64_t rows) {
  view.rows[d] = rows;
  view.stride[d] = stride;
  view.offset[d] = first;
}

/// Every `step`-th tap from `first` on, in the order of r, or in reverse.
static void selectTaps(const ConvGeometry &g, MatrixView &w, int d,
                       PhaseTaps taps, bool reverse) {
  w.rows[d] = 1;
  w.taps[d] = taps.count;
  if (taps.count == 0)
    return;
  int64_t last = taps.first + (taps.count - 1) * taps.step;
  w.step[d] = reverse ? -taps.step : taps.step;
  w.offset[d] = reverse ? last : taps.first;
  if (!g.flip)
    return;
  w.step[d] = -w.step[d];
  w.offset[d] = g.filter[d] - 1 - w.offset[d];
}

/// The x with value * x = 1 modulo `modulus`, which have no common divisor.
static int64_t invert(int64_t value, int64_t modulus) {
  int64_t a = value, b = modulus, x = 1, y = 0;
  while (b != 0) {
    int64_t quotient = a / b;
    a = std::exchange(b, a - quotient * b);
    x = std::exchange(y, x - quotient * y);
  }
  return (x % modulus + modulus) % modulus;
}

/// The least count, not negative, of which so many `steps` lead from zero to
/// `target` modulo `modulus`. All have 32 bits but `target`.
static std::optional<int64_t> countSteps(int64_t step, int64_t target,
                                         int64_t modulus) {
  int64_t divisor = std::gcd(step, modulus);
  if (target % divisor != 0)
    return std::nullopt;
  int64_t period = modulus / divisor;
  int64_t rest = (target / divisor % period + period) % period;
  return rest * invert(step / divisor % period, period) % period;
}

/// All choices of one value for each dimension, from [0, counts).
static std::vector<Spatial> enumerate(int rank, const Spatial &counts) {
  std::vector<Spatial> all{Spatial{}};
  for (int d = 0; d < rank; ++d) {
    std::vector<Spatial> extended;
    for (Spatial values : all)
      for (values[d] = 0; values[d] < counts[d]; ++values[d])
        extended.push_back(values);
    all = std::move(extended);
  }
  return all;
}

//===----------------------------------------------------------------------===//
// dgrad
//===----------------------------------------------------------------------===//

/// Every `step`-th of the taps from `first` on, if that is one.
static PhaseTaps selectTaps(std::optional<int64_t> first, int64_t taps,
                            int64_t step) {
  if (!first || *first >= taps)
    return {0, 0, step};
  return {*first, (taps - 1 - *first) / step + 1, step};
}

/// Distance of two positions of x that meet the same taps.
static int64_t dgradPeriod(const ConvGeometry &g, int d) {
  return g.stride[d] / std::gcd(g.stride[d], g.inputDilation[d]);
}

/// The taps r with (phase*inputDilation + padLow - r*dilation) divisible by the
/// stride. They are stride/gcd apart.
static PhaseTaps tapsOfPhase(const ConvGeometry &g, int d, int64_t phase) {
  int64_t step = g.stride[d] / std::gcd(g.stride[d], g.dilation[d]);
  int64_t position = phase * g.inputDilation[d] + g.padLow[d];
  return selectTaps(countSteps(g.dilation[d], position, g.stride[d]),
                    g.filter[d], step);
}

/// Fills dimension `d` of a phase. Reversing the taps makes the step of dy
/// positive, as a TMA box needs it: the last tap reads the lowest position.
static void fillPhase(const ConvGeometry &g, int d, DgradPhase &p) {
  PhaseTaps taps = tapsOfPhase(g, d, p.phase[d]);
  int64_t period = dgradPeriod(g, d);
  p.extent[d] = (g.input[d] - 1 - p.phase[d]) / period + 1;
  p.taps[d] = taps.count;
  p.firstTap[d] = taps.first;
  p.tapStep[d] = taps.step;

  selectRows(p.dx, d, p.phase[d], period, p.extent[d]);
  selectTaps(g, p.w, d, taps, /*reverse=*/true);
  p.dy.rows[d] = p.extent[d];
  p.dy.stride[d] = g.inputDilation[d] / std::gcd(g.stride[d], //
                                                 g.inputDilation[d]);
  p.dy.taps[d] = taps.count;
  if (taps.count == 0)
    return;
  int64_t last = taps.first + (taps.count - 1) * taps.step;
  p.dy.step[d] = g.dilation[d] / std::gcd(g.stride[d], g.dilation[d]);
  p.dy.offset[d] =
      (p.phase[d] * g.inputDilation[d] + g.padLow[d] - last * g.dilation[d]) /
      g.stride[d];
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
  std::vector<DgradPhase> phases;
  for (const Spatial &first :
       enumerate(spatialRank, countPhases(ConvKind::Dgrad)))
    phases.push_back(makePhase(*this, first));
  return phases;
}

//===----------------------------------------------------------------------===//
// forward and wgrad
//===----------------------------------------------------------------------===//

/// Distance of two positions of y that meet the same taps.
static int64_t forwardPeriod(const ConvGeometry &g, int d) {
  return g.inputDilation[d] / std::gcd(g.stride[d], g.inputDilation[d]);
}

/// Distance of two taps that meet the same positions of y, and of the positions
/// of x at which they do.
static int64_t tapPeriod(const ConvGeometry &g, int d) {
  return g.inputDilation[d] / std::gcd(g.dilation[d], g.inputDilation[d]);
}
static int64_t tapDistance(const ConvGeometry &g, int d) {
  return g.dilation[d] / std::gcd(g.dilation[d], g.inputDilation[d]);
}

/// The position of the spread x at which output p meets tap r.
static int64_t spreadPosition(const ConvGeometry &g, int d, int64_t p,
                              int64_t r) {
  return p * g.stride[d] + r * g.dilation[d] - g.padLow[d];
}

static PhaseTaps tapsOfOutput(const ConvGeometry &g, int d, int64_t p) {
  int64_t step = tapPeriod(g, d);
  return selectTaps(countSteps(g.dilation[d], -spreadPosition(g, d, p, 0),
                               g.inputDilation[d]),
                    g.filter[d], step);
}

/// Output positions from `first` on meet some of the taps.
static GemmPhase makeForwardPhase(const ConvGeometry &g, const Spatial &first) {
  GemmPhase phase;
  phase.a = plainView(g.spatialRank, g.n, g.input, g.c);
  phase.b = g.filterView();
  phase.result = g.outputView();
  for (int d = 0; d < g.spatialRank; ++d) {
    PhaseTaps taps = tapsOfOutput(g, d, first[d]);
    int64_t period = forwardPeriod(g, d);
    selectRows(phase.result, d, first[d], period,
               (g.output(d) - 1 - first[d]) / period + 1);
    selectTaps(g, phase.b, d, taps, /*reverse=*/false);
    phase.a.rows[d] = phase.result.rows[d];
    phase.a.stride[d] = period * g.stride[d] / g.inputDilation[d];
    phase.a.taps[d] = taps.count;
    phase.a.step[d] = tapDistance(g, d);
    if (taps.count > 0)
      phase.a.offset[d] =
          spreadPosition(g, d, first[d], taps.first) / g.inputDilation[d];
  }
  return phase;
}

static std::vector<GemmPhase> forwardPhases(const ConvGeometry &g) {
  std::vector<GemmPhase> phases;
  for (const Spatial &first :
       enumerate(g.spatialRank, g.countPhases(ConvKind::Forward)))
    phases.push_back(makeForwardPhase(g, first));
  return phases;
}

/// Along a dimension in which x is spread: one tap, with the outputs that meet
/// x through it. Rows that only other taps have lie outside of dy, and so do
/// all rows of a tap that meets nothing, outside of x as well.
static void fillTapOfSpread(const ConvGeometry &g, int d, int64_t tap,
                            GemmPhase &phase) {
  int64_t period = forwardPeriod(g, d),
          r = g.flip ? g.filter[d] - 1 - tap : tap;
  auto p =
      countSteps(g.stride[d], -spreadPosition(g, d, 0, r), g.inputDilation[d]);
  selectRows(phase.a, d, p ? *p : g.output(d), period,
             (g.output(d) - 1) / period + 1);
  phase.b.rows[d] = phase.a.rows[d];
  phase.b.stride[d] = period * g.stride[d] / g.inputDilation[d];
  phase.b.offset[d] =
      p ? spreadPosition(g, d, *p, r) / g.inputDilation[d] : g.input[d];
  phase.result.taps[d] = 1;
  phase.result.offset[d] = tap;
}

/// Along any other: all taps.
static void fillTaps(const ConvGeometry &g, int d, GemmPhase &phase) {
  phase.b.rows[d] = g.output(d);
  phase.b.taps[d] = g.filter[d];
  phase.b.stride[d] = g.stride[d];
  phase.b.step[d] = g.flip ? -g.dilation[d] : g.dilation[d];
  phase.b.offset[d] = spreadPosition(g, d, 0, g.flip ? g.filter[d] - 1 : 0);
}

static std::vector<GemmPhase> wgradPhases(const ConvGeometry &g) {
  std::vector<GemmPhase> phases;
  for (const Spatial &tap :
       enumerate(g.spatialRank, g.countPhases(ConvKind::Wgrad))) {
    GemmPhase &phase = phases.emplace_back();
    phase.a = g.outputView();
    phase.b = plainView(g.spatialRank, g.n, g.input, g.c);
    phase.result = g.filterView();
    for (int d = 0; d < g.spatialRank; ++d)
      if (g.inputDilation[d] == 1)
        fillTaps(g, d, phase);
      else
        fillTapOfSpread(g, d, tap[d], phase);
  }
  return phases;
}

/// Along one dimension.
static int64_t countPhases(const ConvGeometry &g, ConvKind kind, int d) {
  switch (kind) {
  case ConvKind::Forward:
    return std::min(forwardPeriod(g, d), g.output(d));
  case ConvKind::Dgrad:
    return std::min(dgradPeriod(g, d), g.input[d]);
  case ConvKind::Wgrad:
    return g.inputDilation[d] == 1 ? 1 : g.filter[d];
  }
  return 0;
}

Spatial ConvGeometry::countPhases(ConvKind kind) const {
  Spatial counts{};
  for (int d = 0; d < spatialRank; ++d)
    counts[d] = ::countPhases(*this, kind, d);
  return counts;
}

int64_t convmlir::countAllPhases(const ConvGeometry &geometry, ConvKind kind) {
  Spatial counts = geometry.countPhases(kind);
  int64_t all = 1;
  for (int d = 0; d < geometry.spatialRank; ++d)
    all = saturatingMul(all, counts[d]);
  return all;
}

std::vector<GemmPhase> ConvGeometry::phases(ConvKind kind) const {
  if (kind == ConvKind::Forward)
    return forwardPhases(*this);
  if (kind == ConvKind::Wgrad)
    return wgradPhases(*this);
  std::vector<GemmPhase> list;
  for (const DgradPhase &phase : dgradPhases())
    list.push_back({phase.dy, phase.w, phase.dx});
  return list;
}

//===----------------------------------------------------------------------===//
// TMA boxes
//===----------------------------------------------------------------------===//

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
static TmaLimits limitsOf(int dimensions) {
  int bits = dimensions == 1 ? 16 : dimensions == 2 ? 8 : 5;
  return {int64_t(1) << (bits - 1), (int64_t(1) << bits) - 1};
}

static constexpr int64_t kMaxTmaElementStride = 8;

Status convmlir::checkTmaRanges(const TmaBox &box, const MatrixView &view,
                                int dimensions) {
  TmaLimits limits = limitsOf(dimensions);
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
