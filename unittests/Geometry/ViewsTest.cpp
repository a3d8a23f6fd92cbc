//===- ViewsTest.cpp - implicit-GEMM views against the definition ---------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operand views, the phases of all ops and the TMA boxes, on random
// shapes of every rank: all three ops computed through the views give what the
// definition gives, and every position and product appears exactly once.
//
//===----------------------------------------------------------------------===//

#include "BruteForce.h"

#include <gtest/gtest.h>
#include <map>

using namespace convmlir;
using namespace convmlir::test;

namespace {

constexpr int kProblemsPerRank = 4000;

/// The value that a view reads: zero outside of the tensor.
int64_t read(const MatrixView &view, const Values &tensor, int64_t row,
             int64_t tap, int64_t channel) {
  auto element = view.element(row, tap, channel);
  return element ? tensor[*element] : 0;
}

/// y[m, k] = sum over taps and channels of x[m, t, c] * w[k, t, c].
void addForward(const ConvGeometry &g, const GemmPhase &phase, const Values &x,
                const Values &w, Values &y) {
  int64_t cg = g.c / g.groups, kg = g.k / g.groups;
  for (int64_t m = 0; m < phase.result.numRows(); ++m)
    for (int64_t k = 0; k < g.k; ++k) {
      int64_t sum = 0;
      for (int64_t t = 0; t < phase.b.numTaps(); ++t)
        for (int64_t c = 0; c < cg; ++c)
          sum += read(phase.a, x, m, t, k / kg * cg + c) *
                 read(phase.b, w, k, t, c);
      y[*phase.result.element(m, 0, k)] += sum;
    }
}

/// dx[m, c] = sum over taps and channels of dy[m, t, k] * w[k, t, c].
void addDgrad(const ConvGeometry &g, const GemmPhase &phase, const Values &dy,
              const Values &w, Values &dx) {
  int64_t cg = g.c / g.groups, kg = g.k / g.groups;
  for (int64_t m = 0; m < phase.result.numRows(); ++m)
    for (int64_t c = 0; c < g.c; ++c) {
      int64_t sum = 0;
      for (int64_t t = 0; t < phase.b.numTaps(); ++t)
        for (int64_t k = c / cg * kg; k < (c / cg + 1) * kg; ++k)
          sum += read(phase.a, dy, m, t, k) * read(phase.b, w, k, t, c % cg);
      dx[*phase.result.element(m, 0, c)] += sum;
    }
}

/// dw[k, t, c] = sum over rows of dy[m, k] * x[m, t, c].
void addWgrad(const ConvGeometry &g, const GemmPhase &phase, const Values &x,
              const Values &dy, Values &dw) {
  int64_t cg = g.c / g.groups, kg = g.k / g.groups;
  ASSERT_EQ(phase.a.numRows(), phase.b.numRows());
  for (int64_t k = 0; k < g.k; ++k)
    for (int64_t t = 0; t < phase.b.numTaps(); ++t)
      for (int64_t c = 0; c < cg; ++c) {
        int64_t sum = 0;
        for (int64_t m = 0; m < phase.b.numRows(); ++m)
          sum += read(phase.a, dy, m, 0, k) *
                 read(phase.b, x, m, t, k / kg * cg + c);
        dw[*phase.result.element(k, t, c)] += sum;
      }
}

class Views : public testing::TestWithParam<int> {};

TEST_P(Views, AllThreeOpsAreTheDefinition) {
  std::mt19937_64 rng(10);
  for (int i = 0; i < kProblemsPerRank; ++i) {
    ConvGeometry g = randomGeometry(rng, GetParam(), /*maxInputDilation=*/3);
    g.flip = rng() % 4 == 0;
    SCOPED_TRACE(testing::PrintToString(g));
    Values x = randomValues(rng, g.inputElements());
    Values w = randomValues(rng, g.filterElements());
    Values dy = randomValues(rng, g.outputElements());
    auto [y, dx, dw] = Definition(g, x, w, dy);

    Values got(y.size());
    for (const GemmPhase &phase : g.phases(ConvKind::Forward))
      addForward(g, phase, x, w, got);
    ASSERT_EQ(got, y) << "forward";
    got.assign(dx.size(), 0);
    for (const GemmPhase &phase : g.phases(ConvKind::Dgrad))
      addDgrad(g, phase, dy, w, got);
    ASSERT_EQ(got, dx) << "dgrad";
    got.assign(dw.size(), 0);
    for (const GemmPhase &phase : g.phases(ConvKind::Wgrad))
      addWgrad(g, phase, x, dy, got);
    ASSERT_EQ(got, dw) << "wgrad";
  }
}

TEST_P(Views, PhasesPartitionTheResultAndTheProducts) {
  std::mt19937_64 rng(11);
  for (int i = 0; i < kProblemsPerRank; ++i) {
    ConvGeometry g = randomGeometry(rng, GetParam(), /*maxInputDilation=*/3);
    g.flip = rng() % 4 == 0;
    SCOPED_TRACE(testing::PrintToString(g));
    // Positions are covered however many channels there are.
    g.n = g.c = g.k = g.groups = 1;
    int64_t inside = 0;
    forEachProduct(g, [&](Product product) { inside += product.inside; });
    int64_t elements[] = {g.outputElements(), g.inputElements(),
                          g.filterElements()};
    for (ConvKind kind :
         {ConvKind::Forward, ConvKind::Dgrad, ConvKind::Wgrad}) {
      Values written(elements[static_cast<int>(kind)]);
      int64_t products = 0;
      for (const GemmPhase &phase : g.phases(kind)) {
        for (int64_t m = 0; m < phase.result.numRows(); ++m)
          for (int64_t t = 0; t < phase.result.numTaps(); ++t)
            ++written[*phase.result.element(m, t, 0)];
        // Both factors are there only where the definition has a product.
        for (int64_t m = 0; m < phase.a.numRows(); ++m)
          for (int64_t t = 0; t < phase.b.numTaps(); ++t)
            products +=
                kind == ConvKind::Wgrad
                    ? phase.a.element(m, 0, 0) && phase.b.element(m, t, 0)
                    : phase.a.element(m, t, 0) && phase.b.element(0, t, 0);
      }
      ASSERT_EQ(written, Values(written.size(), 1)) << toString(kind);
      ASSERT_EQ(products, inside) << toString(kind);
    }
  }
}

TEST_P(Views, PhasesDescribeTheirTaps) {
  std::mt19937_64 rng(12);
  for (int i = 0; i < 500; ++i) {
    ConvGeometry g = randomGeometry(rng, GetParam(), /*maxInputDilation=*/3);
    for (const DgradPhase &phase : g.dgradPhases()) {
      ASSERT_EQ(phase.isZero(), phase.w.numTaps() == 0);
      for (int d = 0; d < g.spatialRank; ++d) {
        int64_t taps = 0;
        for (int64_t r = 0; r < g.filter[d]; ++r) {
          int64_t distance = phase.phase[d] * g.inputDilation[d] + g.padLow[d] -
                             r * g.dilation[d];
          if (distance % g.stride[d] != 0)
            continue;
          ASSERT_EQ(r, phase.firstTap[d] + taps * phase.tapStep[d]);
          ++taps;
        }
        ASSERT_EQ(taps, phase.taps[d]);
        ASSERT_GE(phase.extent[d], 1);
      }
    }
  }
}

/// Checks that view.element and view.readers are inverse to each other.
void expectInverse(const MatrixView &view) {
  std::map<int64_t, std::vector<MatrixView::RowTap>> readers;
  for (int64_t m = 0; m < view.numRows(); ++m)
    for (int64_t t = 0; t < view.numTaps(); ++t)
      if (auto element = view.element(m, t, view.channels - 1))
        readers[*element].push_back({m, t});
  for (int64_t e = view.channels - 1; e < view.tensorElements();
       e += view.channels)
    ASSERT_EQ(view.readers(e), readers[e]);
}

TEST_P(Views, ReadersInvertTheIndexMap) {
  std::mt19937_64 rng(13);
  for (int i = 0; i < 300; ++i) {
    ConvGeometry g = randomGeometry(rng, GetParam());
    SCOPED_TRACE(testing::PrintToString(g));
    expectInverse(g.inputView());
    expectInverse(g.filterView());
    expectInverse(g.outputView());
    for (const DgradPhase &phase : g.dgradPhases()) {
      expectInverse(phase.dy);
      expectInverse(phase.w);
      expectInverse(phase.dx);
    }
  }
}

/// Walks the box as the hardware does (docs/ConvSpec.md) and compares each
/// source position with the view's.
void expectBoxReads(const MatrixView &view, const TmaBox &box,
                    std::mt19937_64 &rng) {
  int64_t rows = view.numRows(), start = rng() % rows;
  int64_t n = start;
  Spatial base{};
  for (int d = view.spatialRank - 1; d >= 0; --d) {
    base[d] = box.lower[d] + n % view.rows[d] * box.elementStride[d];
    n /= view.rows[d];
  }
  for (int64_t m = start; m < rows; ++m) {
    for (int64_t t = 0; t < view.numTaps(); ++t) {
      int64_t position = n, rest = t;
      Spatial offset{};
      for (int d = view.spatialRank - 1; d >= 0; --d) {
        offset[d] = rest % view.taps[d] * box.tapStep[d];
        ASSERT_GE(offset[d], 0);
        rest /= view.taps[d];
      }
      bool inside = true;
      for (int d = 0; d < view.spatialRank; ++d) {
        int64_t h = base[d] + offset[d];
        inside &= h >= 0 && h < view.extent[d];
        position = position * view.extent[d] + h;
      }
      auto element = view.element(m, t, 0);
      ASSERT_EQ(element.has_value(), inside);
      if (inside) {
        ASSERT_EQ(*element, position * view.channels);
      }
    }
    int d = view.spatialRank - 1;
    for (; d >= 0; --d) {
      base[d] += box.elementStride[d];
      if (base[d] <= view.extent[d] - 1 + box.upper[d])
        break;
      base[d] = box.lower[d];
    }
    n += d < 0;
  }
}

TEST_P(Views, TmaBoxesVisitThePositionsOfTheViews) {
  std::mt19937_64 rng(14);
  for (int i = 0; i < kProblemsPerRank; ++i) {
    ConvGeometry g = randomGeometry(rng, GetParam());
    SCOPED_TRACE(testing::PrintToString(g));
    expectBoxReads(g.inputView(), g.inputTmaBox(), rng);
    for (const DgradPhase &phase : g.dgradPhases())
      if (!phase.isZero())
        expectBoxReads(phase.dy, g.dgradTmaBox(phase), rng);
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Views, testing::Values(1, 2, 3));

TEST(MatrixView, IndicesPastTheViewNameNothing) {
  ConvGeometry g;
  g.n = 2, g.c = 3, g.input = {4, 5, 1}, g.filter = {2, 2, 1};
  MatrixView view = g.inputView();
  EXPECT_TRUE(view.element(23, 3, 2));
  EXPECT_FALSE(view.element(24, 0, 0));
  EXPECT_FALSE(view.element(0, 4, 0));
  EXPECT_FALSE(view.element(0, 0, 3));
  EXPECT_FALSE(view.element(-1, 0, 0));
  EXPECT_TRUE(view.readers(-1).empty());
  EXPECT_TRUE(view.readers(view.tensorElements()).empty());
}

/// The example of docs/ConvSpec.md.
TEST(DgradPhases, ExampleOfTheSpecification) {
  ConvGeometry g;
  g.spatialRank = 1, g.input[0] = 5, g.filter[0] = 3, g.stride[0] = 2;
  g.padLow[0] = g.padHigh[0] = 1;
  ASSERT_EQ(g.output(0), 3);
  std::vector<DgradPhase> phases = g.dgradPhases();
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[0].extent[0], 3);
  EXPECT_EQ(phases[0].taps[0], 1);
  EXPECT_EQ(phases[0].w.element(0, 0, 0), 1);
  EXPECT_EQ(phases[0].dy.element(2, 0, 0), 2);
  EXPECT_EQ(phases[1].extent[0], 2);
  EXPECT_EQ(phases[1].taps[0], 2);
  EXPECT_EQ(phases[1].dx.element(1, 0, 0), 3);
  EXPECT_EQ(phases[1].w.element(0, 0, 0), 2);
  EXPECT_EQ(phases[1].dy.element(1, 0, 0), 1);
  EXPECT_EQ(phases[1].w.element(0, 1, 0), 0);
  EXPECT_EQ(phases[1].dy.element(1, 1, 0), 2);
  g.stride[0] = 4;
  phases = g.dgradPhases();
  ASSERT_EQ(phases.size(), 4u);
  EXPECT_TRUE(phases[2].isZero());
  EXPECT_FALSE(phases[3].isZero());
}

TEST(TmaRanges, DependOnTheRank) {
  ConvGeometry g;
  g.input = {400, 400, 400}, g.filter = {3, 3, 3}, g.dilation = {60, 1, 1};
  EXPECT_TRUE(checkTmaRanges(g.inputTmaBox(), g.inputView()));
  g.dilation = {65, 1, 1}; // The upper corner is -130.
  Status status = checkTmaRanges(g.inputTmaBox(), g.inputView());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error(), "TMA upper corner of spatial dimension 0 is -130, "
                            "outside [-128, 127]");
  g.spatialRank = 1;
  EXPECT_TRUE(checkTmaRanges(g.inputTmaBox(), g.inputView()));
  g.spatialRank = 3, g.dilation = {1, 1, 1}, g.padLow = {0, 0, 17};
  EXPECT_FALSE(checkTmaRanges(g.inputTmaBox(), g.inputView()));
  g.padLow = {0, 0, 0}, g.stride = {1, 9, 1};
  EXPECT_EQ(checkTmaRanges(g.inputTmaBox(), g.inputView()).error(),
            "TMA element stride of spatial dimension 1 is 9, outside [1, 8]");
}

TEST(TmaRanges, TapDistanceIsLimitedEvenWhereCornersFit) {
  ConvGeometry g;
  g.spatialRank = 2, g.input = {400, 400, 1}, g.filter = {129, 1, 1};
  g.padHigh = {100, 0, 0}, g.dilation = {2, 1, 1}; // Distance 256.
  g.padLow = {50, 0, 0};
  Status status = checkTmaRanges(g.inputTmaBox(), g.inputView());
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().find("upper corner"), std::string::npos);
  g.padHigh = {200, 0, 0};
  status = checkTmaRanges(g.inputTmaBox(), g.inputView());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error(), "TMA tap distance of spatial dimension 0 is 256, "
                            "outside [0, 254]");
}

} // namespace
