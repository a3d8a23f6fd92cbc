//===- Loops.cpp - the loops of the definition ----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a geometry. Output: its three-dimensional loops and index maps.
//
//===----------------------------------------------------------------------===//

#include "Loops.h"

using namespace convmlir;

Loops::Loops(const ConvGeometry &geometry)
    : n(geometry.n), c(geometry.c), k(geometry.k), groups(geometry.groups),
      cg(geometry.c / geometry.groups), kg(geometry.k / geometry.groups),
      flip(geometry.flip) {
  int missing = kMaxSpatialRank - geometry.spatialRank;
  for (int d = 0; d < geometry.spatialRank; ++d) {
    in[d + missing] = geometry.input[d];
    fi[d + missing] = geometry.filter[d];
    out[d + missing] = geometry.output(d);
    stride[d + missing] = geometry.stride[d];
    pad[d + missing] = geometry.padLow[d];
    dilation[d + missing] = geometry.dilation[d];
    spread[d + missing] = geometry.inputDilation[d];
  }
}

int64_t Loops::source(int d, int64_t p, int64_t r) const {
  int64_t h = p * stride[d] + r * dilation[d] - pad[d];
  if (h < 0 || h % spread[d] != 0 || h / spread[d] >= in[d])
    return -1;
  return h / spread[d];
}

int64_t Loops::target(int d, int64_t h, int64_t r) const {
  int64_t p = h * spread[d] + pad[d] - r * dilation[d];
  if (p < 0 || p % stride[d] != 0 || p / stride[d] >= out[d])
    return -1;
  return p / stride[d];
}

// Meeting positions repeat with the period of the stride against the input
// dilation, so the first two and the number of them describe all.
Run convmlir::runOf(const Loops &loops, int d, int64_t r) {
  Run run;
  for (int64_t p = 0; p < loops.out[d]; ++p) {
    int64_t h = loops.source(d, p, r);
    if (h < 0)
      continue;
    if (run.count == 0)
      run.firstOut = p, run.firstIn = h;
    if (run.count == 1)
      run.outStep = p - run.firstOut, run.inStep = h - run.firstIn;
    ++run.count;
  }
  return run;
}

TensorIndex::TensorIndex(TensorLayout layout, const Spatial &extents,
                         int64_t channels) {
  bool last = layout == TensorLayout::NHWC;
  channel = last ? 1 : extents[0] * extents[1] * extents[2];
  spatial[2] = last ? channels : 1;
  spatial[1] = spatial[2] * extents[2];
  spatial[0] = spatial[1] * extents[1];
  outer = extents[0] * extents[1] * extents[2] * channels;
}
