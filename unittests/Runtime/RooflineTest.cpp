//===- RooflineTest.cpp - peaks against data sheets -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/Roofline.h"

#include "gtest/gtest.h"

using namespace convmlir;

namespace {

DeviceInfo makeInfo(int64_t major, int64_t minor, int64_t multiprocessors,
                    double clockHz, double bandwidth) {
  DeviceInfo info;
  info.capabilityMajor = major;
  info.capabilityMinor = minor;
  info.multiprocessors = multiprocessors;
  info.clockHz = clockHz;
  info.memoryBytesPerSecond = bandwidth;
  return info;
}

/// TFLOP/s of a type.
double peak(const DeviceInfo &info, ElementType type) {
  return 1e-6 / (computeRoofline(info, type, 1000000, 0)->computeUs * 1e-6);
}

TEST(Roofline, agreesWithDataSheets) {
  DeviceInfo a100 = makeInfo(8, 0, 108, 1.41e9, 1.555e12);
  EXPECT_NEAR(peak(a100, ElementType::BF16), 312, 1);
  EXPECT_NEAR(peak(a100, ElementType::TF32), 156, 1);
  EXPECT_NEAR(peak(a100, ElementType::S8), 624, 2);
  EXPECT_NEAR(peak(a100, ElementType::F64), 19.5, 0.1);
  EXPECT_NEAR(peak(a100, ElementType::F32), 19.5, 0.1);
  DeviceInfo h100 = makeInfo(9, 0, 132, 1.83e9, 3.35e12);
  EXPECT_NEAR(peak(h100, ElementType::F16), 989, 2);
  EXPECT_NEAR(peak(h100, ElementType::E4M3), 1979, 3);
}

TEST(Roofline, boundIsTheLargerOfBoth) {
  DeviceInfo info = makeInfo(9, 0, 100, 1e9, 1e12); // 409.6 TFLOP/s, 1 TB/s.
  Roofline roofline =
      *computeRoofline(info, ElementType::F16, 4096000000, 1000000);
  EXPECT_DOUBLE_EQ(roofline.computeUs, 10);
  EXPECT_DOUBLE_EQ(roofline.memoryUs, 1);
  EXPECT_DOUBLE_EQ(roofline.boundUs(), 10);
}

TEST(Roofline, unknownIsNothing) {
  EXPECT_FALSE(peakOperationsPerCycle(7, 5, ElementType::F16));
  EXPECT_FALSE(peakOperationsPerCycle(8, 0, ElementType::E4M3));
  EXPECT_FALSE(peakOperationsPerCycle(9, 0, ElementType::S32));
  EXPECT_FALSE(computeRoofline(DeviceInfo{}, ElementType::F16, 1, 1));
  DeviceInfo noBandwidth = makeInfo(9, 0, 132, 1.83e9, 0);
  EXPECT_FALSE(computeRoofline(noBandwidth, ElementType::F16, 1, 1));
}

} // namespace
