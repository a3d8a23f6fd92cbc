//===- DeviceRegistryTest.cpp - devices by name ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/DeviceRegistry.h"

#include "gtest/gtest.h"

using namespace convmlir;

namespace {

/// Kinds "gpu", of which there is none, and "cpu", whose factory records what
/// it was asked for and returns no device, as a value.
class DeviceRegistryTest : public testing::Test {
protected:
  void SetUp() override {
    registry.add("gpu", [](int64_t) -> Result<std::unique_ptr<Device>> {
      return Error{"no GPU"};
    });
    registry.add("cpu",
                 [this](int64_t number) -> Result<std::unique_ptr<Device>> {
                   opened = number;
                   return std::unique_ptr<Device>();
                 });
  }

  DeviceRegistry registry;
  int64_t opened = -1;
};

TEST_F(DeviceRegistryTest, autoTakesTheFirstThatOpens) {
  EXPECT_TRUE(registry.open("auto"));
  EXPECT_EQ(opened, 0);
}

TEST_F(DeviceRegistryTest, numbers) {
  EXPECT_TRUE(registry.open("cpu:7"));
  EXPECT_EQ(opened, 7);
  EXPECT_EQ(registry.open("gpu").error(), "no GPU");
}

TEST_F(DeviceRegistryTest, refusesEverythingElse) {
  EXPECT_EQ(registry.open("tpu").error(), "bad device 'tpu': expected one of "
                                          "auto, gpu, cpu, optionally with "
                                          "':N'");
  for (const char *spec : {"", "cpu:", "cpu:x", "cpu:-1", "cpu:1x", "auto:0",
                           "cpu:99999999999999999999"})
    EXPECT_FALSE(registry.open(spec)) << spec;
  EXPECT_EQ(DeviceRegistry().open("auto").error(), "no device: ");
}

} // namespace
