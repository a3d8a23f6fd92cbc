//===- TournamentTest.cpp - who wins a tournament -------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a device of which every run lasts as long as a test says.
//
//===----------------------------------------------------------------------===//

#include "conv/Tuning/Tournament.h"
#include "conv/Runtime/CudaDevice.h"
#include "conv/Runtime/TensorInput.h"

#include "../Runtime/TestFiles.h"
#include "../Runtime/TestKernels.h"

#include "gtest/gtest.h"

#include <cstring>
#include <map>

using namespace convmlir;
using namespace convmlir::test;

namespace {

/// Runs take `plan.compileMs` microseconds. Those of the first measurement, and
/// all others, can be made to take longer.
class ClockDevice : public Device {
public:
  const DeviceInfo &info() const override { return description; }
  Result<DeviceAddress> allocate(int64_t bytes, const std::string &) override {
    return reinterpret_cast<DeviceAddress>(new char[bytes + 1]);
  }
  Status free(DeviceAddress address) override {
    delete[] reinterpret_cast<char *>(address);
    return {};
  }
  Status copyToDevice(DeviceAddress to,
                      std::span<const uint8_t> from) override {
    if (!from.empty())
      std::memcpy(reinterpret_cast<void *>(to), from.data(), from.size());
    return {};
  }
  Status copyToHost(std::span<uint8_t> to, DeviceAddress from) override {
    if (!to.empty())
      std::memcpy(to.data(), reinterpret_cast<void *>(from), to.size());
    return {};
  }
  Status fill(DeviceAddress address, uint8_t value, int64_t bytes) override {
    std::memset(reinterpret_cast<void *>(address), value,
                static_cast<size_t>(bytes));
    return {};
  }
  Status synchronize() override { return {}; }

  struct Loaded : LoadedPlan {
    Loaded(ClockDevice &device, const Plan &plan)
        : device(device), plan(plan) {}
    Status launch(size_t, std::span<const DeviceAddress>) override {
      if (plan.entry == "fault")
        return Error{"it faulted"};
      device.now += plan.compileMs * device.slowdown;
      return {};
    }
    ClockDevice &device;
    const Plan &plan;
  };
  Result<std::unique_ptr<LoadedPlan>> load(const Plan &plan) override {
    if (plan.entry == "broken")
      return Error{"no image can run here"};
    return std::unique_ptr<LoadedPlan>(new Loaded(*this, plan));
  }

  struct Timer : DeviceTimer {
    explicit Timer(ClockDevice &device) : device(device) {}
    Status start() override {
      begin = device.now;
      return {};
    }
    Status stop() override {
      end = device.now;
      return {};
    }
    Result<double> microseconds() override { return end - begin; }
    ClockDevice &device;
    double begin = 0, end = 0;
  };
  Result<std::unique_ptr<DeviceTimer>> createTimer() override {
    return std::unique_ptr<DeviceTimer>(new Timer(*this));
  }

  DeviceInfo description;
  double now = 0, slowdown = 1;
};

class TournamentTest : public testing::Test {
protected:
  void addPlan(double us, const char *entry = "main") {
    Plan plan = makePlan(8);
    plan.compileMs = us;
    plan.entry = entry;
    plan.launches = {makeLaunch("axpy", {})};
    plans.push_back(std::move(plan));
  }
  Result<TournamentResult>
  play(const std::function<void(size_t)> &onStep = {}) {
    std::vector<const Plan *> pointers;
    for (const Plan &plan : plans)
      pointers.push_back(&plan);
    Tensor ones = *makeInput(*parseInputSpec("ones"), ElementType::F32, {8}, 1);
    TournamentSettings settings;
    settings.sampleUs = 100;
    settings.rounds = 2;
    return runTournament(device, pointers, {ones, ones}, settings, onStep);
  }
  size_t winner() {
    Result<TournamentResult> result = play();
    EXPECT_TRUE(result) << result.error();
    return result->winner;
  }

  ClockDevice device;
  std::vector<Plan> plans;
};

TEST_F(TournamentTest, theFastestWins) {
  for (double us : {12, 11, 10, 15})
    addPlan(us);
  EXPECT_EQ(winner(), 2u);
}

TEST_F(TournamentTest, withinTheNoiseTheModelDecides) {
  for (double us : {12.0, 10.1, 10.0, 10.05})
    addPlan(us);
  EXPECT_EQ(winner(), 1u);
}

TEST_F(TournamentTest, theFirstPlanIsAlwaysInTheFinal) {
  for (double us : {30, 10, 10, 10, 10, 10, 20})
    addPlan(us);
  Result<TournamentResult> result = play();
  ASSERT_TRUE(result) << result.error();
  std::string finalists;
  for (const Standing &standing : result->standings)
    finalists += standing.isFinalist ? '1' : '0';
  EXPECT_EQ(finalists, "1111100");
  EXPECT_EQ(result->standings[0].medianUs, 30);
  EXPECT_EQ(result->standings[6].medianUs, 20);
}

TEST_F(TournamentTest, theFinalCountsAndNotTheFirstMeasurement) {
  for (double us : {10.0, 10.5, 10.6})
    addPlan(us);
  // The device was slow when it met the best plan.
  size_t steps = 0;
  Result<TournamentResult> result = play([&](size_t index) {
    device.slowdown = steps++ < 3 && index == 0 ? 2 : 1;
  });
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(result->winner, 0u);
  EXPECT_EQ(result->standings[0].medianUs, 10);
}

TEST_F(TournamentTest, roundsAlternate) {
  for (double us : {10, 10})
    addPlan(us);
  std::string order;
  ASSERT_TRUE(play([&](size_t index) { order += std::to_string(index); }));
  EXPECT_EQ(order, "01"
                   "0110");
}

TEST_F(TournamentTest, whatCannotBeLoadedIsLeftOut) {
  addPlan(1, "broken");
  addPlan(20);
  Result<TournamentResult> result = play();
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(result->winner, 1u);
  EXPECT_EQ(result->standings[0].failure, "no image can run here");
  EXPECT_FALSE(result->standings[0].medianUs);
}

TEST_F(TournamentTest, someMustBeLoaded) {
  addPlan(1, "broken");
  EXPECT_EQ(play().error(),
            "none of 1 plans can be loaded: no image can run here");
  plans.clear();
  EXPECT_EQ(play().error(), "none of 0 plans can be loaded");
}

TEST_F(TournamentTest, aDeviceThatFailsEndsIt) {
  addPlan(10);
  addPlan(10, "fault");
  plans.back().schedule = "stages=3";
  EXPECT_EQ(play().error(), "plan 1 (stages=3): it faulted");
}

TEST_F(TournamentTest, givesTheResultsOfTheWinner) {
  Result<std::unique_ptr<Device>> cuda = openCudaDevice(0, FAKE_CUDA_DRIVER);
  ASSERT_TRUE(cuda) << cuda.error();
  Plan plan = makeAxpyPlan(8, 3);
  Tensor ones = *makeInput(*parseInputSpec("ones"), ElementType::F32, {8}, 1);
  TournamentSettings settings;
  settings.sampleUs = 1;
  settings.rounds = 1;
  Result<TournamentResult> result =
      runTournament(**cuda, {&plan, &plan}, {ones, ones}, settings);
  ASSERT_TRUE(result) << result.error();
  ASSERT_EQ(result->results.size(), 1u);
  EXPECT_EQ(result->results[0].toDoubles(), std::vector<double>(8, 4));
}

} // namespace
