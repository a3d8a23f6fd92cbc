//===- CudaProgramTest.cpp - plans on the caller's streams ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/CudaProgram.h"

#include "Cuda/CudaApi.h"
#include "TestKernels.h"

#include "gtest/gtest.h"

#include <dlfcn.h>

using namespace convmlir;
using namespace convmlir::test;

namespace {

/// The calling program: it talks to the driver itself.
class CudaProgramTest : public testing::Test {
protected:
  void SetUp() override {
    library = dlopen(FAKE_CUDA_DRIVER, RTLD_NOW);
    ASSERT_TRUE(library) << dlerror();
    setContext(nullptr);
  }
  void TearDown() override { setContext(nullptr); }

  template <typename Signature> Signature *function(const char *name) {
    return reinterpret_cast<Signature *>(dlsym(library, name));
  }
  cuda::Context context() {
    cuda::Context current = nullptr;
    function<int(cuda::Context *)>("cuCtxGetCurrent")(&current);
    return current;
  }
  void setContext(cuda::Context context) {
    function<int(cuda::Context)>("cuCtxSetCurrent")(context);
  }
  int64_t heavyCalls() { return function<int64_t()>("fakeHeavyCalls")(); }
  cuda::Stream lastStream() {
    return function<cuda::Stream()>("fakeLastStream")();
  }
  int64_t lastSharedBytes() {
    return function<int64_t()>("fakeLastSharedBytes")();
  }
  bool lastAhead() { return function<bool()>("fakeLastAhead")(); }
  int64_t lastCluster() { return function<int64_t()>("fakeLastCluster")(); }
  void wait() { function<int(cuda::Stream)>("cuStreamSynchronize")(nullptr); }

  Result<std::unique_ptr<CudaProgram>> load(const Plan &plan,
                                            int64_t ordinal = 0) {
    EXPECT_TRUE(validate(plan)) << validate(plan).error();
    return CudaProgram::load(std::make_shared<Plan>(plan), ordinal,
                             FAKE_CUDA_DRIVER);
  }

  /// Binds and launches.
  Status launch(const CudaProgram &program,
                std::span<const DeviceAddress> operands,
                DeviceAddress workspace = 0, int64_t workspaceBytes = 0,
                cuda::Stream stream = nullptr) {
    Result<std::vector<DeviceAddress>> bound =
        program.bind(operands, workspace, workspaceBytes);
    return bound ? program.launch(*bound, stream) : Status(bound.takeError());
  }

  void *library = nullptr;
};

/// Memory of the caller, aligned as that of a device.
struct Memory {
  alignas(256) float values[1024] = {};
  DeviceAddress address() const {
    return reinterpret_cast<DeviceAddress>(values);
  }
};

cuda::Context foreignContext() { return reinterpret_cast<cuda::Context>(64); }
cuda::Stream someStream() { return reinterpret_cast<cuda::Stream>(128); }

TEST_F(CudaProgramTest, launchesOnTheStreamAndNothingElse) {
  Result<std::unique_ptr<CudaProgram>> program = load(makeAxpyPlan(4, 3));
  ASSERT_TRUE(program) << program.error();
  EXPECT_EQ((*program)->device().name, "Fake GPU");
  Memory x, w, y;
  for (int i = 0; i < 4; ++i) {
    x.values[i] = static_cast<float>(i);
    w.values[i] = 10;
  }
  int64_t before = heavyCalls();
  DeviceAddress operands[] = {x.address(), w.address(), y.address()};
  Status status = launch(**program, operands, 0, 0, someStream());
  ASSERT_TRUE(status) << status.error();
  EXPECT_EQ(heavyCalls(), before);
  EXPECT_EQ(lastStream(), someStream());
  wait();
  EXPECT_EQ(y.values[3], 19);
}

/// A launch of which tests vary one thing after the other.
struct LaunchCase {
  const char *what;
  void (*change)(Plan &);
  bool ahead;
};

/// A kernel that waits itself begins ahead where a run is short, and then has a
/// multiprocessor to itself: two do not fit into its shared memory. The device
/// has ten, each with 4096 operations of f16 in a cycle of 1 ns, and
/// 128 bytes/ns of memory.
TEST_F(CudaProgramTest, shortRunsBeginAhead) {
  constexpr int64_t ofBlock = 232448, ofSystem = 1024, dynamic = 2048;
  constexpr LaunchCase cases[] = {
      {"short", [](Plan &) {}, true},
      {"in clusters", [](Plan &p) { p.launches[0].cluster = {2, 1, 1}; }, true},
      {"does not wait", [](Plan &p) { p.launches[0].waits = false; }, false},
      {"does not wait, in clusters",
       [](Plan &p) {
         p.launches[0].waits = false;
         p.launches[0].cluster = {2, 1, 1};
       },
       false},
      {"as many workgroups as multiprocessors",
       [](Plan &p) { p.launches[0].grid = {1, 2, 5}; }, true},
      {"more", [](Plan &p) { p.launches[0].grid = {1, 3, 4}; }, false},
      {"3.9 us of memory", [](Plan &p) { p.leastBytes = 499'000; }, true},
      {"4.1 us of memory", [](Plan &p) { p.leastBytes = 525'000; }, false},
      {"3.9 us of products", [](Plan &p) { p.flops = 160'000'000; }, true},
      {"4.1 us of products", [](Plan &p) { p.flops = 168'000'000; }, false},
      {"4.1 us of two kernels",
       [](Plan &p) {
         p.flops = 168'000'000;
         p.launches.push_back(p.launches[0]);
       },
       true},
      {"of no known peak", [](Plan &p) { p.operandType = ElementType::S32; },
       false},
      {"more than half of the memory",
       [](Plan &p) { p.launches[0].dynamicSharedBytes = 200'000; }, true},
      {"static memory",
       [](Plan &p) { p.launches[0].staticSharedBytes = 120'000; }, true},
  };
  for (const LaunchCase &c : cases) {
    SCOPED_TRACE(c.what);
    Plan plan = makeAxpyPlan(4, 3);
    plan.operandType = ElementType::F16;
    plan.launches[0].waits = true;
    plan.launches[0].grid = {8, 1, 1};
    plan.launches[0].dynamicSharedBytes = dynamic;
    c.change(plan);
    Result<std::unique_ptr<CudaProgram>> program = load(plan);
    ASSERT_TRUE(program) << program.error();
    Memory memory;
    DeviceAddress operands[] = {memory.address(), memory.address(),
                                memory.address()};
    Status status = launch(**program, operands);
    ASSERT_TRUE(status) << status.error();
    wait();
    const PlanLaunch &last = plan.launches.back();
    EXPECT_EQ(lastAhead(), c.ahead);
    EXPECT_EQ(lastCluster(), last.cluster[0]);
    if (!c.ahead) {
      EXPECT_EQ(lastSharedBytes(), last.dynamicSharedBytes);
      continue;
    }
    int64_t bytes = lastSharedBytes() + last.staticSharedBytes;
    EXPECT_GE(lastSharedBytes(), last.dynamicSharedBytes);
    EXPECT_LE(bytes, ofBlock);
    EXPECT_GT(2 * (bytes + ofSystem), ofBlock + ofSystem);
  }
}

TEST_F(CudaProgramTest, givesTheCallerItsContextBack) {
  setContext(foreignContext());
  Memory memory;
  DeviceAddress operands[] = {memory.address(), memory.address(),
                              memory.address()};
  {
    Result<std::unique_ptr<CudaProgram>> program = load(makeAxpyPlan(4, 3));
    ASSERT_TRUE(program) << program.error();
    EXPECT_EQ(context(), foreignContext());
    ASSERT_TRUE(launch(**program, operands));
    EXPECT_EQ(context(), foreignContext());
    wait();
  }
  EXPECT_EQ(context(), foreignContext());
  EXPECT_EQ(describeCudaDevice(0, FAKE_CUDA_DRIVER)->target(), "sm_90");
  EXPECT_EQ(context(), foreignContext());
}

TEST_F(CudaProgramTest, usesTheCurrentContextWhenAsked) {
  EXPECT_EQ(load(makeAxpyPlan(4, 3), currentCudaContext).error(),
            "CUDA: no context is current on this thread");
  cuda::Context primary = nullptr;
  function<int(cuda::Context *, int)>("cuDevicePrimaryCtxRetain")(&primary, 0);
  setContext(primary);
  Result<std::unique_ptr<CudaProgram>> program =
      load(makeAxpyPlan(4, 3), currentCudaContext);
  ASSERT_TRUE(program) << program.error();
  Memory memory;
  DeviceAddress operands[] = {memory.address(), memory.address(),
                              memory.address()};
  EXPECT_TRUE(launch(**program, operands));
  wait();
}

TEST_F(CudaProgramTest, workspaceAndConstants) {
  Plan plan = makeReversePlan(16, 2);
  // Both results and the second launch's input come from other buffers.
  plan.buffers.push_back(makeBuffer("more", BufferRole::Workspace, -1, 3));
  PlanBuffer constant = makeBuffer("ones", BufferRole::Constant, -1, 16);
  std::vector<float> ones(16, 1);
  const auto *bytes = reinterpret_cast<const uint8_t *>(ones.data());
  constant.data.assign(bytes, bytes + 64);
  plan.buffers.push_back(constant);
  plan.launches.push_back(
      makeLaunch("axpy", {BufferArgument{2, 0}, BufferArgument{5, 0},
                          BufferArgument{2, 0}, 1.0f, int32_t(16)}));
  WorkspaceLayout layout = layOutWorkspace(plan);
  EXPECT_EQ(layout.buffers, (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(layout.offsets, (std::vector<int64_t>{0, 256}));
  EXPECT_EQ(layout.bytes, 512);

  Result<std::unique_ptr<CudaProgram>> program = load(plan);
  ASSERT_TRUE(program) << program.error();
  Memory x, w, y, workspace;
  for (int i = 0; i < 16; ++i)
    x.values[i] = static_cast<float>(i);
  DeviceAddress operands[] = {x.address(), w.address(), y.address()};
  Status status = launch(**program, operands, workspace.address(), 512);
  ASSERT_TRUE(status) << status.error();
  wait();
  // Reversed twice, doubled once, and one more.
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(y.values[i], 2 * i + 1);

  EXPECT_EQ(launch(**program, operands, workspace.address(), 511).error(),
            "workspace: expected 512 bytes, got 511");
  EXPECT_EQ(launch(**program, operands, 8, 512).error(),
            "workspace: expected a device address that is a multiple of 16, "
            "got 0x8");
}

TEST_F(CudaProgramTest, refusesWrongOperands) {
  Result<std::unique_ptr<CudaProgram>> program = load(makeAxpyPlan(4, 3));
  ASSERT_TRUE(program) << program.error();
  DeviceAddress operands[] = {0x100, 0x108, 0x200};
  EXPECT_EQ(launch(**program, operands).error(),
            "w (argument 1): expected a device address that is a multiple of "
            "16, got 0x108");
  operands[1] = 0;
  EXPECT_EQ(launch(**program, operands).error(),
            "w (argument 1): expected a device address that is a multiple of "
            "16, got 0x0");
  EXPECT_EQ(launch(**program, std::span(operands).first(2)).error(),
            "expected 3 operands, got 2");
}

TEST_F(CudaProgramTest, emptyTensorsNeedNoAddress) {
  Plan plan = makePlan(0);
  Result<std::unique_ptr<CudaProgram>> program = load(plan);
  ASSERT_TRUE(program) << program.error();
  DeviceAddress operands[] = {0, 0, 0};
  EXPECT_TRUE(launch(**program, operands));
}

TEST_F(CudaProgramTest, saysWhyCodeDoesNotLoad) {
  Plan plan = makeAxpyPlan(4, 1);
  plan.images[0].data = toBytes("BAD PTX");
  Result<std::unique_ptr<CudaProgram>> program = load(plan);
  ASSERT_FALSE(program);
  EXPECT_NE(program.error().find("line 1; fatal: bad"), std::string::npos);
  EXPECT_EQ(load(makeAxpyPlan(4, 1), 7).error(),
            "CUDA device 7 does not exist, the driver has 1");
}

} // namespace
