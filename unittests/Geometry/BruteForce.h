//===- BruteForce.h - random shapes and the definition, for tests -*- C++
//-*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the geometry is tested against: random convolution shapes with tiny
// extents, and every product of the definition, enumerated one by one with
// nothing taken from the library but the fields of ConvGeometry.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_UNITTESTS_GEOMETRY_BRUTEFORCE_H
#define CONV_UNITTESTS_GEOMETRY_BRUTEFORCE_H

#include "conv/Geometry/ConvGeometry.h"

#include <ostream>
#include <random>
#include <vector>

namespace convmlir {

inline void PrintTo(const ConvGeometry &g, std::ostream *out) {
  auto print = [&](const char *name, const Spatial &values) {
    *out << ' ' << name << '=';
    for (int d = 0; d < g.spatialRank; ++d)
      *out << (d ? "x" : "") << values[d];
  };
  *out << "n=" << g.n << " c=" << g.c << " k=" << g.k << " groups=" << g.groups;
  print("input", g.input), print("filter", g.filter);
  print("stride", g.stride), print("low", g.padLow), print("high", g.padHigh);
  print("dilation", g.dilation), print("inputDilation", g.inputDilation);
  *out << (g.flip ? " flip" : "");
}

namespace test {

using Values = std::vector<int64_t>;

/// The output extent by counting: windows that start at -padLow, every stride,
/// and end within the padded, dilated input.
inline int64_t countWindows(const ConvGeometry &g, int d) {
  int64_t positions = 0;
  for (int64_t h = 0; h < g.input[d]; ++h)
    positions = h * g.inputDilation[d] + 1;
  int64_t count = 0;
  for (int64_t start = -g.padLow[d];; start += g.stride[d]) {
    int64_t last = start;
    for (int64_t r = 1; r < g.filter[d]; ++r)
      last += g.dilation[d];
    if (last >= positions + g.padHigh[d])
      return count;
    ++count;
  }
}

/// A random shape with at least one output.
inline ConvGeometry randomGeometry(std::mt19937_64 &rng, int rank,
                                   int64_t maxInputDilation = 1) {
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(rng);
  };
  int64_t maxInput = rank == 1 ? 14 : rank == 2 ? 7 : 4;
  int64_t maxFilter = rank == 1 ? 5 : rank == 2 ? 4 : 3;
  for (;;) {
    ConvGeometry g;
    g.spatialRank = rank;
    g.n = pick(1, 2);
    g.groups = pick(1, 2);
    g.c = g.groups * pick(1, 2);
    g.k = g.groups * pick(1, 2);
    for (int d = 0; d < rank; ++d) {
      g.input[d] = pick(1, maxInput);
      g.filter[d] = pick(1, maxFilter);
      g.stride[d] = pick(1, 4);
      g.dilation[d] = pick(1, 4);
      g.inputDilation[d] = pick(1, maxInputDilation);
      g.padLow[d] = pick(-2, 6);
      g.padHigh[d] = pick(-2, 6);
    }
    bool valid = true;
    for (int d = 0; d < rank; ++d) {
      int64_t windows = countWindows(g, d);
      valid &= windows >= 1 && windows <= maxInput;
    }
    if (valid && g.check())
      return g;
  }
}

/// One product of the definition: linear indices into dense channels-last x,
/// w and y; `inside` is false where the factor of x is padding or an inserted
/// zero (x is then -1).
struct Product {
  int64_t x, w, y;
  bool inside;
};

/// Calls `visit` with every product, n outermost.
template <typename Visitor>
void forEachProduct(const ConvGeometry &g, Visitor visit) {
  Spatial in{1, 1, 1}, fi{1, 1, 1}, out{1, 1, 1};
  for (int d = 0; d < g.spatialRank; ++d)
    in[d] = g.input[d], fi[d] = g.filter[d], out[d] = countWindows(g, d);
  auto position = [&](int d, int64_t p, int64_t r) -> int64_t {
    if (d >= g.spatialRank)
      return 0;
    int64_t h = p * g.stride[d] + r * g.dilation[d] - g.padLow[d];
    if (h < 0 || h % g.inputDilation[d] != 0)
      return -1;
    h /= g.inputDilation[d];
    return h < in[d] ? h : -1;
  };
  int64_t cg = g.c / g.groups, kg = g.k / g.groups;
  for (int64_t n = 0; n < g.n; ++n)
    for (int64_t p0 = 0; p0 < out[0]; ++p0)
      for (int64_t p1 = 0; p1 < out[1]; ++p1)
        for (int64_t p2 = 0; p2 < out[2]; ++p2)
          for (int64_t r0 = 0; r0 < fi[0]; ++r0)
            for (int64_t r1 = 0; r1 < fi[1]; ++r1)
              for (int64_t r2 = 0; r2 < fi[2]; ++r2) {
                int64_t h0 = position(0, p0, r0), h1 = position(1, p1, r1),
                        h2 = position(2, p2, r2);
                bool inside = h0 >= 0 && h1 >= 0 && h2 >= 0;
                int64_t h = ((n * in[0] + h0) * in[1] + h1) * in[2] + h2;
                int64_t p = ((n * out[0] + p0) * out[1] + p1) * out[2] + p2;
                int64_t r = (r0 * fi[1] + r1) * fi[2] + r2;
                if (g.flip)
                  r = fi[0] * fi[1] * fi[2] - 1 - r;
                for (int64_t k = 0; k < g.k; ++k)
                  for (int64_t c = 0; c < cg; ++c)
                    visit(Product{inside ? h * g.c + k / kg * cg + c : -1,
                                  (k * fi[0] * fi[1] * fi[2] + r) * cg + c,
                                  p * g.k + k, inside});
              }
}

/// The results of the three operations on the same x, w and dy.
template <typename T> struct Definition {
  std::vector<T> y, dx, dw;

  Definition(const ConvGeometry &g, const std::vector<T> &x,
             const std::vector<T> &w, const std::vector<T> &dy)
      : y(dy.size()), dx(x.size()), dw(w.size()) {
    forEachProduct(g, [&](Product product) {
      if (!product.inside)
        return;
      y[product.y] += x[product.x] * w[product.w];
      dx[product.x] += dy[product.y] * w[product.w];
      dw[product.w] += dy[product.y] * x[product.x];
    });
  }
};

/// Small random integers, none of them zero so that a missed one shows.
inline Values randomValues(std::mt19937_64 &rng, int64_t count) {
  Values values(count);
  for (int64_t &value : values)
    value = static_cast<int64_t>(1 + rng() % 5) * (rng() % 2 ? 1 : -1);
  return values;
}

} // namespace test
} // namespace convmlir

#endif // CONV_UNITTESTS_GEOMETRY_BRUTEFORCE_H
