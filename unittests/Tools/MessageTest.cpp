//===- MessageTest.cpp - messages on one line -----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/Message.h"
#include "conv/Support/Message.h"

#include <gtest/gtest.h>

using namespace convmlir;

TEST(Message, isOneLine) {
  EXPECT_EQ(toLine("first\nsecond"), "first second");
  EXPECT_EQ(toLine("\x1b[31m\tx\x7f"), "\\x1b[31m\\x09x\\x7f");
  EXPECT_EQ(toLine(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(toLine("größer"), "größer");
}

TEST(Message, hasASensibleLength) {
  EXPECT_EQ(shortenMessage("short"), "short");
  EXPECT_EQ(shortenMessage(std::string(8000, 'x')), std::string(8000, 'x'));
  std::string cut =
      shortenMessage("begin" + std::string(10 << 20, 'x') + "end");
  EXPECT_LE(cut.size(), kMostMessageBytes);
  EXPECT_TRUE(cut.starts_with("begin"));
  EXPECT_TRUE(cut.ends_with("end"));
  EXPECT_NE(cut.find("10477818 bytes left out"), std::string::npos) << cut;
}

TEST(Message, isCutBetweenCharacters) {
  for (size_t most : {60, 61, 62, 63}) {
    std::string umlauts;
    for (int i = 0; i < 100; ++i)
      umlauts += "ü";
    std::string cut = shortenMessage(umlauts, most);
    size_t note = cut.find(" [");
    EXPECT_EQ(note % 2, 0u);
    EXPECT_EQ((cut.size() - cut.find(']') - 2) % 2, 0u);
  }
}
