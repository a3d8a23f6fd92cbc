//===- KernelShapesTest.cpp - numbers of schedules ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What passes and the model of time derive from a schedule alone.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Resources.h"
#include "conv/Schedule/Shape/ClusterShape.h"
#include "conv/Schedule/Shape/KernelThreads.h"
#include "conv/Schedule/Shape/Rounds.h"
#include "conv/Schedule/Shape/TapRuns.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::conv;

namespace {

class KernelShapesTest : public ::testing::Test {
protected:
  KernelShapesTest() { context.loadDialect<ConvDialect>(); }

  /// With TMA and wgmma, 64 rows for each four warps.
  ScheduleAttr getSchedule(int64_t warps, const char *more = "",
                           int64_t stages = 3) {
    std::string text = llvm::formatv(
        "#conv.schedule<algorithm = implicit_gemm, tile = [{0}, 128, 64], "
        "warps = [{1}, 1], stages = {2}, copy = tma, mma = wgmma{3}>",
        16 * warps, warps, stages, more);
    return dyn_cast_or_null<ScheduleAttr>(parseAttribute(text, &context));
  }

  MLIRContext context;
};

/// setmaxnreg moves registers between warpgroups, and makes none.
TEST_F(KernelShapesTest, RolesShareTheRegistersThatTheKernelHas) {
  for (int64_t warps : {4, 8, 12})
    for (const char *more : {"", ", resident = 2", ", gather = true"}) {
      ScheduleAttr schedule = getSchedule(warps, more);
      ASSERT_TRUE(schedule) << warps << more;
      int64_t consumers = getConsumerRegisters(schedule);
      if (!shiftsRegisters(schedule))
        continue;
      EXPECT_EQ(consumers % 8, 0) << warps << more;
      int64_t all = kWarpSize * warps * consumers +
                    kWarpgroupSize * getProducerRegisters(schedule);
      EXPECT_LE(all, getNumThreads(schedule) * getInitialRegisters(schedule))
          << warps << more;
      EXPECT_GE(consumers, getInitialRegisters(schedule)) << warps << more;
    }
}

TEST_F(KernelShapesTest, ResidentWorkgroupsAreWholeClusters) {
  for (int64_t multiprocessors : {132, 114, 78, 16, 4, 1})
    for (int64_t size : {1, 2, 4}) {
      int64_t resident = getResidentWorkgroups(multiprocessors, size);
      EXPECT_EQ(resident % size, 0) << multiprocessors << " " << size;
      EXPECT_LE(resident, std::max(multiprocessors, size));
      EXPECT_GE(resident, size);
    }
}

TEST_F(KernelShapesTest, RoundsHaveEachTileOnce) {
  convmlir::ChipInfo chip = convmlir::getFullestChip();
  chip.multiprocessors = 78;
  for (const char *more : {"", ", cluster = [2, 1]", ", resident = 2"}) {
    ScheduleAttr schedule = getSchedule(4, more);
    ASSERT_TRUE(schedule) << more;
    int64_t workgroups = getPersistentWorkgroups(schedule, chip);
    EXPECT_EQ(workgroups, 78 * schedule.getResident());
    for (int64_t tiles :
         {int64_t(2), workgroups, workgroups + 2, 3 * workgroups - 2}) {
      Rounds rounds = divideIntoRounds(schedule, tiles, chip);
      EXPECT_EQ(rounds.whole + rounds.rest, tiles);
      EXPECT_EQ(rounds.whole % workgroups, 0);
      EXPECT_LT(rounds.rest, workgroups);
      EXPECT_EQ(rounds.rest % schedule.getClusterSize(), 0);
    }
  }
}

/// Lines of 3x3 taps in a window of 10 lines a row.
TEST_F(KernelShapesTest, RunsHaveEachTapOnce) {
  constexpr int64_t lines[] = {0, 1, 2, 10, 11, 12, 20, 21, 22};
  for (int64_t warpgroups : {1, 3})
    for (int64_t columns : {16, 64, 128}) {
      auto runs = getTapRuns({3, 3, 1}, 2, lines, warpgroups, columns);
      ASSERT_TRUE(runs);
      int64_t next = 0;
      for (TapRun run : *runs) {
        EXPECT_EQ(run.first, next);
        EXPECT_LE(run.number * columns, kMaxInstructionColumns);
        for (int64_t i = 1; i < run.number; ++i)
          EXPECT_EQ(lines[run.first + i] - lines[run.first + i - 1],
                    run.distance);
        next += run.number;
      }
      EXPECT_EQ(next * warpgroups, 9);
    }
  auto runs = getTapRuns({3, 3, 1}, 2, lines, /*warpgroups=*/2, 64);
  ASSERT_FALSE(runs);
  EXPECT_EQ(runs.error(), "9 taps cannot be divided among 2 warpgroups");
}

/// Of two schedules, the one with more of something takes no less.
TEST_F(KernelShapesTest, SharedMemoryGrowsWithTheSchedule) {
  constexpr int64_t bytes = 2;
  int64_t last = 0;
  for (int64_t stages : {2, 3, 4, 6}) {
    int64_t shared =
        getTileSharedBytes(getSchedule(4, "", stages), bytes, bytes);
    EXPECT_GT(shared, last);
    last = shared;
  }
  int64_t all = getStagedBytes(getSchedule(8), bytes);
  EXPECT_EQ(all, 128 * 128 * bytes);
  EXPECT_LT(getStagedBytes(getSchedule(8, ", staging = 64"), 1), all);
  EXPECT_GT(getSharedBytesPerWorkgroup(getSchedule(4)),
            2 * getSharedBytesPerWorkgroup(getSchedule(4, ", resident = 2")));
}

} // namespace
