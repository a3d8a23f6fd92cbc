//===- ExecutorTest.cpp - runs on the fake CUDA driver --------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/Executor.h"
#include "conv/Runtime/CudaDevice.h"
#include "conv/Runtime/TensorInput.h"

#include "TestFiles.h"
#include "TestKernels.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>

using namespace convmlir;
using namespace convmlir::test;

namespace {

Tensor input(const Plan &plan, size_t index, const char *spec) {
  const PlanBuffer &buffer = plan.buffers[index];
  return *makeInput(*parseInputSpec(spec), buffer.type, buffer.shape, index);
}

class ExecutorTest : public testing::Test {
protected:
  void SetUp() override {
    Result<std::unique_ptr<Device>> opened =
        openCudaDevice(0, FAKE_CUDA_DRIVER);
    ASSERT_TRUE(opened) << opened.error();
    device = std::move(*opened);
  }

  /// An executor with random arguments.
  std::unique_ptr<Executor> prepare(const Plan &plan,
                                    const ExecutorOptions &options = {}) {
    EXPECT_TRUE(validate(plan)) << validate(plan).error();
    Result<std::unique_ptr<Executor>> executor =
        Executor::create(*device, plan, options);
    EXPECT_TRUE(executor) << executor.error();
    EXPECT_TRUE((*executor)->setArgument(0, input(plan, 0, "random")));
    EXPECT_TRUE((*executor)->setArgument(1, input(plan, 1, "random")));
    return std::move(*executor);
  }
  std::string loadError(const Plan &plan) {
    EXPECT_TRUE(validate(plan)) << validate(plan).error();
    Result<std::unique_ptr<Executor>> executor =
        Executor::create(*device, plan);
    return executor ? "" : executor.error();
  }

  std::unique_ptr<Device> device;
};

TEST_F(ExecutorTest, describesTheDevice) {
  EXPECT_EQ(describe(device->info()), "Fake GPU (cuda, sm_90, 10 "
                                      "multiprocessors, 1.00 GHz, 128 GB/s)");
  EXPECT_EQ(device->info().sharedBytesPerBlock, 232448);
}

TEST_F(ExecutorTest, runsAxpy) {
  Plan plan = makeAxpyPlan(1000, 3);
  std::unique_ptr<Executor> executor = prepare(plan);
  Status status = executor->run();
  ASSERT_TRUE(status) << status.error();
  Tensor x = input(plan, 0, "random"), w = input(plan, 1, "random");
  Result<Tensor> y = executor->result(0);
  ASSERT_TRUE(y) << y.error();
  for (int64_t i = 0; i < 1000; ++i)
    ASSERT_FLOAT_EQ(y->get(i), std::fma(3, x.get(i), w.get(i)));
}

TEST_F(ExecutorTest, runsLaunchesInOrderThroughTheWorkspace) {
  Plan plan = makeReversePlan(16384, 2);
  std::unique_ptr<Executor> executor = prepare(plan);
  Status status = executor->run();
  ASSERT_TRUE(status) << status.error();
  Tensor x = input(plan, 0, "random");
  for (int64_t i = 0; i < 16384; ++i)
    ASSERT_EQ(executor->result(0)->get(i), 2 * x.get(i));
}

TEST_F(ExecutorTest, readsConstants) {
  Plan plan = makeAxpyPlan(2, 1);
  plan.buffers[1].role = BufferRole::Constant;
  plan.buffers[1].position = -1;
  plan.buffers[1].data = {0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}; // 1, 2
  Result<std::unique_ptr<Executor>> executor = Executor::create(*device, plan);
  ASSERT_TRUE(executor) << executor.error();
  ASSERT_TRUE((*executor)->setArgument(0, input(plan, 0, "ones")));
  ASSERT_TRUE((*executor)->run());
  EXPECT_EQ((*executor)->result(0)->toDoubles(), (std::vector<double>{2, 3}));
}

TEST_F(ExecutorTest, poisonsWhatIsNotWritten) {
  Plan plan = makeAxpyPlan(1000, 3);
  plan.launches[0].arguments[4] = int32_t(999);
  std::unique_ptr<Executor> executor = prepare(plan);
  ASSERT_TRUE(executor->run());
  EXPECT_FALSE(std::isnan(executor->result(0)->get(998)));
  EXPECT_TRUE(std::isnan(executor->result(0)->get(999)));
}

TEST_F(ExecutorTest, guardBandsNameTheBuffer) {
  Plan plan = makePlan(10);
  plan.launches = {makeLaunch("overrun", {BufferArgument{2, 0}, int32_t(10)})};
  EXPECT_EQ(prepare(plan)->run().error(),
            "guard band of y (result 0) was overwritten: first damaged byte is "
            "the 1. after its end, 4 bytes in all");
  plan.launches = {makeLaunch("overrun", {BufferArgument{0, 0}, int32_t(-2)})};
  EXPECT_EQ(prepare(plan)->run().error(),
            "guard band of x (argument 0) was overwritten: first damaged byte "
            "is the 8. before its start, 4 bytes in all");
}

TEST_F(ExecutorTest, emptyBuffersAndPlans) {
  Plan plan = makePlan(0);
  std::unique_ptr<Executor> executor = prepare(plan);
  EXPECT_TRUE(executor->run());
  EXPECT_EQ(executor->result(0)->elements(), 0);
}

TEST_F(ExecutorTest, refusesWrongArguments) {
  Plan plan = makeAxpyPlan(4, 1);
  Result<std::unique_ptr<Executor>> executor = Executor::create(*device, plan);
  ASSERT_TRUE(executor);
  EXPECT_EQ((*executor)->run().error(), "x (argument 0) has no value");
  EXPECT_EQ((*executor)->benchmark(1).error(), "x (argument 0) has no value");
  EXPECT_EQ((*executor)->benchmark(0).error(), "expected at least 1 run, got "
                                               "0");
  Tensor wrong = *Tensor::create(ElementType::F16, {4});
  EXPECT_EQ((*executor)->setArgument(1, wrong).error(),
            "w (argument 1): expected 4 of f32, got 4 of f16");
  EXPECT_EQ((*executor)->setArgument(2, wrong).error(),
            "argument 2 does not exist, the plan has 2");
  EXPECT_EQ((*executor)->result(-1).error(),
            "result -1 does not exist, the plan has 1");
}

TEST_F(ExecutorTest, benchmarkRotatesBeyondTheCache) {
  // Three times 4096 bytes against an L2 of 100000: 17 copies.
  Plan plan = makeAxpyPlan(1024, 1);
  Result<BenchmarkResult> times = prepare(plan)->benchmark(300);
  ASSERT_TRUE(times) << times.error();
  EXPECT_EQ(times->runs, 300);
  EXPECT_EQ(times->inputSets, 17);
  EXPECT_GT(times->minUs, 0);
  EXPECT_LE(times->minUs, times->medianUs);
  EXPECT_LE(times->medianUs, times->maxUs);
}

TEST_F(ExecutorTest, benchmarkOfOneRun) {
  Plan plan = makeAxpyPlan(8, 1);
  Result<BenchmarkResult> times = prepare(plan)->benchmark(1);
  ASSERT_TRUE(times) << times.error();
  EXPECT_EQ(times->inputSets, 1);
  EXPECT_EQ(times->minUs, times->maxUs);
}

TEST_F(ExecutorTest, faultOfAKernelIsReported) {
  Plan plan = makePlan(1);
  plan.launches = {makeLaunch("fault", {})};
  EXPECT_EQ(prepare(plan)->run().error(),
            "CUDA: cannot finish the kernels: CUDA_ERROR_ILLEGAL_ADDRESS");
}

TEST_F(ExecutorTest, clusterLaunch) {
  Plan plan = makeAxpyPlan(1024, 2);
  plan.launches[0].cluster = {2, 1, 1};
  EXPECT_TRUE(prepare(plan)->run());
}

TEST_F(ExecutorTest, takesTheFirstImageThatLoads) {
  Plan plan = makeAxpyPlan(4, 1);
  plan.images.push_back({ImageKind::Cubin, toBytes("WRONG ARCH")});
  plan.images.push_back({ImageKind::Nvvm, toBytes("module {}")});
  plan.launches[0].images = {2, 1, 0};
  EXPECT_TRUE(prepare(plan)->run());
}

TEST_F(ExecutorTest, saysWhyNoImageLoads) {
  Plan plan = makeAxpyPlan(4, 1);
  plan.images = {{ImageKind::Cubin, toBytes("WRONG ARCH")},
                 {ImageKind::Ptx, toBytes("BAD PTX")},
                 {ImageKind::Ptx, toBytes("nothing")}};
  plan.launches[0].images = {0, 1, 2};
  EXPECT_EQ(loadError(plan),
            "no image of kernel 'axpy', compiled for sm_80, runs on Fake GPU "
            "(cuda, sm_90, 10 multiprocessors, 1.00 GHz, 128 GB/s); CUDA: "
            "cannot load a cubin: CUDA_ERROR_NO_BINARY_FOR_GPU; CUDA: cannot "
            "load a ptx: error 218: line 1; fatal: bad; CUDA: cannot find the "
            "kernel 'axpy': error 500");
  plan.images = {{ImageKind::Nvvm, toBytes("module {}")}};
  plan.launches[0].images = {0};
  EXPECT_TRUE(contains(loadError(plan), "neither cubin nor PTX"));
}

TEST_F(ExecutorTest, checksParametersAndSharedMemory) {
  Plan plan = makeAxpyPlan(4, 1);
  plan.launches[0].arguments.pop_back();
  EXPECT_EQ(loadError(plan), "kernel 'axpy' takes more than the 4 parameters "
                             "of the plan");
  plan.launches[0].arguments.resize(6, int32_t(0));
  EXPECT_EQ(loadError(plan),
            "kernel 'axpy' takes 5 parameters, the plan gives 6");
  plan.launches[0].arguments.resize(5);
  plan.launches[0].arguments[3] = 1.0;
  EXPECT_EQ(loadError(plan), "parameter 3 of kernel 'axpy' has 4 bytes, the "
                             "plan gives 8");
  plan = makeAxpyPlan(4, 1);
  plan.launches[0].dynamicSharedBytes = 250 * 1024;
  EXPECT_TRUE(contains(loadError(plan), "cannot give 256000 bytes of shared "
                                        "memory to 'axpy' (the device has "
                                        "232448 per block)"));
}

TEST_F(ExecutorTest, allocationFailureNamesTheBuffer) {
  Plan plan = makePlan(int64_t(1) << 29);
  EXPECT_EQ(loadError(plan), "CUDA: cannot allocate 2147491840 bytes for x "
                             "(argument 0): error 2");
}

TEST(CudaDriver, absentLibrary) {
  Result<std::unique_ptr<Device>> device =
      openCudaDevice(0, "libno-such-driver.so.1");
  ASSERT_FALSE(device);
  EXPECT_TRUE(device.error().starts_with(
      "no CUDA driver: cannot open libno-such-driver.so.1 ("));
}

TEST(CudaDriver, libraryOfSomethingElse) {
  EXPECT_EQ(openCudaDevice(0, "libc.so.6").error(),
            "the CUDA driver libc.so.6 is too old: it has no function cuInit");
}

TEST(CudaDriver, noDevice) {
  EXPECT_EQ(openCudaDevice(1, FAKE_CUDA_DRIVER).error(),
            "CUDA device 1 does not exist, the driver has 1");
  ::setenv("CONV_MLIR_FAKE_CUDA_INIT", "100", 1);
  std::string error = openCudaDevice(0, FAKE_CUDA_DRIVER).error();
  ::unsetenv("CONV_MLIR_FAKE_CUDA_INIT");
  EXPECT_EQ(error, "CUDA: cannot start the driver: CUDA_ERROR_NO_DEVICE (no "
                   "CUDA-capable device is detected)");
}

} // namespace
