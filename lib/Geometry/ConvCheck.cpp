//===- ConvCheck.cpp - the rules on a convolution's shape -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a geometry with any values. Output: success, or the first of the rules
// conv-c1 to conv-c13 that it breaks, with the values that break it.
//
// ParameterRange comes before the rules that compute with padding and dilation:
// below 2^31 no padded or dilated extent can leave 64 bits.
//
//===----------------------------------------------------------------------===//

#include "Saturating.h"
#include "conv/Geometry/ConvGeometry.h"

#include <algorithm>
#include <limits>

using namespace convmlir;

static constexpr int64_t kMaxParameter = (int64_t(1) << 31) - 1;

/// "H (7)".
static std::string named(const std::string &name, int64_t value) {
  return name + " (" + std::to_string(value) + ")";
}

namespace {
/// A number of the geometry with the name it has in messages.
struct Parameter {
  std::string name;
  int64_t value;
};
} // namespace

/// One array of the geometry as parameters, "stride along H" and so on.
static void appendAlong(std::vector<Parameter> &list, const ConvGeometry &g,
                        const char *name, const Spatial &values) {
  for (int d = 0; d < g.spatialRank; ++d)
    list.push_back(
        {std::string(name) + " along " + g.inputLetter(d), values[d]});
}

/// C, K, then the extents of x and w by their letters.
static std::vector<Parameter> extents(const ConvGeometry &g) {
  std::vector<Parameter> list{{"C", g.c}, {"K", g.k}};
  for (int d = 0; d < g.spatialRank; ++d)
    list.push_back({std::string("input extent ") + g.inputLetter(d), //
                    g.input[d]});
  for (int d = 0; d < g.spatialRank; ++d)
    list.push_back(
        {std::string("filter extent ") + g.filterLetter(d), g.filter[d]});
  return list;
}

static Status atLeastOne(Constraint constraint,
                         const std::vector<Parameter> &list) {
  for (const Parameter &parameter : list)
    if (parameter.value < 1)
      return violation(constraint, named(parameter.name, parameter.value) +
                                       " must be at least 1");
  return {};
}

static Status inRange(const std::vector<Parameter> &list) {
  for (const Parameter &parameter : list)
    if (parameter.value > kMaxParameter || parameter.value < -kMaxParameter)
      return violation(Constraint::ParameterRange,
                       named(parameter.name, parameter.value) +
                           " must not exceed 2^31 - 1 in magnitude");
  return {};
}

static Status checkRange(const ConvGeometry &g) {
  std::vector<Parameter> list = extents(g);
  list.push_back({"N", g.n});
  list.push_back({"groups", g.groups});
  appendAlong(list, g, "stride", g.stride);
  appendAlong(list, g, "padding (low)", g.padLow);
  appendAlong(list, g, "padding (high)", g.padHigh);
  appendAlong(list, g, "dilation", g.dilation);
  appendAlong(list, g, "input dilation", g.inputDilation);
  return inRange(list);
}

/// Only of a window that fits.
static Status checkOutputRange(const ConvGeometry &g) {
  std::vector<Parameter> list;
  for (int d = 0; d < g.spatialRank; ++d)
    list.push_back(
        {std::string("output extent ") + g.outputLetter(d), g.output(d)});
  return inRange(list);
}

static Status checkGroups(const ConvGeometry &g) {
  auto mustDivide = [&](Constraint constraint, const char *what,
                        int64_t channels) -> Status {
    if (channels % g.groups == 0)
      return {};
    return violation(constraint, named("groups", g.groups) + " must divide " +
                                     named(what, channels));
  };
  if (Status status =
          atLeastOne(Constraint::PositiveGroups, {{"groups", g.groups}});
      !status)
    return status;
  if (Status status = mustDivide(Constraint::GroupsDivideInputChannels,
                                 "input channels C", g.c);
      !status)
    return status;
  return mustDivide(Constraint::GroupsDivideOutputChannels, "output channels K",
                    g.k);
}

static Status checkSteps(const ConvGeometry &g) {
  std::vector<Parameter> strides, dilations, inputDilations;
  appendAlong(strides, g, "stride", g.stride);
  appendAlong(dilations, g, "dilation", g.dilation);
  appendAlong(inputDilations, g, "input dilation", g.inputDilation);
  if (Status status = atLeastOne(Constraint::PositiveStride, strides); !status)
    return status;
  if (Status status = atLeastOne(Constraint::PositiveDilation, dilations);
      !status)
    return status;
  return atLeastOne(Constraint::PositiveInputDilation, inputDilations);
}

/// "2:-3", the padding of one dimension.
static std::string padding(const ConvGeometry &g, int dim) {
  return std::to_string(g.padLow[dim]) + ":" + std::to_string(g.padHigh[dim]);
}

/// "input extent H (5)", with the dilated extent where that differs.
static std::string inputExtent(const ConvGeometry &g, int dim) {
  std::string name = std::string("input extent ") + g.inputLetter(dim);
  if (g.inputDilation[dim] == 1)
    return named(name, g.input[dim]);
  return "dilated " + named(name, g.dilatedInput(dim));
}

static Status checkCrop(const ConvGeometry &g) {
  for (int d = 0; d < g.spatialRank; ++d) {
    int64_t left = g.dilatedInput(d) + std::min<int64_t>(g.padLow[d], 0) +
                   std::min<int64_t>(g.padHigh[d], 0);
    if (left < 1)
      return violation(Constraint::CropLeavesInput,
                       "padding (" + padding(g, d) + ") crops all of the " +
                           inputExtent(g, d) +
                           "; at least 1 position must be left");
  }
  return {};
}

static Status checkWindow(const ConvGeometry &g) {
  for (int d = 0; d < g.spatialRank; ++d) {
    int64_t padded = g.dilatedInput(d) + g.padLow[d] + g.padHigh[d];
    if (g.output(d) >= 1)
      continue;
    std::string filter = std::string("filter extent ") + g.filterLetter(d);
    filter = named(filter, g.filter[d]);
    if (g.dilation[d] != 1)
      filter += " with dilation " + std::to_string(g.dilation[d]) + " spans " +
                std::to_string(g.dilatedFilter(d)) + " and";
    return violation(Constraint::WindowFits,
                     filter + " does not fit the padded input extent " +
                         named({g.inputLetter(d)}, padded) + " = " +
                         std::to_string(g.dilatedInput(d)) + " with padding " +
                         padding(g, d));
  }
  return {};
}

/// Counts with at least one image, so that an empty batch hides no overflow.
static Status checkCounts(const ConvGeometry &g) {
  ConvGeometry counted = g;
  counted.n = std::max<int64_t>(g.n, 1);
  constexpr int64_t limit = std::numeric_limits<int64_t>::max();
  const char *tensor = counted.inputElements() == limit    ? "x"
                       : counted.filterElements() == limit ? "w"
                       : counted.outputElements() == limit ? "y"
                                                           : nullptr;
  if (!tensor)
    return {};
  return violation(Constraint::ElementCounts,
                   std::string("the elements of ") + tensor +
                       " must number fewer than 2^63");
}

Status ConvGeometry::check() const {
  if (spatialRank < 1 || spatialRank > kMaxSpatialRank)
    return violation(Constraint::SpatialRank,
                     named("spatial rank", spatialRank) + " must be 1, 2 or 3");
  if (n < 0)
    return violation(Constraint::BatchNotNegative,
                     named("N", n) + " must not be negative");
  if (Status status = atLeastOne(Constraint::PositiveExtents, extents(*this));
      !status)
    return status;
  for (auto rule : {checkGroups, checkSteps, checkRange, checkCrop, checkWindow,
                    checkOutputRange, checkCounts})
    if (Status status = rule(*this); !status)
      return status;
  return {};
}
