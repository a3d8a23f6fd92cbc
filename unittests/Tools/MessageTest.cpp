//===- MessageTest.cpp - messages on one line -----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Message.h"

#include <gtest/gtest.h>

using namespace convmlir;

TEST(Message, isOneLine) {
  EXPECT_EQ(toLine("first\nsecond"), "first second");
  EXPECT_EQ(toLine("\x1b[31m\tx\x7f"), "\\x1b[31m\\x09x\\x7f");
  EXPECT_EQ(toLine(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(toLine("größer"), "größer");
}
