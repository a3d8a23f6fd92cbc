//===- FullReference.cpp - whole results in f64 ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: packed operands. Output: the packed result. Each op is the definition
// with its loops in the order that suits it; the unit of parallel work is a
// part of the result, so no two threads write the same element and the order of
// every sum is fixed.
//
//===----------------------------------------------------------------------===//

#include "FullReference.h"
#include "conv/Reference/Parallel.h"

#include <algorithm>
#include <utility>

using namespace convmlir;

/// out[j] += sum over i of a[i * aStep] * b[i * bStep + j]: a row of numbers
/// times a matrix. Four rows at a time, so that each element of `out` is loaded
/// and stored once for four products.
static void addProduct(double *__restrict out, const double *a, int64_t aStep,
                       const double *b, int64_t bStep, int64_t rows,
                       int64_t columns) {
  int64_t i = 0;
  for (; i + 4 <= rows; i += 4) {
    double a0 = a[i * aStep], a1 = a[(i + 1) * aStep];
    double a2 = a[(i + 2) * aStep], a3 = a[(i + 3) * aStep];
    const double *b0 = b + i * bStep, *b1 = b0 + bStep;
    const double *b2 = b1 + bStep, *b3 = b2 + bStep;
    for (int64_t j = 0; j < columns; ++j)
      out[j] += (a0 * b0[j] + a1 * b1[j]) + (a2 * b2[j] + a3 * b3[j]);
  }
  for (; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      out[j] += a[i * aStep] * b[i * bStep + j];
}

/// The runs of all taps along the innermost dimension.
static std::vector<Run> innerRuns(const Loops &l) {
  std::vector<Run> runs;
  for (int64_t s = 0; s < l.fi[2]; ++s)
    runs.push_back(runOf(l, 2, s));
  return runs;
}

namespace {
/// What forward (from x to y) and dgrad (from dy to dx) share: a row of the
/// result is the sum of rows of the other image, each times a tap's filter.
struct Gather {
  const Loops &l;
  Spatial to, from;           ///< Extents of the result and of what is read.
  int64_t toGroup, fromGroup; ///< Channels of a group.
  /// The position of `from` that meets one of `to` through a tap, or -1.
  int64_t (Loops::*meet)(int, int64_t, int64_t) const;
  std::vector<Run> runs; ///< Of the taps; "out" is the side of the result.
  int64_t filterStep;    ///< Between two channels of `from` in a tap's filter.
  int64_t filterGroup;   ///< Between two groups.

  Packed operator()(const Packed &source, const Packed &w,
                    const ReferenceOptions &options) const;

private:
  void addRow(double *toRow, const double *fromRow, const double *taps) const;
};
} // namespace

/// One row of the result from one row of the source, through all innermost
/// taps.
void Gather::addRow(double *toRow, const double *fromRow,
                    const double *taps) const {
  for (int64_t s = 0; s < l.fi[2]; ++s)
    for (int64_t i = 0; i < runs[s].count; ++i) {
      double *out =
          toRow + (runs[s].firstOut + i * runs[s].outStep) * toGroup * l.groups;
      const double *in = fromRow + (runs[s].firstIn + i * runs[s].inStep) *
                                       fromGroup * l.groups;
      for (int64_t g = 0; g < l.groups; ++g)
        addProduct(out + g * toGroup, in + g * fromGroup, 1,
                   taps + s * l.cg * l.k + g * filterGroup, filterStep,
                   fromGroup, toGroup);
    }
}

Packed Gather::operator()(const Packed &source, const Packed &w,
                          const ReferenceOptions &options) const {
  int64_t toRow = to[2] * toGroup * l.groups;
  int64_t fromRow = from[2] * fromGroup * l.groups;
  int64_t rows = to[0] * to[1];
  Packed result(l.n * rows * toRow);
  parallelFor(l.n * rows, options, [&](int64_t unit) {
    int64_t n = unit / rows, a = unit % rows / to[1], b = unit % to[1];
    for (int64_t t = 0; t < l.fi[0]; ++t)
      for (int64_t r = 0; r < l.fi[1]; ++r) {
        int64_t d = (l.*meet)(0, a, t), h = (l.*meet)(1, b, r);
        if (d >= 0 && h >= 0)
          addRow(&result[unit * toRow],
                 &source[((n * from[0] + d) * from[1] + h) * fromRow],
                 &w[(t * l.fi[1] + r) * l.fi[2] * l.cg * l.k]);
      }
  });
  return result;
}

Packed convmlir::fullForward(const Loops &l, const Packed &x, const Packed &w,
                             const ReferenceOptions &options) {
  Gather gather{.l = l,
                .to = l.out,
                .from = l.in,
                .toGroup = l.kg,
                .fromGroup = l.cg,
                .meet = &Loops::source,
                .runs = innerRuns(l),
                .filterStep = l.k,
                .filterGroup = l.kg};
  return gather(x, w, options);
}

Packed convmlir::fullDgrad(const Loops &l, const Packed &dy, const Packed &w,
                           const ReferenceOptions &options) {
  Gather gather{.l = l,
                .to = l.in,
                .from = l.out,
                .toGroup = l.cg,
                .fromGroup = l.kg,
                .meet = &Loops::target,
                .runs = innerRuns(l),
                .filterStep = l.cg,
                .filterGroup = l.kg * l.cg};
  for (Run &run : gather.runs) {
    std::swap(run.firstOut, run.firstIn);
    std::swap(run.outStep, run.inStep);
  }
  return gather(dy, w, options);
}

/// Input channels of one unit of wgrad's work: enough units for all threads
/// even with a single tap, and a partial sum that stays in the first cache.
static constexpr int64_t kChannelBlock = 8;

Packed convmlir::fullWgrad(const Loops &l, const Packed &x, const Packed &dy,
                           const ReferenceOptions &options) {
  Packed dw(l.numTaps() * l.cg * l.k);
  std::vector<Run> runs = innerRuns(l);
  int64_t blocks = (l.c + kChannelBlock - 1) / kChannelBlock;

  parallelFor(l.numTaps() * blocks, options, [&](int64_t unit) {
    int64_t tap = unit / blocks, first = unit % blocks * kChannelBlock;
    int64_t last = std::min(first + kChannelBlock, l.c);
    int64_t t = tap / (l.fi[1] * l.fi[2]), r = tap / l.fi[2] % l.fi[1];
    const Run &run = runs[tap % l.fi[2]];
    /// One row of x and dy; channel c of x meets the K/G channels of its group.
    auto addRow = [&](double *sums, const double *xRow, const double *dyRow) {
      for (int64_t c = first; c < last; ++c)
        addProduct(sums + (c - first) * l.kg, xRow + run.firstIn * l.c + c,
                   run.inStep * l.c,
                   dyRow + run.firstOut * l.k + c / l.cg * l.kg,
                   run.outStep * l.k, run.count, l.kg);
    };
    // A sum per image first: fewer additions in a row, smaller rounding error.
    std::vector<double> sums((last - first) * l.kg);
    for (int64_t n = 0; n < l.n; ++n) {
      std::fill(sums.begin(), sums.end(), 0.0);
      for (int64_t z = 0; z < l.out[0]; ++z)
        for (int64_t p = 0; p < l.out[1]; ++p) {
          int64_t d = l.source(0, z, t), h = l.source(1, p, r);
          if (d >= 0 && h >= 0)
            addRow(sums.data(),
                   &x[((n * l.in[0] + d) * l.in[1] + h) * l.in[2] * l.c],
                   &dy[((n * l.out[0] + z) * l.out[1] + p) * l.out[2] * l.k]);
        }
      for (int64_t c = first; c < last; ++c)
        for (int64_t k = 0; k < l.kg; ++k)
          dw[(tap * l.cg + c % l.cg) * l.k + c / l.cg * l.kg + k] +=
              sums[(c - first) * l.kg + k];
    }
  });
  return dw;
}
