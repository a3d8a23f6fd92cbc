//===- CudaDeviceTest.cpp - kernels on a GPU ------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same plans as ExecutorTest.cpp, on the first CUDA device. Skipped where
// there is none.
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/CudaDevice.h"
#include "conv/Runtime/Executor.h"
#include "conv/Runtime/TensorInput.h"

#include "TestFiles.h"
#include "TestKernels.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace convmlir;
using namespace convmlir::test;

namespace {

Tensor input(const Plan &plan, size_t index) {
  const PlanBuffer &buffer = plan.buffers[index];
  return *makeInput(InputSpec{}, buffer.type, buffer.shape, index);
}

class CudaDeviceTest : public testing::Test {
protected:
  void SetUp() override {
    Result<std::unique_ptr<Device>> opened = openCudaDevice(0);
    if (!opened)
      GTEST_SKIP() << opened.error();
    device = std::move(*opened);
    if (device->info().capabilityMajor < 8)
      GTEST_SKIP() << describe(device->info()) << " is older than sm_80";
  }

  std::unique_ptr<Executor> prepare(const Plan &plan) {
    Result<std::unique_ptr<Executor>> executor =
        Executor::create(*device, plan);
    if (!executor) {
      ADD_FAILURE() << executor.error();
      return nullptr;
    }
    EXPECT_TRUE((*executor)->setArgument(0, input(plan, 0)));
    EXPECT_TRUE((*executor)->setArgument(1, input(plan, 1)));
    return std::move(*executor);
  }

  std::unique_ptr<Device> device;
};

TEST_F(CudaDeviceTest, tellsWhatBoundsIt) {
  const DeviceInfo &info = device->info();
  EXPECT_FALSE(info.name.empty());
  EXPECT_GT(info.multiprocessors, 0);
  EXPECT_GT(info.clockHz, 5e8);
  EXPECT_GT(info.memoryBytesPerSecond, 5e10);
  EXPECT_GT(info.l2Bytes, 1 << 20);
  EXPECT_GE(info.sharedBytesPerBlock, 99 * 1024);
  RecordProperty("device", describe(info));
}

TEST_F(CudaDeviceTest, runsAxpyFromPtx) {
  Plan plan = makeAxpyPlan(1000, 3);
  std::unique_ptr<Executor> executor = prepare(plan);
  ASSERT_TRUE(executor);
  Status status = executor->run();
  ASSERT_TRUE(status) << status.error();
  Tensor x = input(plan, 0), w = input(plan, 1);
  Result<Tensor> y = executor->result(0);
  ASSERT_TRUE(y) << y.error();
  for (int64_t i = 0; i < 1000; ++i)
    ASSERT_FLOAT_EQ(y->get(i), std::fma(3, x.get(i), w.get(i)));
}

/// 64 KiB of dynamic shared memory must be opted in; scalars of 8 bytes.
TEST_F(CudaDeviceTest, runsTwoLaunchesWithLargeSharedMemory) {
  Plan plan = makeReversePlan(16384, 2);
  std::unique_ptr<Executor> executor = prepare(plan);
  ASSERT_TRUE(executor);
  Status status = executor->run();
  ASSERT_TRUE(status) << status.error();
  Tensor x = input(plan, 0);
  Result<Tensor> y = executor->result(0);
  for (int64_t i = 0; i < 16384; ++i)
    ASSERT_EQ(y->get(i), 2 * x.get(i));
}

TEST_F(CudaDeviceTest, poisonsWhatIsNotWritten) {
  Plan plan = makeAxpyPlan(1000, 3);
  plan.launches[0].arguments[4] = int32_t(999);
  std::unique_ptr<Executor> executor = prepare(plan);
  ASSERT_TRUE(executor);
  ASSERT_TRUE(executor->run());
  EXPECT_FALSE(std::isnan(executor->result(0)->get(998)));
  EXPECT_TRUE(std::isnan(executor->result(0)->get(999)));
}

TEST_F(CudaDeviceTest, guardBandsNameTheBuffer) {
  Plan plan = makePlan(10);
  plan.launches = {makeLaunch("overrun", {BufferArgument{2, 0}, int32_t(10)})};
  std::unique_ptr<Executor> executor = prepare(plan);
  ASSERT_TRUE(executor);
  EXPECT_EQ(executor->run().error(),
            "guard band of y (result 0) was overwritten: first damaged byte is "
            "the 1. after its end, 4 bytes in all");
}

TEST_F(CudaDeviceTest, benchmarkComesFromMemory) {
  // 12 MiB per run: at least the time that the bandwidth of the memory allows.
  Plan plan = makeAxpyPlan(1 << 20, 1);
  std::unique_ptr<Executor> executor = prepare(plan);
  ASSERT_TRUE(executor);
  Result<BenchmarkResult> times = executor->benchmark(200);
  ASSERT_TRUE(times) << times.error();
  double boundUs = 12.0 * (1 << 20) / device->info().memoryBytesPerSecond * 1e6;
  EXPECT_EQ(times->runs, 200);
  EXPECT_GE(times->inputSets, 2);
  EXPECT_GT(times->medianUs, 0.9 * boundUs);
  EXPECT_LT(times->medianUs, 20 * boundUs);
  RecordProperty("median_us", std::to_string(times->medianUs));
}

TEST_F(CudaDeviceTest, badPtxGivesTheLineOfTheCompiler) {
  Plan plan = makeAxpyPlan(4, 1);
  plan.images[0].data = toBytes(".version 7.0\n.target sm_80\nnonsense\n");
  Result<std::unique_ptr<Executor>> executor = Executor::create(*device, plan);
  ASSERT_FALSE(executor);
  EXPECT_TRUE(contains(executor.error(), "CUDA_ERROR_INVALID_PTX"));
  EXPECT_TRUE(contains(executor.error(), "line 3"));
}

TEST_F(CudaDeviceTest, absentKernelAndWrongParameters) {
  Plan plan = makeAxpyPlan(4, 1);
  plan.launches[0].kernel = "axpby";
  Result<std::unique_ptr<Executor>> executor = Executor::create(*device, plan);
  ASSERT_FALSE(executor);
  EXPECT_TRUE(contains(executor.error(), "cannot find the kernel 'axpby'"));
}

} // namespace
