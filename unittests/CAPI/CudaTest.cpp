//===- CudaTest.cpp - programs on a GPU through the C API -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution compiled here and launched on memory and a stream of this
// program, at once and out of a captured graph. Skips itself without a GPU.
//
//===----------------------------------------------------------------------===//

#include "conv-c/Cuda.h"
#include "Handle.h"

#include <dlfcn.h>

#include <vector>

using namespace convmlir::test;

namespace {

using Address = unsigned long long;
using Handle = void *;

/// 1, 2 and 32 in f16.
constexpr uint16_t one = 0x3c00, two = 0x4000, thirtyTwo = 0x5000;

class CCudaDevice : public testing::Test {
protected:
  void SetUp() override {
    convmlir_device device{};
    device.size = sizeof device;
    if (convmlir_device_describe(0, &device) != CONVMLIR_OK)
      GTEST_SKIP() << convmlir_last_error();
    if (device.capability_major < 8)
      GTEST_SKIP() << device.name << " is older than sm_80";
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    ASSERT_TRUE(driver) << dlerror();
    call("cuDevicePrimaryCtxRetain", &context, 0);
    call("cuCtxSetCurrent", context);
    call("cuStreamCreate", &stream, 1);
    compile(device.best_target);
  }
  void TearDown() override {
    convmlir_program_destroy(program);
    for (Address address : {x, w, y})
      if (address)
        call("cuMemFree_v2", address);
  }

  /// A function of the driver, which must succeed.
  template <typename... Arguments>
  void call(const char *name, Arguments... arguments) {
    auto *function =
        reinterpret_cast<int (*)(Arguments...)>(dlsym(driver, name));
    ASSERT_TRUE(function) << name;
    ASSERT_EQ(function(arguments...), 0) << name;
  }

  void compile(const char *target) {
    convmlir_compile_options options{};
    options.size = sizeof options;
    options.target = target;
    convmlir_plan *plan = nullptr;
    ASSERT_EQ(
        convmlir_compile_problem(
            "forward n=2 c=16 h=9 w=7 k=24 r=1 s=1 type=f16", &options, &plan),
        CONVMLIR_OK)
        << convmlir_last_error();
    PlanHandle owner(plan);
    ASSERT_EQ(convmlir_program_load(plan, 0, &program), CONVMLIR_OK)
        << convmlir_last_error();
    x = upload(std::vector<uint16_t>(2 * 9 * 7 * 16, one));
    w = upload(std::vector<uint16_t>(24 * 16, two));
    y = upload(std::vector<uint16_t>(results, 0));
  }

  Address upload(const std::vector<uint16_t> &values) {
    Address address = 0;
    size_t bytes = values.size() * sizeof values[0];
    call("cuMemAlloc_v2", &address, bytes);
    call("cuMemcpyHtoD_v2", address, static_cast<const void *>(values.data()),
         bytes);
    return address;
  }

  convmlir_status launch() {
    void *operands[] = {reinterpret_cast<void *>(x),
                        reinterpret_cast<void *>(w),
                        reinterpret_cast<void *>(y)};
    return convmlir_program_launch(program, operands, 3, nullptr, 0, stream);
  }

  std::vector<uint16_t> download() {
    std::vector<uint16_t> values(results);
    call("cuStreamSynchronize", stream);
    call("cuMemcpyDtoH_v2", static_cast<void *>(values.data()), y, 2 * results);
    return values;
  }

  static constexpr size_t results = 2 * 9 * 7 * 24;
  Handle driver = nullptr, context = nullptr, stream = nullptr;
  convmlir_program *program = nullptr;
  Address x = 0, w = 0, y = 0;
};

TEST_F(CCudaDevice, launchesOnTheCallersStream) {
  ASSERT_EQ(launch(), CONVMLIR_OK) << convmlir_last_error();
  EXPECT_EQ(download(), std::vector<uint16_t>(results, thirtyTwo));
}

/// Capturing fails where a launch allocates, copies or waits.
TEST_F(CCudaDevice, launchesCanBeCaptured) {
  Handle graph = nullptr, executable = nullptr;
  call("cuStreamBeginCapture_v2", stream, 0);
  ASSERT_EQ(launch(), CONVMLIR_OK) << convmlir_last_error();
  call("cuStreamEndCapture", stream, &graph);
  EXPECT_EQ(download(), std::vector<uint16_t>(results, 0));
  call("cuGraphInstantiateWithFlags", &executable, graph, 0ULL);
  call("cuGraphLaunch", executable, stream);
  EXPECT_EQ(download(), std::vector<uint16_t>(results, thirtyTwo));
}

} // namespace
