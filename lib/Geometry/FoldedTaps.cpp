//===- FoldedTaps.cpp - taps of a filter as channels ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Geometry/FoldedTaps.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

using namespace convmlir;

static int64_t divideCeil(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Why `fold` taps of a dimension cannot be channels; empty if they can.
static std::string whyNotFolded(const ConvGeometry &g, ConvKind kind, int dim,
                                int64_t fold) {
  std::string what =
      "fold (" + std::to_string(fold) + ") along " + g.inputLetter(dim) + " ";
  int64_t taps = g.filter[dim], stride = g.stride[dim];
  int64_t dilation = g.dilation[dim];
  if (fold < 1 || fold > taps)
    return what + "must be 1 to the " + std::to_string(taps) +
           " taps of the filter";
  if (fold == 1)
    return "";
  if (fold < taps && fold * dilation % stride != 0)
    return what + "times the dilation (" + std::to_string(dilation) +
           ") must be a multiple of the stride (" + std::to_string(stride) +
           "), or all " + std::to_string(taps) + " taps";
  if (kind == ConvKind::Dgrad && (fold - 1) * dilation >= stride)
    return what + "makes channels of taps that reach the same position of dx";
  return "";
}

int64_t convmlir::countFoldedChannels(const ConvGeometry &geometry,
                                      const std::vector<int64_t> &fold) {
  int64_t channels = geometry.c;
  for (int64_t taps : fold)
    channels *= taps;
  return channels;
}

Result<ConvGeometry> convmlir::foldTaps(const ConvGeometry &geometry,
                                        ConvKind kind,
                                        const std::vector<int64_t> &fold,
                                        int64_t unit) {
  if (int64_t(fold.size()) != geometry.spatialRank)
    return Error{"fold has " + std::to_string(fold.size()) +
                 " entries, but there are " +
                 std::to_string(geometry.spatialRank) + " spatial dimensions"};
  if (geometry.groups != 1)
    return Error{"taps are folded into the channels of one group, but there "
                 "are " +
                 std::to_string(geometry.groups)};
  if (geometry.hasInputDilation())
    return Error{"input dilation has no folded taps"};
  ConvGeometry folded = geometry;
  constexpr int64_t mostChannels = std::numeric_limits<int32_t>::max();
  for (int d = 0; d < geometry.spatialRank; ++d) {
    if (std::string why = whyNotFolded(geometry, kind, d, fold[d]);
        !why.empty())
      return Error{std::move(why)};
    if (folded.c * fold[d] > mostChannels - unit)
      return Error{"the folded taps have more than " +
                   std::to_string(mostChannels) + " channels"};
    folded.c *= fold[d];
    if (fold[d] == 1)
      continue;
    folded.filter[d] = divideCeil(geometry.filter[d], fold[d]);
    folded.dilation[d] =
        folded.filter[d] == 1
            ? 1
            : fold[d] * geometry.dilation[d] / geometry.stride[d];
    folded.stride[d] = 1;
    folded.padLow[d] = folded.padHigh[d] = 0;
    folded.input[d] =
        geometry.output(d) + (folded.filter[d] - 1) * folded.dilation[d];
    // Copies compute positions of x and around it in 32 bits.
    constexpr int64_t farthest = int64_t(1) << 30;
    int64_t reach = folded.input[d] * geometry.stride[d] +
                    fold[d] * geometry.dilation[d] +
                    std::abs(geometry.padLow[d]);
    if (reach > farthest)
      return Error{std::string("folded taps reach ") + std::to_string(reach) +
                   " positions along " + geometry.inputLetter(d) +
                   ", but at most " + std::to_string(farthest) +
                   " are possible"};
  }
  // What TMA copies is a multiple of half a unit.
  auto isCopied = [&](int64_t channels) { return channels * 2 % unit == 0; };
  if (folded.c != geometry.c || folded.c < unit || !isCopied(folded.c))
    folded.c = divideCeil(folded.c, unit) * unit;
  if (kind != ConvKind::Forward && !isCopied(folded.k)) {
    if (folded.k > mostChannels - unit)
      return Error{"padded filters are more than " +
                   std::to_string(mostChannels)};
    folded.k = divideCeil(folded.k, unit) * unit;
  }
  folded.flip = false;
  if (Status status = folded.check(); !status)
    return status.takeError();
  return folded;
}

std::vector<std::vector<int64_t>>
convmlir::getUsefulFolds(const ConvGeometry &geometry, ConvKind kind) {
  std::vector<std::vector<int64_t>> folds;
  auto add = [&](const std::vector<int64_t> &fold) {
    if (std::find(folds.begin(), folds.end(), fold) == folds.end() &&
        foldTaps(geometry, kind, fold, /*unit=*/1))
      folds.push_back(fold);
  };
  std::vector<int64_t> fold;
  for (int d = 0; d < geometry.spatialRank; ++d) {
    int64_t stride = geometry.stride[d];
    int64_t apart = stride / std::gcd(stride, geometry.dilation[d]);
    fold.push_back(std::min(apart, geometry.filter[d]));
  }
  add(fold);
  fold.back() = geometry.filter[geometry.spatialRank - 1];
  add(fold);
  add(std::vector<int64_t>(geometry.spatialRank, 1));
  return folds;
}
