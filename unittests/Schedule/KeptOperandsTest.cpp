//===- KeptOperandsTest.cpp - operands that a workgroup loads once --------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which operand stays, of each kind of kernel, and what makes it go.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/KeptOperands.h"

#include "conv/Dialect/Conv/IR/ConvOps.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::conv;

namespace {

class KeptOperandsTest : public ::testing::Test {
protected:
  KeptOperandsTest() { context.loadDialect<ConvDialect>(); }

  ScheduleAttr getSchedule(int64_t stages, llvm::StringRef others = "") {
    auto base = ScheduleAttr::get(&context, {.tile = {64, 64, 64},
                                             .warps = {4, 1},
                                             .stages = stages,
                                             .copy = CopyKind::Tma,
                                             .mma = MmaKind::Wgmma});
    FailureOr<ScheduleAttr> schedule = parseSchedule(
        others, base, [&] { return emitError(UnknownLoc::get(&context)); });
    return *schedule;
  }

  /// Two taps of 128 channels: four blocks of gemm-k, and one tile of filters.
  static GemmShape getTiles() {
    return {.phases = {{4096, 2}},
            .n = 64,
            .channels = 128,
            .elementBytes = 2,
            .chip = *lookupChip("sm_90a")};
  }

  /// The same with a window of both taps.
  static GemmShape getWindow() {
    GemmShape gemm = getTiles();
    gemm.views.window.emplace();
    gemm.views.window->spatialRank = 1;
    gemm.views.window->taps[0] = 2;
    return gemm;
  }

  MLIRContext context;
};

TEST_F(KeptOperandsTest, TilesKeepColumnsWhoseBlocksHaveSlots) {
  EXPECT_EQ(getKeptOperand(getSchedule(4), getTiles()), KeptOperand::Right);
  EXPECT_EQ(getKeptOperand(getSchedule(8), getTiles()), KeptOperand::Right);
  EXPECT_EQ(getKeptOperand(getSchedule(3), getTiles()), KeptOperand::None);
  EXPECT_EQ(getKeptOperand(getSchedule(4, "split-k=2"), getTiles()),
            KeptOperand::None);
  EXPECT_EQ(getKeptOperand(getSchedule(4, "cluster=2x1"), getTiles()),
            KeptOperand::None);
  EXPECT_EQ(getKeptOperand(getSchedule(4, "gather=true"), getTiles()),
            KeptOperand::None);
}

TEST_F(KeptOperandsTest, TilesAlongGemmNDivideTheWorkgroups) {
  GemmShape gemm = getTiles();
  gemm.n = 4 * 64;
  ASSERT_EQ(gemm.chip.multiprocessors, 132);
  EXPECT_EQ(getKeptOperand(getSchedule(4), gemm), KeptOperand::Right);
  gemm.n = 5 * 64;
  EXPECT_EQ(getKeptOperand(getSchedule(4), gemm), KeptOperand::None);
}

TEST_F(KeptOperandsTest, WgradAndGroupsKeepNoTiles) {
  GemmShape wgrad = getTiles(), groups = getTiles(), phases = getTiles();
  wgrad.wgrad.reducesRows = true;
  groups.groups = 2;
  phases.phases.push_back({4096, 1});
  for (const GemmShape &gemm : {wgrad, groups, phases})
    EXPECT_EQ(getKeptOperand(getSchedule(4), gemm), KeptOperand::None);
}

TEST_F(KeptOperandsTest, AFilterBesideWindowsHasSlotsOfItsOwn) {
  ScheduleAttr window = getSchedule(4, "window=true");
  EXPECT_EQ(getKeptOperand(window, getWindow()), KeptOperand::Right);
  EXPECT_EQ(getKeptOperand(getSchedule(8, "window=true"), getWindow()),
            KeptOperand::None);
  GemmShape wide = getWindow(), groups = getWindow();
  wide.n = 128;
  EXPECT_EQ(getKeptOperand(window, wide), KeptOperand::None);
  groups.groups = 4; // Divides 132.
  EXPECT_EQ(getKeptOperand(window, groups), KeptOperand::Right);
  groups.groups = 5;
  EXPECT_EQ(getKeptOperand(window, groups), KeptOperand::None);
}

TEST_F(KeptOperandsTest, FiltersWithSumsForTapsAreTheLeftOperand) {
  ScheduleAttr schedule = getSchedule(4, "kn2row=true");
  GemmShape gemm = getTiles();
  gemm.kn2row = {3, 32};
  gemm.groups = 7; // Images.
  gemm.phases.front().m = 11 * 64;
  EXPECT_EQ(getKeptOperand(schedule, gemm), KeptOperand::Left);
  gemm.phases.front().m = 13 * 64; // No divisor of 132.
  EXPECT_EQ(getKeptOperand(schedule, gemm), KeptOperand::None);
  EXPECT_EQ(getKeepable(schedule), KeptOperand::Left);
}

TEST_F(KeptOperandsTest, ASentenceSaysWhatHasNoRoom) {
  EXPECT_EQ(whyNoRoomToKeep(getSchedule(4), 4), "");
  EXPECT_EQ(whyNoRoomToKeep(getSchedule(4), 5),
            "its blocks must be no more than 4 stages");
  EXPECT_EQ(whyNoRoomToKeep(getSchedule(4), std::nullopt),
            "its blocks must be no more than 4 stages");
  EXPECT_EQ(whyNoRoomToKeep(getSchedule(4, "window=true"), 3),
            "a filter is kept beside windows in as many slots as it has "
            "blocks, but there are 4 stages");
}

} // namespace
