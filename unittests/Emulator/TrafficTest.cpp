//===- TrafficTest.cpp - tests of the counting of traffic -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sectors and passes of known access patterns.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Memory/Traffic.h"

#include <gtest/gtest.h>

using namespace convmlir;
using namespace convmlir::emu;

namespace {

constexpr uint32_t kAllLanes = ~uint32_t(0);

/// Counts one warp-wide access; lane l accesses address(l).
template <typename Address>
EmulatorCounters countWarp(TrafficKind kind, uint32_t bytes, Address address) {
  TrafficLog log;
  log.reset(1);
  EmulatorCounters counters;
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    log.record(kind, 0, lane, address(lane), bytes, kAllLanes, counters);
  return counters;
}

uint64_t sectors(uint32_t bytes, uint64_t stride, uint64_t start = 0) {
  return countWarp(TrafficKind::GlobalLoad, bytes,
                   [&](unsigned lane) { return start + lane * stride; })
      .globalLoadSectors;
}

uint64_t passes(uint32_t bytes, uint64_t stride) {
  return countWarp(TrafficKind::Shared, bytes,
                   [&](unsigned lane) { return lane * stride; })
      .sharedWavefronts;
}

} // namespace

TEST(Traffic, Sectors) {
  EXPECT_EQ(sectors(4, 4), 4u);
  EXPECT_EQ(sectors(4, 4, /*start=*/4), 5u);
  EXPECT_EQ(sectors(16, 16), 16u);
  EXPECT_EQ(sectors(2, 2), 2u);
  EXPECT_EQ(sectors(4, 0), 1u);
  EXPECT_EQ(sectors(4, 128), 32u);
}

TEST(Traffic, SharedPasses) {
  EXPECT_EQ(passes(4, 4), 1u);
  EXPECT_EQ(passes(4, 0), 1u);    // A broadcast.
  EXPECT_EQ(passes(4, 8), 2u);    // Two-way conflict.
  EXPECT_EQ(passes(4, 128), 32u); // All lanes in one bank.
  EXPECT_EQ(passes(4, 132), 1u);  // The same, padded.
  EXPECT_EQ(passes(2, 2), 1u);    // Two lanes share a word.
  EXPECT_EQ(passes(16, 16), 4u);  // 512 bytes take four passes at best.
  EXPECT_EQ(passes(16, 128), 32u);
}

TEST(Traffic, LanesRunOneAfterAnother) {
  TrafficLog log;
  log.reset(1);
  EmulatorCounters counters;
  // Each lane executes the load three times before the next lane starts.
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    for (unsigned i = 0; i < 3; ++i)
      log.record(TrafficKind::GlobalLoad, 0, lane, 4096 * i + 4 * lane, 4,
                 kAllLanes, counters);
  EXPECT_EQ(counters.globalLoadSectors, 12u);
}

TEST(Traffic, FlushCountsPartialRequests) {
  TrafficLog log;
  log.reset(1);
  EmulatorCounters counters;
  for (unsigned lane = 0; lane < 16; ++lane)
    log.record(TrafficKind::GlobalStore, 0, lane, 4 * lane, 4, kAllLanes,
               counters);
  EXPECT_EQ(counters.globalStoreSectors, 0u);
  log.flush(counters);
  EXPECT_EQ(counters.globalStoreSectors, 2u);
  // After the flush all lanes meet again in one request.
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    log.record(TrafficKind::GlobalStore, 0, lane, 4 * lane, 4, kAllLanes,
               counters);
  EXPECT_EQ(counters.globalStoreSectors, 6u);
}

TEST(Traffic, LongDivergenceStaysBounded) {
  TrafficLog log;
  log.reset(1);
  EmulatorCounters counters;
  for (unsigned i = 0; i < 1000; ++i)
    log.record(TrafficKind::GlobalLoad, 0, /*lane=*/0, 4096 * i, 4, kAllLanes,
               counters);
  log.flush(counters);
  EXPECT_EQ(counters.globalLoadSectors, 1000u);
}
