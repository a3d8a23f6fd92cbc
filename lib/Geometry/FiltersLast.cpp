//===- FiltersLast.cpp - filter tensors with the filters last -------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: views of [filters, extent..., channels]. Output: the same matrices,
// transposed, as views of [1, extent..., channels, filters].
//
//===----------------------------------------------------------------------===//

#include "conv/Geometry/FiltersLast.h"

#include <algorithm>
#include <optional>

using namespace convmlir;

/// The distance of two taps along dimensions `d` and `d + 1` as one, counted
/// row-major over both; nothing where there are several.
static std::optional<int64_t> getCommonStep(const MatrixView &view, int d) {
  int64_t outer = view.step[d] * view.extent[d + 1], inner = view.step[d + 1];
  if (view.taps[d] > 1 && view.taps[d + 1] > 1 &&
      outer != inner * view.taps[d + 1])
    return std::nullopt;
  return view.taps[d + 1] > 1 ? inner : outer;
}

/// Dimensions `d` and `d + 1` as one, whose taps are `step` apart.
static MatrixView joinDimensions(MatrixView view, int d, int64_t step) {
  view.offset[d] = view.offset[d] * view.extent[d + 1] + view.offset[d + 1];
  view.extent[d] *= view.extent[d + 1];
  view.taps[d] *= view.taps[d + 1];
  view.step[d] = step;
  for (Spatial *list :
       {&view.offset, &view.extent, &view.taps, &view.step, &view.rows})
    std::copy(list->begin() + d + 2, list->end(), list->begin() + d + 1);
  --view.spatialRank;
  return view;
}

/// The views with dimensions `d` and `d + 1` as one, and one step in all of
/// them; nothing where they have none. A view without taps, or with one, has
/// any step.
static std::optional<std::vector<MatrixView>>
joinDimensions(const std::vector<MatrixView> &views, int d) {
  std::optional<int64_t> common;
  for (const MatrixView &view : views) {
    if (view.taps[d] * view.taps[d + 1] <= 1)
      continue;
    std::optional<int64_t> step = getCommonStep(view, d);
    if (!step || step != common.value_or(*step))
      return std::nullopt;
    common = step;
  }
  std::vector<MatrixView> joined;
  for (const MatrixView &view : views)
    joined.push_back(joinDimensions(view, d, common.value_or(1)));
  return joined;
}

/// Channels as rows of one more dimension, filters as channels.
static MatrixView putFiltersLast(MatrixView view) {
  int d = view.spatialRank++;
  view.extent[d] = view.rows[d] = view.channels;
  view.taps[d] = view.stride[d] = view.step[d] = 1;
  view.offset[d] = 0;
  view.channels = view.batch;
  view.batch = 1;
  return view;
}

Result<std::vector<MatrixView>>
convmlir::getFiltersLastViews(const std::vector<MatrixView> &views) {
  std::vector<MatrixView> made = views;
  if (views.front().spatialRank == kMaxSpatialRank) {
    auto joined = joinDimensions(views, /*d=*/0);
    if (!joined)
      joined = joinDimensions(views, /*d=*/1);
    if (!joined)
      return Error{"its taps along three dimensions are at one distance along "
                   "no two of them"};
    made = std::move(*joined);
  }
  std::transform(made.begin(), made.end(), made.begin(), putFiltersLast);
  return made;
}
