//===- FakeCudaTest.cpp - programs through the C API ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs with a libcuda.so.1 that is the fake driver, which ctest puts into
// LD_LIBRARY_PATH.
//
//===----------------------------------------------------------------------===//

#include "Handle.h"
#include "TestKernels.h"
#include "conv-c/Cuda.h"
#include "conv/Runtime/PlanFile.h"

#include <dlfcn.h>

using namespace convmlir::test;

namespace {

PlanHandle load(const convmlir::Plan &plan) {
  convmlir::Result<convmlir::Bytes> bytes = serialisePlan(plan);
  EXPECT_TRUE(bytes) << bytes.error();
  convmlir_plan *handle = nullptr;
  EXPECT_EQ(convmlir_plan_parse(bytes->data(), bytes->size(), &handle),
            CONVMLIR_OK)
      << convmlir_last_error();
  return PlanHandle(handle);
}

/// Waits for the fake device's queue.
void wait() {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  ASSERT_TRUE(driver) << dlerror();
  reinterpret_cast<int (*)(void *)>(dlsym(driver, "cuStreamSynchronize"))(
      nullptr);
}

TEST(CCuda, describesTheDevice) {
  convmlir_device device{};
  device.size = sizeof device;
  ASSERT_EQ(convmlir_device_describe(0, &device), CONVMLIR_OK)
      << convmlir_last_error();
  EXPECT_STREQ(device.name, "Fake GPU");
  EXPECT_STREQ(device.target, "sm_90");
  EXPECT_EQ(std::string(device.best_target).substr(0, 5), "sm_90");
  EXPECT_EQ(device.multiprocessors, 10);
  EXPECT_EQ(convmlir_device_describe(3, &device), CONVMLIR_DEVICE_FAILED);
  EXPECT_STREQ(convmlir_last_error(),
               "CUDA device 3 does not exist, the driver has 1");
}

TEST(CCuda, boundsOfTheDevice) {
  convmlir_device device{};
  device.size = sizeof device;
  ASSERT_EQ(convmlir_device_describe(0, &device), CONVMLIR_OK);
  double compute = 0, memory = 0;
  // 4096 operations on 10 multiprocessors at 1 GHz; 128 GB/s.
  ASSERT_EQ(convmlir_device_bound(&device, "bf16", 4096000000, 128000, &compute,
                                  &memory),
            CONVMLIR_OK);
  EXPECT_DOUBLE_EQ(compute, 100);
  EXPECT_DOUBLE_EQ(memory, 1);
  device.clock_hz = 0;
  ASSERT_EQ(convmlir_device_bound(&device, "bf16", 1, 1, &compute, &memory),
            CONVMLIR_OK);
  EXPECT_EQ(compute, 0);
  EXPECT_EQ(convmlir_device_bound(&device, "f17", 1, 1, &compute, &memory),
            CONVMLIR_BAD_INPUT);
}

TEST(CCuda, programsOutliveTheirPlan) {
  PlanHandle plan = load(makeAxpyPlan(4, 3));
  convmlir_program *program = nullptr;
  ASSERT_EQ(convmlir_program_load(plan.get(), 0, &program), CONVMLIR_OK)
      << convmlir_last_error();
  plan.reset();
  alignas(16) float x[4] = {1, 2, 3, 4}, w[4] = {10, 10, 10, 10}, y[4] = {};
  void *operands[] = {x, w, y};
  ASSERT_EQ(convmlir_program_launch(program, operands, 3, nullptr, 0, nullptr),
            CONVMLIR_OK)
      << convmlir_last_error();
  wait();
  EXPECT_EQ(y[3], 22);
  convmlir_program_destroy(program);
}

TEST(CCuda, workspaceIsTheCallers) {
  PlanHandle plan = load(makeReversePlan(16, 2));
  EXPECT_EQ(describe(plan).workspace_bytes, 256);
  convmlir_program *program = nullptr;
  ASSERT_EQ(convmlir_program_load(plan.get(), 0, &program), CONVMLIR_OK);
  alignas(16) float x[16] = {1}, w[16], y[16] = {}, workspace[64];
  void *operands[] = {x, w, y};
  EXPECT_EQ(
      convmlir_program_launch(program, operands, 3, workspace, 255, nullptr),
      CONVMLIR_BAD_INPUT);
  EXPECT_STREQ(convmlir_last_error(), "workspace: expected 256 bytes, got 255");
  ASSERT_EQ(
      convmlir_program_launch(program, operands, 3, workspace, 256, nullptr),
      CONVMLIR_OK);
  wait();
  EXPECT_EQ(y[0], 2);
  convmlir_program_destroy(program);
}

TEST(CCuda, misalignedAddressesAreTheCallersFault) {
  PlanHandle plan = load(makeAxpyPlan(4, 3));
  convmlir_program *program = nullptr;
  ASSERT_EQ(convmlir_program_load(plan.get(), 0, &program), CONVMLIR_OK);
  alignas(16) char bytes[64];
  void *operands[] = {bytes, bytes + 4, bytes + 16};
  EXPECT_EQ(convmlir_program_launch(program, operands, 3, nullptr, 0, nullptr),
            CONVMLIR_BAD_INPUT);
  EXPECT_EQ(std::string(convmlir_last_error())
                .find("w (argument 1): expected a device address that is a "
                      "multiple of 16, got 0x"),
            0u);
  convmlir_program_destroy(program);
}

TEST(CCuda, codeThatDoesNotLoadIsTheDevicesFault) {
  convmlir::Plan plan = makeAxpyPlan(4, 3);
  plan.images[0].data = toBytes("WRONG ARCH");
  convmlir_program *program = nullptr;
  EXPECT_EQ(convmlir_program_load(load(plan).get(), 0, &program),
            CONVMLIR_DEVICE_FAILED);
  EXPECT_NE(std::string(convmlir_last_error()).find("no image of kernel"),
            std::string::npos);
}

} // namespace
