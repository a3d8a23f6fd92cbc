//===- Loops.h - the loops of the definition --------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The definition as a nest over three spatial dimensions: a 1-D or 2-D problem
// gets outer dimensions of extent 1, so each op is written once. Along one
// dimension everything follows from which (output, tap, input) positions meet.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_REFERENCE_LOOPS_H
#define CONV_LIB_REFERENCE_LOOPS_H

#include "conv/Problem/Problem.h"

namespace convmlir {

/// A geometry with exactly three spatial dimensions.
struct Loops {
  int64_t n, c, k, groups;
  int64_t cg, kg; ///< Channels per group.
  Spatial in{1, 1, 1}, fi{1, 1, 1}, out{1, 1, 1};
  Spatial stride{1, 1, 1}, pad{0, 0, 0}, dilation{1, 1, 1}, spread{1, 1, 1};
  bool flip;

  explicit Loops(const ConvGeometry &geometry);

  /// The input position that output p meets through tap r along dimension d;
  /// -1 where that is padding, cropped away, or an inserted zero.
  int64_t source(int d, int64_t p, int64_t r) const;
  /// The output position that meets input h through tap r, or -1.
  int64_t target(int d, int64_t h, int64_t r) const;

  int64_t numTaps() const { return fi[0] * fi[1] * fi[2]; }
};

/// The (output, input) positions that meet through one tap along one dimension:
/// `count` pairs, both at equal distances.
struct Run {
  int64_t count = 0;
  int64_t firstOut = 0, outStep = 1;
  int64_t firstIn = 0, inStep = 1;
};

/// The run of tap r along dimension d.
Run runOf(const Loops &loops, int d, int64_t r);

/// Strides in elements of a dense tensor [outer, extents, channels] in either
/// layout.
struct TensorIndex {
  int64_t outer, channel;
  Spatial spatial{};
  int64_t first = 0; ///< Where all indices are zero.

  TensorIndex(TensorLayout layout, const Spatial &extents, int64_t channels);

  int64_t operator()(int64_t o, int64_t a, int64_t b, int64_t c,
                     int64_t ch) const {
    return first + o * outer + a * spatial[0] + b * spatial[1] +
           c * spatial[2] + ch * channel;
  }
};

/// The indices of the three tensors of a problem.
struct TensorIndices {
  TensorIndex x, w, y;
  TensorIndices(const Loops &loops, TensorLayout layout)
      : x(layout, loops.in, loops.c), w(layout, loops.fi, loops.cg),
        y(layout, loops.out, loops.k) {
    for (int d = 0; d < 3 && loops.flip; ++d) {
      w.first += (loops.fi[d] - 1) * w.spatial[d];
      w.spatial[d] = -w.spatial[d];
    }
  }
};

} // namespace convmlir

#endif // CONV_LIB_REFERENCE_LOOPS_H
