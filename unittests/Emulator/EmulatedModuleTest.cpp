//===- EmulatedModuleTest.cpp - tests of the public interface -------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compilation from IR and from text, launches, concurrent launches, and that
// the input stays as it is.
//
//===----------------------------------------------------------------------===//

#include "conv/Emulator/Emulator.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>
#include <thread>

using namespace convmlir;

namespace {

/// out[i] = i + value for the threads of a grid.
constexpr const char *kIota = R"mlir(
gpu.module @kernels {
  llvm.func @iota(%out: !llvm.ptr<1>, %value: i32) attributes {nvvm.kernel} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %cta = nvvm.read.ptx.sreg.ctaid.x : i32
    %threads = nvvm.read.ptx.sreg.ntid.x : i32
    %base = llvm.mul %cta, %threads : i32
    %index = llvm.add %base, %tid : i32
    %sum = llvm.add %index, %value : i32
    %slot = llvm.getelementptr %out[%index] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    nvvm.barrier
    llvm.store %sum, %slot : i32, !llvm.ptr<1>
    llvm.return
  }
}
)mlir";

class Iota {
public:
  explicit Iota(size_t count) : count(count) {
    buffer = *memory.allocate(4 * count);
  }

  Result<LaunchReport> launch(const EmulatedModule &module, int32_t value,
                              const LaunchGeometry &geometry,
                              const LaunchOptions &options = {}) {
    void *arguments[] = {&buffer, &value};
    return module.launch("iota", geometry, arguments, memory, options);
  }

  void expect(int32_t value) const {
    auto *data = static_cast<const int32_t *>(buffer);
    for (size_t i = 0; i < count; ++i)
      ASSERT_EQ(data[i], int32_t(i) + value);
  }

private:
  EmulatorMemory memory;
  void *buffer = nullptr;
  size_t count;
};

LaunchGeometry geometry(uint32_t grid, uint32_t block) {
  LaunchGeometry result;
  result.grid[0] = grid;
  result.block[0] = block;
  return result;
}

std::string print(mlir::Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream);
  return text;
}

} // namespace

TEST(EmulatedModule, CompilesAnOpAndLeavesItAlone) {
  mlir::MLIRContext context;
  context.loadDialect<mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect,
                      mlir::gpu::GPUDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kIota, &context);
  ASSERT_TRUE(module);
  std::string before = print(*module);
  auto compiled = compileForEmulator(module.get());
  ASSERT_TRUE(compiled) << compiled.error();
  EXPECT_EQ(print(*module), before);

  Iota iota(128);
  auto report = iota.launch(**compiled, 7, geometry(4, 32));
  ASSERT_TRUE(report) << report.error();
  EXPECT_EQ(report->fault, "");
  iota.expect(7);
}

TEST(EmulatedModule, DescribesItsKernels) {
  auto compiled = compileForEmulator(kIota, "iota.mlir");
  ASSERT_TRUE(compiled) << compiled.error();
  std::vector<EmulatedKernelInfo> kernels = (*compiled)->kernels();
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].name, "iota");
  EXPECT_EQ(kernels[0].argumentBytes, (std::vector<uint32_t>{8, 4}));
  EXPECT_EQ(kernels[0].staticSharedBytes, 0u);
}

TEST(EmulatedModule, LaunchesAgainAfterAFault) {
  auto compiled = compileForEmulator(kIota, "iota.mlir");
  ASSERT_TRUE(compiled) << compiled.error();
  Iota iota(128);
  auto tooLarge = iota.launch(**compiled, 1, geometry(5, 32));
  ASSERT_TRUE(tooLarge) << tooLarge.error();
  EXPECT_NE(tooLarge->fault.find("llvm.store at iota.mlir:12: out-of-bounds"),
            std::string::npos)
      << tooLarge->fault;
  auto report = iota.launch(**compiled, 2, geometry(2, 64));
  ASSERT_TRUE(report) << report.error();
  EXPECT_EQ(report->fault, "");
  EXPECT_EQ(report->counters.barriers, 2u);
  EXPECT_EQ(report->counters.globalStoreBytes, 512u);
  EXPECT_EQ(report->counters.globalStoreSectors, 16u);
  iota.expect(2);
}

TEST(EmulatedModule, RefusesImpossibleLaunches) {
  auto compiled = compileForEmulator(kIota, "iota.mlir");
  ASSERT_TRUE(compiled) << compiled.error();
  Iota iota(1);
  EXPECT_EQ(iota.launch(**compiled, 1, geometry(1, 2048)).error(),
            "emulator: kernel 'iota': block 2048x1x1 has 2048 threads; 1 to "
            "1024 are possible");
  EmulatorMemory memory;
  EXPECT_EQ((*compiled)->launch("other", {}, nullptr, memory).error(),
            "emulator: there is no kernel 'other'");
}

TEST(EmulatedModule, RunsOnSeveralHostThreads) {
  auto compiled = compileForEmulator(kIota, "iota.mlir");
  ASSERT_TRUE(compiled) << compiled.error();
  LaunchOptions options;
  options.hostThreads = 4;
  std::vector<std::thread> threads;
  for (int32_t i = 0; i < 3; ++i)
    threads.emplace_back([&, i] {
      Iota iota(64 * 50);
      auto report = iota.launch(**compiled, i, geometry(50, 64), options);
      ASSERT_TRUE(report) << report.error();
      EXPECT_EQ(report->fault, "");
      EXPECT_EQ(report->counters.barriers, 50u);
      iota.expect(i);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(EmulatedModule, ReportsBadInput) {
  EXPECT_EQ(compileForEmulator("module {", "x.mlir").error().substr(0, 17),
            "emulator: x.mlir:");
  EXPECT_EQ(compileForEmulator("module {}", "x.mlir").error(),
            "emulator: x.mlir:1:1: the module has no kernel");
}
