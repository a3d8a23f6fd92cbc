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

TEST(Chip, HasTheNumbersOfADevice) {
  const ChipInfo row = *lookupChip("sm_90a");
  EXPECT_EQ(DeviceLimits().applyTo(row).multiprocessors, 132);
  ChipInfo slice = DeviceLimits{16, 64 << 10}.applyTo(row);
  EXPECT_EQ(slice.multiprocessors, 16);
  EXPECT_EQ(slice.sharedPerBlock, 64 << 10);
  EXPECT_EQ(slice.sharedPerSM, slice.sharedPerBlock + kSystemSharedBytes);
  // Code for an older target has no more than that has.
  ChipInfo newer = DeviceLimits{132, 227 << 10}.applyTo(*lookupChip("sm_80"));
  EXPECT_EQ(newer.multiprocessors, 132);
  EXPECT_EQ(newer.sharedPerBlock, 163 << 10);
  EXPECT_EQ(whyWrong({}), "");
  EXPECT_EQ(whyWrong({kMostMultiprocessors, 1}), "");
  EXPECT_EQ(whyWrong({-1, 0}), "multiprocessors: expected 1 to 4096, or 0 for "
                               "those of the target, got -1");
  EXPECT_NE(whyWrong({kMostMultiprocessors + 1, 0}), "");
  EXPECT_NE(whyWrong({1, -1}), "");
}

TEST(Chip, HasEnginesWithNames) {
  for (const ChipInfo &chip : getChips()) {
    uint32_t engines = 0;
    std::string names = getEngineNames(chip.engines) + ", ";
    for (size_t at = 0; at < names.size(); at = names.find(", ", at) + 2)
      engines |= uint32_t(*lookupEngine(
          std::string_view(names).substr(at, names.find(", ", at) - at)));
    EXPECT_EQ(engines, chip.engines) << names;
  }
  EXPECT_FALSE(lookupEngine("tcgen05"));
}

TEST(Chip, IsNamedByItsEngines) {
  EXPECT_EQ(getChipsWith(Engine::Wgmma), "sm_90a");
  EXPECT_EQ(getFirstChipWith(Engine::MmaFloat8), "sm_89");
  EXPECT_EQ(getFirstChipWith(Engine::CpAsync), "sm_80");
  EXPECT_EQ(supportedChips(), getChipsWith(Engine::MmaSync));
}
