//===- MatrixView.cpp - a tensor seen as a matrix of taps -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a view. Output: its counts and its index map in both directions.
//
//===----------------------------------------------------------------------===//

#include "conv/Geometry/MatrixView.h"
#include "Saturating.h"

#include <algorithm>

using namespace convmlir;

/// Splits a row-major index into coordinates; returns what is left of it for
/// the dimension outside (the batch index of a row, 0 for a tap).
static int64_t delinearize(int64_t index, const Spatial &basis, int rank,
                           Spatial &coordinates) {
  for (int d = rank - 1; d >= 0; --d) {
    coordinates[d] = index % basis[d];
    index /= basis[d];
  }
  return index;
}

static int64_t product(const Spatial &extents, int rank) {
  int64_t result = 1;
  for (int d = 0; d < rank; ++d)
    result *= extents[d];
  return result;
}

int64_t MatrixView::numRows() const {
  return batch * strips * product(rows, spatialRank);
}

int64_t MatrixView::numTaps() const { return product(taps, spatialRank); }

int64_t MatrixView::tensorElements() const {
  return batch * product(extent, spatialRank) * channels;
}

int64_t MatrixView::viewElements() const {
  return saturatingMul(saturatingMul(numRows(), numTaps()), channels);
}

std::optional<int64_t> MatrixView::element(int64_t row, int64_t tap,
                                           int64_t channel) const {
  if (row < 0 || row >= numRows() || tap < 0 || tap >= numTaps() ||
      channel < 0 || channel >= channels)
    return std::nullopt;
  Spatial p{}, r{};
  int64_t position = delinearize(row, rows, spatialRank, p);
  p[spatialRank - 1] += position % strips * rows[spatialRank - 1];
  position /= strips;
  delinearize(tap, taps, spatialRank, r);
  for (int d = 0; d < spatialRank; ++d) {
    int64_t coordinate = p[d] * stride[d] + r[d] * step[d] + offset[d];
    if (coordinate < 0 || coordinate >= extent[d])
      return std::nullopt;
    position = position * extent[d] + coordinate;
  }
  return position * channels + channel;
}

/// The row within the dimensions up to `d`, of `outer` and a position of `d`.
/// The strip, which the innermost dimension names, stands next to the image.
static int64_t addPosition(const MatrixView &view, int d, int64_t outer,
                           int64_t position) {
  if (d < view.spatialRank - 1)
    return outer * view.rows[d] + position;
  int64_t perImage = product(view.rows, d), width = view.rows[d];
  int64_t image = outer / perImage * view.strips + position / width;
  return (image * perImage + outer % perImage) * width + position % width;
}

/// Adds to every partial (row, tap) the pairs of dimension `d` that read
/// `coordinate`: row position p and tap r with p*stride + r*step + offset.
static std::vector<MatrixView::RowTap>
extendReaders(const MatrixView &view, int d, int64_t coordinate,
              const std::vector<MatrixView::RowTap> &partial) {
  std::vector<MatrixView::RowTap> result;
  for (int64_t r = 0; r < view.taps[d]; ++r) {
    int64_t distance = coordinate - view.offset[d] - r * view.step[d];
    if (distance % view.stride[d] != 0)
      continue;
    int64_t p = distance / view.stride[d];
    int64_t strips = d == view.spatialRank - 1 ? view.strips : 1;
    if (p < 0 || p >= strips * view.rows[d])
      continue;
    for (MatrixView::RowTap outer : partial)
      result.push_back(
          {addPosition(view, d, outer.row, p), outer.tap * view.taps[d] + r});
  }
  return result;
}

std::vector<MatrixView::RowTap> MatrixView::readers(int64_t element) const {
  if (element < 0 || element >= tensorElements())
    return {};
  Spatial coordinates{};
  int64_t n = delinearize(element / channels, extent, spatialRank, coordinates);
  std::vector<RowTap> result{{n, 0}};
  for (int d = 0; d < spatialRank; ++d)
    result = extendReaders(*this, d, coordinates[d], result);
  std::sort(result.begin(), result.end(), [](RowTap a, RowTap b) {
    return a.row != b.row ? a.row < b.row : a.tap < b.tap;
  });
  return result;
}
