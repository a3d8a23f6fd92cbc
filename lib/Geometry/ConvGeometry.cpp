//===- ConvGeometry.cpp - what follows from a convolution's shape ---------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a geometry that passed check(). Output: extents and counts. The rules
// are in ConvCheck.cpp, the views, phases and boxes in ConvViews.cpp.
//
//===----------------------------------------------------------------------===//

#include "conv/Geometry/ConvGeometry.h"
#include "Saturating.h"

#include <algorithm>
#include <numeric>

using namespace convmlir;

const char *convmlir::toString(ConvKind kind) {
  switch (kind) {
  case ConvKind::Forward:
    return "forward";
  case ConvKind::Dgrad:
    return "dgrad";
  case ConvKind::Wgrad:
    return "wgrad";
  }
  return "";
}

int64_t ConvGeometry::dilatedInput(int dim) const {
  return (input[dim] - 1) * inputDilation[dim] + 1;
}

int64_t ConvGeometry::dilatedFilter(int dim) const {
  return (filter[dim] - 1) * dilation[dim] + 1;
}

int64_t ConvGeometry::output(int dim) const {
  int64_t slack =
      dilatedInput(dim) + padLow[dim] + padHigh[dim] - dilatedFilter(dim);
  return slack < 0 ? 0 : slack / stride[dim] + 1;
}

Spatial ConvGeometry::outputs() const {
  Spatial result{1, 1, 1};
  for (int d = 0; d < spatialRank; ++d)
    result[d] = output(d);
  return result;
}

/// outer * product of the extents * channels, INT64_MAX where larger.
static int64_t countElements(int64_t outer, const Spatial &extents, int rank,
                             int64_t channels) {
  int64_t result = saturatingMul(outer, channels);
  for (int d = 0; d < rank; ++d)
    result = saturatingMul(result, extents[d]);
  return result;
}

int64_t ConvGeometry::inputElements() const {
  return countElements(n, input, spatialRank, c);
}

int64_t ConvGeometry::filterElements() const {
  return countElements(k, filter, spatialRank, c / groups);
}

int64_t ConvGeometry::outputElements() const {
  return countElements(n, outputs(), spatialRank, k);
}

int64_t ConvGeometry::gemmM(ConvKind kind) const {
  switch (kind) {
  case ConvKind::Forward:
    return countElements(n, outputs(), spatialRank, 1);
  case ConvKind::Dgrad:
    return countElements(n, input, spatialRank, 1);
  case ConvKind::Wgrad:
    return k / groups;
  }
  return 0;
}

int64_t ConvGeometry::gemmN(ConvKind kind) const {
  switch (kind) {
  case ConvKind::Forward:
    return k / groups;
  case ConvKind::Dgrad:
    return c / groups;
  case ConvKind::Wgrad:
    return countElements(1, filter, spatialRank, c / groups);
  }
  return 0;
}

int64_t ConvGeometry::gemmK(ConvKind kind) const {
  switch (kind) {
  case ConvKind::Forward:
    return countElements(1, filter, spatialRank, c / groups);
  case ConvKind::Dgrad:
    return countElements(1, filter, spatialRank, k / groups);
  case ConvKind::Wgrad:
    return countElements(n, outputs(), spatialRank, 1);
  }
  return 0;
}

int64_t ConvGeometry::flops() const {
  int64_t taps = countElements(1, filter, spatialRank, c / groups);
  return saturatingMul(2, saturatingMul(outputElements(), taps));
}

/// Size of the union of `count` intervals [start + i*step, ... + length), for
/// i in [0, count), clipped to [low, high). Steps are at least 1.
static int64_t unionSize(int64_t start, int64_t step, int64_t count,
                         int64_t length, int64_t low, int64_t high) {
  int64_t size = 0, covered = low;
  for (int64_t i = 0; i < count; ++i) {
    int64_t begin = std::max(start + i * step, covered);
    int64_t end = std::min(start + i * step + length, high);
    if (end <= begin)
      continue;
    size += end - begin;
    covered = end;
  }
  return size;
}

/// ceil(a / b) for b > 0.
static int64_t ceilDiv(int64_t a, int64_t b) {
  return a / b + (a % b > 0 ? 1 : 0);
}

// Tap r touches r*dilation - padLow + p*stride. Taps fall into classes that
// share their residue modulo the stride; within a class, in units of the
// stride, every tap touches an interval of P positions, dilation/g apart.
int64_t ConvGeometry::touchedInput(int dim) const {
  if (inputDilation[dim] != 1)
    return input[dim];
  int64_t s = stride[dim], dil = dilation[dim];
  int64_t g = std::gcd(s, dil), tapStep = s / g, touched = 0;
  for (int64_t r = 0; r < std::min(tapStep, filter[dim]); ++r) {
    int64_t first = r * dil - padLow[dim];
    int64_t residue = (first % s + s) % s;
    touched += unionSize((first - residue) / s, dil / g,
                         ceilDiv(filter[dim] - r, tapStep), output(dim), 0,
                         ceilDiv(input[dim] - residue, s));
  }
  return touched;
}

int64_t ConvGeometry::leastBytes(ConvKind kind, int64_t inputElementBytes,
                                 int64_t outputElementBytes) const {
  int64_t touched = saturatingMul(n, c);
  for (int d = 0; d < spatialRank; ++d)
    touched = saturatingMul(touched, touchedInput(d));
  int64_t x = touched, w = filterElements(), y = outputElements();
  int64_t read = 0, written = 0;
  switch (kind) {
  case ConvKind::Forward:
    read = saturatingAdd(x, w), written = y;
    break;
  case ConvKind::Dgrad: // Positions that nothing touches are written as zeros.
    read = saturatingAdd(y, w), written = inputElements();
    break;
  case ConvKind::Wgrad:
    read = saturatingAdd(x, y), written = w;
    break;
  }
  return saturatingAdd(saturatingMul(read, inputElementBytes),
                       saturatingMul(written, outputElementBytes));
}
