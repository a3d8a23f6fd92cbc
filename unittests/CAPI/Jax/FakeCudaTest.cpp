//===- FakeCudaTest.cpp - XLA's handler of CUDA ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs with a libcuda.so.1 that is the fake driver, which ctest puts into
// LD_LIBRARY_PATH. The handler of the CPU is tested from Python.
//
//===----------------------------------------------------------------------===//

#include "../Handle.h"
#include "Call.h"
#include "TestKernels.h"
#include "conv/Runtime/PlanFile.h"

#include <dlfcn.h>

using namespace convmlir;
using namespace convmlir::test;

namespace {

/// Puts a plan into the table.
void add(const char *name, const Plan &plan) {
  Result<Bytes> bytes = serialisePlan(plan);
  ASSERT_TRUE(bytes) << bytes.error();
  convmlir_plan *handle = nullptr;
  ASSERT_EQ(convmlir_plan_parse(bytes->data(), bytes->size(), &handle),
            CONVMLIR_OK)
      << convmlir_last_error();
  EXPECT_EQ(convmlir_jax_add_plan(name, handle), CONVMLIR_OK);
  convmlir_plan_destroy(handle);
}

/// Waits for the fake device's queue.
void wait() {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  ASSERT_TRUE(driver) << dlerror();
  reinterpret_cast<int (*)(void *)>(dlsym(driver, "cuStreamSynchronize"))(
      nullptr);
}

std::string initialise(const char *plan) {
  return Call(plan, jax::Stage::Initialise).run(convmlir_jax_launch, 0);
}

/// Memory of floats that starts at a multiple of 16.
struct alignas(16) Floats {
  float values[16] = {};
};

TEST(JaxOnCuda, saysThatCallsCanBeRecorded) {
  jax::Metadata metadata{};
  metadata.size = sizeof metadata;
  jax::MetadataExtension extension{
      {sizeof extension, jax::ExtensionKind::Metadata, nullptr}, &metadata};
  jax::CallFrame frame{};
  frame.extensions = &extension.base;
  EXPECT_EQ(convmlir_jax_launch(&frame), nullptr);
  EXPECT_EQ(metadata.version.minor, jax::kVersionMinor);
  EXPECT_EQ(metadata.traits, jax::kIsRecordable);
  EXPECT_EQ(convmlir_jax_emulate(&frame), nullptr);
  EXPECT_EQ(metadata.traits, 0u);
}

TEST(JaxOnCuda, loadsFirstAndLaunchesThen) {
  add("axpy", makeAxpyPlan(4, 3));
  Floats x{{1, 2, 3, 4}}, w{{10, 10, 10, 10}}, y;
  std::vector<int64_t> shape{4};
  Call call("axpy", jax::Stage::Execute);
  for (Floats *floats : {&x, &w, &y})
    call.add(jax::DataType::F32, floats->values, shape);
  EXPECT_EQ(call.run(convmlir_jax_launch, 2),
            "conv_mlir: axpy: the plan is not loaded on device 0");
  EXPECT_EQ(Call::lastCode(), jax::ErrorCode::Internal);
  EXPECT_EQ(initialise("axpy"), "");
  EXPECT_EQ(initialise("axpy"), "");
  EXPECT_EQ(call.run(convmlir_jax_launch, 2), "");
  wait();
  EXPECT_EQ(y.values[3], 22);
}

TEST(JaxOnCuda, theWorkspaceIsTheLastResult) {
  add("reverse", makeReversePlan(16, 2));
  EXPECT_EQ(initialise("reverse"), "");
  Floats x{{1}}, w, y;
  alignas(16) char workspace[256];
  std::vector<int64_t> shape{16};
  for (int64_t bytes : {256, 255, 0}) {
    Call call("reverse", jax::Stage::Execute);
    for (Floats *floats : {&x, &w, &y})
      call.add(jax::DataType::F32, floats->values, shape);
    if (bytes)
      call.addBytes(workspace, bytes);
    std::string expected =
        bytes == 256 ? ""
                     : "conv_mlir: reverse: workspace: expected 256 bytes, "
                       "got " +
                           std::to_string(bytes);
    EXPECT_EQ(call.run(convmlir_jax_launch, 2), expected);
  }
  wait();
  EXPECT_EQ(y.values[0], 2);
}

TEST(JaxOnCuda, checksBuffers) {
  add("checked", makeAxpyPlan(4, 3));
  EXPECT_EQ(initialise("checked"), "");
  Floats memory;
  std::vector<int64_t> right{4}, wrong{2, 2};
  Call call("checked", jax::Stage::Execute);
  for (std::vector<int64_t> *shape : {&right, &wrong, &right})
    call.add(jax::DataType::F32, memory.values, *shape);
  EXPECT_EQ(call.run(convmlir_jax_launch, 2),
            "conv_mlir: checked: buffer 1 has not the type and shape of w");
  EXPECT_EQ(Call::lastCode(), jax::ErrorCode::InvalidArgument);
}

TEST(JaxOnCuda, plansAreAddedOnce) {
  add("twice", makeAxpyPlan(4, 3));
  add("twice", makeReversePlan(16, 2));
  EXPECT_EQ(initialise("twice"), "");
  Floats x{{1, 2, 3, 4}}, w, y;
  std::vector<int64_t> shape{4};
  Call call("twice", jax::Stage::Execute);
  for (Floats *floats : {&x, &w, &y})
    call.add(jax::DataType::F32, floats->values, shape);
  EXPECT_EQ(call.run(convmlir_jax_launch, 2), "");
  wait();
  EXPECT_EQ(y.values[0], 3);
}

TEST(JaxOnCuda, refusesWhatIsMissing) {
  EXPECT_EQ(convmlir_jax_add_plan(nullptr, nullptr), CONVMLIR_BAD_INPUT);
  EXPECT_EQ(convmlir_jax_add_plan("nothing", nullptr), CONVMLIR_BAD_INPUT);
  EXPECT_EQ(initialise("absent"),
            "conv_mlir: no plan named 'absent' in this process: it is made "
            "where JAX lowers the program");
  EXPECT_EQ(Call::lastCode(), jax::ErrorCode::NotFound);
}

} // namespace
