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
#include "Parallel.h"

#include <algorithm>

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

Packed convmlir::fullForward(const Loops &l, const Packed &x, const Packed &w,
                             const ReferenceOptions &options) {
  Packed y(l.n * l.out[0] * l.out[1] * l.out[2] * l.k);
  std::vector<Run> runs = innerRuns(l);

  /// Row (n, z, p) of y from row (n, d, h) of x through taps (t, r, all s).
  auto addRow = [&](double *yRow, const double *xRow, const double *taps) {
    for (int64_t s = 0; s < l.fi[2]; ++s)
      for (int64_t i = 0; i < runs[s].count; ++i) {
        double *to = yRow + (runs[s].firstOut + i * runs[s].outStep) * l.k;
        const double *from =
            xRow + (runs[s].firstIn + i * runs[s].inStep) * l.c;
        for (int64_t g = 0; g < l.groups; ++g)
          addProduct(to + g * l.kg, from + g * l.cg, 1,
                     taps + s * l.cg * l.k + g * l.kg, l.k, l.cg, l.kg);
      }
  };
  int64_t rows = l.out[0] * l.out[1];
  parallelFor(l.n * rows, options, [&](int64_t unit) {
    int64_t n = unit / rows, z = unit % rows / l.out[1], p = unit % l.out[1];
    for (int64_t t = 0; t < l.fi[0]; ++t)
      for (int64_t r = 0; r < l.fi[1]; ++r) {
        int64_t d = l.source(0, z, t), h = l.source(1, p, r);
        if (d >= 0 && h >= 0)
          addRow(&y[unit * l.out[2] * l.k],
                 &x[((n * l.in[0] + d) * l.in[1] + h) * l.in[2] * l.c],
                 &w[(t * l.fi[1] + r) * l.fi[2] * l.cg * l.k]);
      }
  });
  return y;
}

Packed convmlir::fullDgrad(const Loops &l, const Packed &dy, const Packed &w,
                           const ReferenceOptions &options) {
  Packed dx(l.n * l.in[0] * l.in[1] * l.in[2] * l.c);
  std::vector<Run> runs = innerRuns(l);

  /// Row (n, d, h) of dx from row (n, z, p) of dy through taps (t, r, all s).
  auto addRow = [&](double *dxRow, const double *dyRow, const double *taps) {
    for (int64_t s = 0; s < l.fi[2]; ++s)
      for (int64_t i = 0; i < runs[s].count; ++i) {
        double *to = dxRow + (runs[s].firstIn + i * runs[s].inStep) * l.c;
        const double *from =
            dyRow + (runs[s].firstOut + i * runs[s].outStep) * l.k;
        for (int64_t g = 0; g < l.groups; ++g)
          addProduct(to + g * l.cg, from + g * l.kg, 1,
                     taps + (s * l.k + g * l.kg) * l.cg, l.cg, l.kg, l.cg);
      }
  };
  int64_t rows = l.in[0] * l.in[1];
  parallelFor(l.n * rows, options, [&](int64_t unit) {
    int64_t n = unit / rows, d = unit % rows / l.in[1], h = unit % l.in[1];
    for (int64_t t = 0; t < l.fi[0]; ++t)
      for (int64_t r = 0; r < l.fi[1]; ++r) {
        int64_t z = l.target(0, d, t), p = l.target(1, h, r);
        if (z >= 0 && p >= 0)
          addRow(&dx[unit * l.in[2] * l.c],
                 &dy[((n * l.out[0] + z) * l.out[1] + p) * l.out[2] * l.k],
                 &w[(t * l.fi[1] + r) * l.fi[2] * l.k * l.cg]);
      }
  });
  return dx;
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
