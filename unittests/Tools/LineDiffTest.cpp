//===- LineDiffTest.cpp - which lines of two texts are the same -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/LineDiff.h"

#include <gtest/gtest.h>

using namespace convmlir;

namespace {

using Lines = std::vector<std::string>;

/// "=a -b +c": a line of both, of the left one, of the right one.
std::string show(const Lines &left, const Lines &right) {
  std::string text;
  for (const DiffRow &row : diffLines(left, right)) {
    const std::string &line = row.left ? left[*row.left] : right[*row.right];
    text += (row.isSame() ? "=" : row.left ? "-" : "+") + line + " ";
  }
  return text;
}

TEST(LineDiff, SplitsLines) {
  EXPECT_EQ(splitLines(""), std::vector<std::string_view>());
  EXPECT_EQ(splitLines("a\n\nb"),
            (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(splitLines("a\n"), std::vector<std::string_view>{"a"});
}

TEST(LineDiff, TakesNamesOfValuesOut) {
  EXPECT_EQ(withoutNames("    %12 = arith.addi %c0_1, %3#1 : index"),
            "% = arith.addi %, % : index");
  EXPECT_EQ(withoutNames(""), "");
  EXPECT_EQ(withoutNames("   "), "");
  EXPECT_EQ(withoutNames("a % b"), "a % b");
}

TEST(LineDiff, MarksWhatIsInOneTextOnly) {
  EXPECT_EQ(show({}, {}), "");
  EXPECT_EQ(show({"a"}, {}), "-a ");
  EXPECT_EQ(show({}, {"a"}), "+a ");
  EXPECT_EQ(show({"a", "b", "c"}, {"a", "c"}), "=a -b =c ");
  EXPECT_EQ(show({"a", "b", "c"}, {"a", "x", "c"}), "=a -b +x =c ");
  EXPECT_EQ(show({"a", "b", "c", "d"}, {"b", "c", "x"}), "-a =b =c -d +x ");
  EXPECT_EQ(show({"a", "a"}, {"a", "a", "a"}), "=a =a +a ");
}

/// Too long for a table: by anchors. Every line is in one row, in order.
TEST(LineDiff, TakesAnchorsInLongTexts) {
  constexpr size_t lines = 6000;
  Lines left, right;
  for (size_t i = 0; i < lines; ++i) {
    left.push_back(i % 3 == 0 ? "}" : "l" + std::to_string(i));
    right.push_back(i % 3 == 1 ? "r" + std::to_string(i) : left.back());
  }
  right.insert(right.begin(), "first");
  left.push_back("last");
  std::vector<DiffRow> rows = diffLines(left, right);
  size_t same = 0, nextLeft = 0, nextRight = 0;
  for (const DiffRow &row : rows) {
    if (row.left) {
      EXPECT_EQ(*row.left, nextLeft++);
    }
    if (row.right) {
      EXPECT_EQ(*row.right, nextRight++);
    }
    if (row.isSame()) {
      EXPECT_EQ(left[*row.left], right[*row.right]);
      ++same;
    }
  }
  EXPECT_EQ(nextLeft, left.size());
  EXPECT_EQ(nextRight, right.size());
  EXPECT_EQ(same, lines / 3 * 2);
}

TEST(LineDiff, SurvivesLongTextsWithNothingInCommon) {
  Lines left(3000, "a"), right(3000, "b");
  EXPECT_EQ(diffLines(left, right).size(), 6000u);
}

} // namespace
