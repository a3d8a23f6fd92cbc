//===- MemoryTest.cpp - what a run holds ----------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/Memory.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace convmlir;

namespace {

/// 1000 and 200 elements of 2 bytes, 100 of 4.
const std::vector<TensorSpec> arguments = {{"x", {10, 100}, "bf16"},
                                           {"w", {200}, "bf16"}};
const std::vector<TensorSpec> results = {{"y", {4, 25}, "f32"}};

TEST(Memory, theHostHasACopy) {
  EXPECT_EQ(bytesHeld(arguments, results, {}), 2400 + 400);
}

TEST(Memory, theEmulatorHasAnother) {
  EXPECT_EQ(bytesHeld(arguments, results, {true, 50}), 2 * 2800 + 50);
  EXPECT_EQ(bytesHeld(arguments, results, {false, 50}), 2800);
}

TEST(Memory, theReferenceIsLarger) {
  MemoryUse use;
  use.reference = ReferenceUse::Full;
  EXPECT_EQ(bytesHeld(arguments, results, use), 2800 + 16 * 1200 + 32 * 100);
  use.reference = ReferenceUse::Sample;
  EXPECT_EQ(bytesHeld(arguments, results, use), 2800 + 4 * 1200 + 8 * 1000);
  std::vector<TensorSpec> integers = {{"x", {10}, "s8"}};
  EXPECT_EQ(bytesHeld(integers, {}, use), 10 + 8 * 10 + 8 * 10);
}

TEST(Memory, readsWhatIsAvailable) {
  EXPECT_EQ(parseAvailable("MemTotal:  9 kB\nMemAvailable:   3 kB\n"), 3072);
  EXPECT_FALSE(parseAvailable("MemTotal: 9 kB\n"));
  EXPECT_FALSE(parseAvailable("MemAvailable:"));
  EXPECT_GT(bytesAvailable(), 0);
}

TEST(Memory, tooLittleIsAnError) {
  constexpr double gigabyte = 1 << 30;
  EXPECT_TRUE(checkMemory(gigabyte, gigabyte));
  EXPECT_EQ(checkMemory(2.5 * gigabyte, 1.5 * gigabyte).error(),
            "the tensors of the run take 3 GiB, but this machine has 1 GiB of "
            "memory left");
  EXPECT_EQ(checkMemory(std::ldexp(gigabyte, 70), gigabyte).error(),
            "the tensors of the run take 1180591620717411303424 GiB, but this "
            "machine has 1 GiB of memory left");
}

} // namespace
