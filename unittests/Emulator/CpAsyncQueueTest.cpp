//===- CpAsyncQueueTest.cpp - tests of the queue of copies ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups retire in the order in which they were committed.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Copies/CpAsyncQueue.h"

#include <gtest/gtest.h>

using namespace convmlir::emu;

static CpAsyncCopy copyNumber(uint16_t number) {
  return {nullptr, nullptr, 16, number, nullptr};
}

TEST(CpAsyncQueue, GroupsRetireInOrder) {
  CpAsyncQueue queue;
  uint16_t issued = 0, landed = 0;
  // Two copies per group, three groups under way, for long enough that the
  // queue reuses its storage.
  for (unsigned round = 0; round < 2000; ++round) {
    queue.add(copyNumber(issued++));
    queue.add(copyNumber(issued++));
    queue.commit();
    while (queue.committedGroups() > 2)
      queue.retireGroup([&](const CpAsyncCopy &copy) {
        EXPECT_EQ(copy.validBytes, landed++);
      });
  }
  EXPECT_EQ(landed, issued - 4);
  EXPECT_FALSE(queue.empty());
  EXPECT_EQ(queue.front().validBytes, landed);
}

TEST(CpAsyncQueue, EmptyGroupsCount) {
  CpAsyncQueue queue;
  queue.commit();
  queue.commit();
  EXPECT_EQ(queue.committedGroups(), 2u);
  EXPECT_TRUE(queue.empty());
  queue.retireGroup([](const CpAsyncCopy &) { FAIL(); });
  EXPECT_EQ(queue.committedGroups(), 1u);
}

TEST(CpAsyncQueue, TakenCopiesLeaveEmptyGroups) {
  CpAsyncQueue queue;
  queue.add(copyNumber(0));
  queue.commit();
  queue.add(copyNumber(1));
  queue.commit();
  queue.retireGroup([](const CpAsyncCopy &) {});
  queue.add(copyNumber(2));
  std::vector<CpAsyncCopy> taken = queue.takeAll();
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[0].validBytes, 1);
  EXPECT_EQ(taken[1].validBytes, 2);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.committedGroups(), 1u);
  queue.retireGroup([](const CpAsyncCopy &) { FAIL(); });
  queue.add(copyNumber(3));
  queue.commit();
  queue.retireGroup(
      [](const CpAsyncCopy &copy) { EXPECT_EQ(copy.validBytes, 3); });
  EXPECT_TRUE(queue.empty());
}
