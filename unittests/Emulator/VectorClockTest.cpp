//===- VectorClockTest.cpp - tests of the order of accesses ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Release and acquire order accesses as barriers do, and nothing else does.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Memory/VectorClock.h"

#include <gtest/gtest.h>

using namespace convmlir::emu;

TEST(VectorClock, OwnAccessesAreOrdered) {
  VectorClocks clocks;
  clocks.reset(2);
  EXPECT_TRUE(clocks.ordered(0, clocks.stamp(0)));
  EXPECT_FALSE(clocks.ordered(1, clocks.stamp(0)));
  EXPECT_TRUE(clocks.ordered(1, AccessStamp()));
}

TEST(VectorClock, ReleaseAndAcquireOrder) {
  VectorClocks clocks;
  clocks.reset(3);
  AccessStamp before = clocks.stamp(0);
  ClockSum sum;
  clocks.release(0, sum);
  AccessStamp after = clocks.stamp(0);
  clocks.acquire(1, sum);
  EXPECT_TRUE(clocks.ordered(1, before));
  EXPECT_FALSE(clocks.ordered(1, after));
  EXPECT_FALSE(clocks.ordered(2, before));
}

TEST(VectorClock, OrderIsTransitive) {
  VectorClocks clocks;
  clocks.reset(3);
  AccessStamp first = clocks.stamp(0);
  ClockSum zeroToOne, oneToTwo;
  clocks.release(0, zeroToOne);
  clocks.acquire(1, zeroToOne);
  clocks.release(1, oneToTwo);
  clocks.acquire(2, oneToTwo);
  EXPECT_TRUE(clocks.ordered(2, first));
}

TEST(VectorClock, SynchroniseAllEqualsPairwise) {
  VectorClocks clocks;
  clocks.reset(4);
  ClockSum sum;
  clocks.release(0, sum);
  clocks.acquire(1, sum);
  AccessStamp before[4], after[4];
  for (uint32_t i = 0; i < 4; ++i)
    before[i] = clocks.stamp(i);
  clocks.synchroniseAll();
  for (uint32_t i = 0; i < 4; ++i)
    after[i] = clocks.stamp(i);
  for (uint32_t i = 0; i < 4; ++i)
    for (uint32_t j = 0; j < 4; ++j) {
      EXPECT_TRUE(clocks.ordered(i, before[j]));
      EXPECT_EQ(clocks.ordered(i, after[j]), i == j);
    }
}

TEST(VectorClock, PrivateKnowledgeSurvivesTheCommonOne) {
  VectorClocks clocks;
  clocks.reset(3);
  clocks.synchroniseAll();
  AccessStamp first = clocks.stamp(0);
  ClockSum sum;
  clocks.release(0, sum);
  clocks.acquire(1, sum);
  EXPECT_TRUE(clocks.ordered(1, first));
  EXPECT_FALSE(clocks.ordered(2, first));
  clocks.synchroniseAll();
  EXPECT_TRUE(clocks.ordered(2, first));
}

TEST(VectorClock, EnginesAreKnownByTheirSignals) {
  VectorClocks clocks;
  clocks.reset(3, /*engines=*/2);
  uint32_t engine = 3;
  AccessStamp write = clocks.stamp(engine);
  ClockSum mbarrier;
  clocks.signal(engine, mbarrier);
  clocks.acquire(0, mbarrier);
  EXPECT_TRUE(clocks.ordered(0, write));
  EXPECT_FALSE(clocks.ordered(0, clocks.stamp(engine)));
  EXPECT_FALSE(clocks.ordered(1, write));
  // A barrier of all passes on what one of them knows, and no more.
  AccessStamp unseen = clocks.stamp(engine);
  clocks.synchroniseAll();
  EXPECT_TRUE(clocks.ordered(1, write));
  EXPECT_FALSE(clocks.ordered(1, unseen));
}

TEST(VectorClock, LearnsOfASingleAccess) {
  VectorClocks clocks;
  clocks.reset(2, /*engines=*/1);
  AccessStamp read = clocks.stamp(2);
  clocks.advance(2);
  clocks.learn(1, read);
  EXPECT_TRUE(clocks.ordered(1, read));
  EXPECT_FALSE(clocks.ordered(1, clocks.stamp(2)));
  EXPECT_FALSE(clocks.ordered(0, read));
}
