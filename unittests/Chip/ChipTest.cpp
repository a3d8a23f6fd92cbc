//===- ChipTest.cpp - the table of chips ----------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Chip/Chip.h"

#include "gtest/gtest.h"

#include <bit>

using namespace convmlir;

TEST(Chip, IsFoundByTheNameOfItsTarget) {
  ASSERT_TRUE(lookupChip("sm_90a"));
  EXPECT_EQ(lookupChip("sm_90a")->multiprocessors, 132);
  EXPECT_EQ(lookupChip("sm_86")->sharedPerBlock, 99 * 1024);
  EXPECT_FALSE(lookupChip("sm_70"));
  EXPECT_FALSE(lookupChip(""));
  EXPECT_FALSE(lookupChip("sm_90b"));
}

TEST(Chip, HasNumbersThatGoTogether) {
  for (const ChipInfo &chip : getChips()) {
    SCOPED_TRACE(chip.name);
    EXPECT_EQ(lookupChip(chip.name)->multiprocessors, chip.multiprocessors);
    EXPECT_GT(chip.multiprocessors, 0);
    EXPECT_EQ(chip.sharedPerBlock + kSystemSharedBytes, chip.sharedPerSM);
    EXPECT_GE(chip.threadsPerSM, kMostThreads);
    EXPECT_GE(chip.registersPerSM, 64 * kMostThreads);
    EXPECT_LE(chip.sharedPerBlock, getMostSharedPerBlock());
    EXPECT_GE(chip.ptxVersion, 80);
    // What every kernel needs.
    EXPECT_TRUE(chip.has(Engine::CpAsync) && chip.has(Engine::MmaSync));
  }
}

TEST(Chip, WithTheMostEnginesIsTheLast) {
  const ChipInfo &fullest = getFullestChip();
  EXPECT_TRUE(fullest.has(Engine::Tma) && fullest.has(Engine::Wgmma));
  EXPECT_EQ(getChips().back().name, fullest.name);
  int before = 0;
  for (const ChipInfo &chip : getChips()) {
    EXPECT_EQ(chip.engines & ~fullest.engines, 0u) << chip.name;
    EXPECT_GE(std::popcount(chip.engines), before) << chip.name;
    before = std::popcount(chip.engines);
  }
}

TEST(Chip, IsNamedByItsEngines) {
  EXPECT_EQ(getChipsWith(Engine::Wgmma), "sm_90a");
  EXPECT_EQ(getFirstChipWith(Engine::MmaFloat8), "sm_89");
  EXPECT_EQ(getFirstChipWith(Engine::CpAsync), "sm_80");
  EXPECT_EQ(supportedChips(), getChipsWith(Engine::MmaSync));
}
