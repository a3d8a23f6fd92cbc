//===- ConstraintsTest.cpp - each rule of a shape refused by name ---------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One ill-formed shape per rule, with the whole message; shapes at the edge of
// a rule that are well formed; no rule without a label, a wording and a place
// in docs/ConvSpec.md.
//
//===----------------------------------------------------------------------===//

#include "conv/Geometry/ConvGeometry.h"

#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

using namespace convmlir;

namespace {

ConvGeometry sound() {
  ConvGeometry g;
  g.n = 2, g.c = 8, g.k = 12, g.groups = 4;
  g.input = {7, 9, 1}, g.filter = {3, 2, 1};
  g.padLow = {1, 0, 0}, g.padHigh = {1, 1, 0};
  return g;
}

/// The message for the sound shape after one change.
template <typename Change> std::string refusal(Change change) {
  ConvGeometry g = sound();
  change(g);
  Status status = g.check();
  return status ? "" : status.error();
}

TEST(Constraints, TheUnchangedShapeIsSound) {
  EXPECT_TRUE(sound().check()) << sound().check().error();
}

TEST(Constraints, EachRuleIsRefusedByName) {
  using G = ConvGeometry;
  EXPECT_EQ(refusal([](G &g) { g.spatialRank = 4; }),
            "conv-c1: spatial rank (4) must be 1, 2 or 3");
  EXPECT_EQ(refusal([](G &g) { g.spatialRank = 0; }),
            "conv-c1: spatial rank (0) must be 1, 2 or 3");
  EXPECT_EQ(refusal([](G &g) { g.n = -1; }),
            "conv-c2: N (-1) must not be negative");
  EXPECT_EQ(refusal([](G &g) { g.c = 0; }),
            "conv-c3: C (0) must be at least 1");
  EXPECT_EQ(refusal([](G &g) { g.k = -4; }),
            "conv-c3: K (-4) must be at least 1");
  EXPECT_EQ(refusal([](G &g) { g.input[1] = 0; }),
            "conv-c3: input extent W (0) must be at least 1");
  EXPECT_EQ(refusal([](G &g) { g.filter[0] = 0; }),
            "conv-c3: filter extent R (0) must be at least 1");
  EXPECT_EQ(refusal([](G &g) { g.groups = 0; }),
            "conv-c4: groups (0) must be at least 1");
  EXPECT_EQ(refusal([](G &g) { g.groups = 3; }),
            "conv-c5: groups (3) must divide input channels C (8)");
  EXPECT_EQ(refusal([](G &g) { g.groups = 8; }),
            "conv-c6: groups (8) must divide output channels K (12)");
  EXPECT_EQ(refusal([](G &g) { g.stride[1] = 0; }),
            "conv-c7: stride along W (0) must be at least 1");
  EXPECT_EQ(refusal([](G &g) { g.dilation[0] = -2; }),
            "conv-c8: dilation along H (-2) must be at least 1");
  EXPECT_EQ(refusal([](G &g) { g.inputDilation[0] = 0; }),
            "conv-c9: input dilation along H (0) must be at least 1");
  EXPECT_EQ(refusal([](G &g) { g.n = int64_t(1) << 31; }),
            "conv-c10: N (2147483648) must not exceed 2^31 - 1 in magnitude");
  EXPECT_EQ(refusal([](G &g) { g.padLow[0] = INT64_MIN; }),
            "conv-c10: padding (low) along H (-9223372036854775808) must not "
            "exceed 2^31 - 1 in magnitude");
  EXPECT_EQ(refusal([](G &g) { g.padLow[0] = g.padHigh[0] = INT32_MAX; }),
            "conv-c10: output extent P (4294967299) must not exceed 2^31 - 1 "
            "in magnitude");
  EXPECT_EQ(refusal([](G &g) { g.padLow[1] = -9; }),
            "conv-c11: padding (-9:1) crops all of the input extent W (9); at "
            "least 1 position must be left");
  EXPECT_EQ(refusal([](G &g) {
              g.padLow[1] = 30, g.padHigh[1] = -17, g.inputDilation[1] = 2;
            }),
            "conv-c11: padding (30:-17) crops all of the dilated input extent "
            "W (17); at least 1 position must be left");
  EXPECT_EQ(refusal([](G &g) { g.filter[0] = 10; }),
            "conv-c12: filter extent R (10) does not fit the padded input "
            "extent H (9) = 7 with padding 1:1");
  EXPECT_EQ(refusal([](G &g) { g.dilation[1] = 10; }),
            "conv-c12: filter extent S (2) with dilation 10 spans 11 and does "
            "not fit the padded input extent W (10) = 9 with padding 0:1");
  EXPECT_EQ(refusal([](G &g) { g.n = g.input[0] = g.c = 1 << 30; }),
            "conv-c13: the elements of x must number fewer than 2^63");
}

TEST(Constraints, LettersFollowTheRank) {
  ConvGeometry g;
  g.spatialRank = 1, g.filter[0] = 2;
  EXPECT_EQ(g.check().error(), "conv-c12: filter extent S (2) does not fit the "
                               "padded input extent W (1) = 1 with padding "
                               "0:0");
  g.spatialRank = 3;
  EXPECT_EQ(g.check().error(), "conv-c12: filter extent T (2) does not fit the "
                               "padded input extent D (1) = 1 with padding "
                               "0:0");
}

TEST(Constraints, OverflowOfEachTensorIsRefused) {
  auto huge = int64_t(1) << 30;
  EXPECT_NE(refusal([&](ConvGeometry &g) {
              g.groups = 1, g.c = g.k = huge, g.filter[0] = 8;
            }).find("elements of w"),
            std::string::npos);
  EXPECT_NE(refusal([&](ConvGeometry &g) {
              g.n = g.k = huge, g.padLow[0] = 16;
            }).find("elements of y"),
            std::string::npos);
  // An empty batch hides no overflow.
  EXPECT_NE(refusal([&](ConvGeometry &g) {
              g.n = 0, g.c = g.input[0] = g.input[1] = huge;
            }).find("elements of x"),
            std::string::npos);
}

TEST(Constraints, LargestParametersDoNotOverflow) {
  ConvGeometry g;
  int64_t most = (int64_t(1) << 31) - 1;
  g.spatialRank = 1, g.input[0] = most, g.inputDilation[0] = most;
  g.filter[0] = most, g.dilation[0] = most;
  g.padLow[0] = most, g.padHigh[0] = -1;
  EXPECT_TRUE(g.check()) << g.check().error();
  EXPECT_EQ(g.output(0), most);
  g.padHigh[0] = most;
  EXPECT_EQ(g.check().error(), "conv-c10: output extent Q (4294967295) must "
                               "not exceed 2^31 - 1 in magnitude");
}

TEST(Constraints, EdgesAreAllowed) {
  EXPECT_EQ(refusal([](ConvGeometry &g) { g.n = 0; }), "");
  EXPECT_EQ(refusal([](ConvGeometry &g) { g.padLow[0] = 50; }), "");
  EXPECT_EQ(refusal([](ConvGeometry &g) {
              g.padLow[0] = -6, g.padHigh[0] = 2; // One row of x is left.
            }),
            "");
  EXPECT_EQ(refusal([](ConvGeometry &g) { g.filter[0] = 9; }), "");
  EXPECT_EQ(refusal([](ConvGeometry &g) { g.stride[0] = 100; }), "");
}

TEST(Constraints, EntriesPastTheRankAreIgnored) {
  EXPECT_EQ(refusal([](ConvGeometry &g) {
              g.input[2] = 0, g.stride[2] = -1, g.padLow[2] = INT64_MIN;
            }),
            "");
}

TEST(Constraints, LabelsAreInOrderAndWordingsDistinct) {
  std::set<std::string> wordings;
  int number = 0;
  for (Constraint constraint : allConstraints()) {
    EXPECT_EQ(label(constraint), "conv-c" + std::to_string(++number));
    EXPECT_TRUE(wordings.insert(rule(constraint)).second);
    EXPECT_FALSE(std::string(rule(constraint)).empty());
  }
}

TEST(Constraints, TheSpecificationStatesEachInTheSameWords) {
  std::ifstream file(CONV_SPEC);
  ASSERT_TRUE(file) << CONV_SPEC;
  std::stringstream text;
  text << file.rdbuf();
  for (Constraint constraint : allConstraints()) {
    std::string row =
        "| " + label(constraint) + " | " + rule(constraint) + " |";
    EXPECT_NE(text.str().find(row), std::string::npos) << row;
  }
}

} // namespace
