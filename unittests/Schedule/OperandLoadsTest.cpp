//===- OperandLoadsTest.cpp - what threads load before they use it --------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/PlannedLoads.h"

#include "mlir/AsmParser/AsmParser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::conv;

namespace {

using enum OperandCopy;

class OperandLoadsTest : public ::testing::Test {
protected:
  OperandLoadsTest() { context.loadDialect<ConvDialect>(); }

  ScheduleAttr read(const std::string &keys) {
    return cast<ScheduleAttr>(parseAttribute(
        "#conv.schedule<algorithm=implicit_gemm stages=4 " + keys + ">",
        &context));
  }
  LoadingKernel getKernel(const std::string &keys, OperandCopy left,
                          int64_t registers) {
    LoadingKernel kernel = {read(keys), {}, nullptr, nullptr};
    kernel.plan.left = left;
    kernel.plan.right = Tma;
    kernel.plan.producerRegisters = registers;
    return kernel;
  }
  convmlir::Result<KernelPlan> plan(LoadingKernel kernel,
                                    std::optional<int64_t> given = {}) {
    kernel.plan.loadsAhead = given;
    return planLoadsAhead(kernel, KernelForm::Panels);
  }

  MLIRContext context;
};

constexpr char kPanels[] = "tile=128x64x64 warps=8x1 copy=tma mma=wgmma";

TEST_F(OperandLoadsTest, EachWayHasItsNumber) {
  for (auto [way, registers, loads] :
       {std::tuple(Registers, 152, 80), std::tuple(Registers, 104, 32),
        std::tuple(Registers, 80, 8), std::tuple(Boxes, 128, 8),
        std::tuple(SkewedBoxes, 152, 8), std::tuple(SkewedBoxes, 24, 6),
        std::tuple(Images, 40, 2)}) {
    auto found = plan(getKernel(kPanels, way, registers));
    ASSERT_TRUE(found) << found.error();
    EXPECT_EQ(found->loadsAhead, loads) << stringifyOperandCopy(way).str();
  }
}

/// Rows of 32 bytes leave registers for two chunks more.
TEST_F(OperandLoadsTest, NarrowRowsOfImagesLeaveRegisters) {
  for (auto [tile, loads] : {std::pair("16x64x64", 4), std::pair("9x64x64", 4),
                             std::pair("32x64x64", 2)}) {
    auto found = plan(
        getKernel(std::string("warps=1x4 copy=tma mma=wgmma ") + "tile=" + tile,
                  Images, 40));
    ASSERT_TRUE(found) << found.error();
    EXPECT_EQ(found->loadsAhead, loads) << tile;
  }
}

TEST_F(OperandLoadsTest, KernelsWithoutLoadsOfThreadsHaveNone) {
  for (OperandCopy way : {Tma, Pieces}) {
    auto found = plan(getKernel(kPanels, way, 40));
    ASSERT_TRUE(found) << found.error();
    EXPECT_EQ(found->loadsAhead, std::nullopt);
    EXPECT_EQ(plan(getKernel(kPanels, way, 40), 8).error(),
              "loads_ahead: no thread takes operands into registers here");
  }
  LoadingKernel warps = {
      read("tile=64x64x32 warps=2x2 copy=cp_async mma=mma_sync"),
      {},
      nullptr,
      nullptr};
  warps.plan.left = warps.plan.right = Registers;
  auto found = planLoadsAhead(warps, KernelForm::Tiles);
  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ(found->loadsAhead, std::nullopt);
}

TEST_F(OperandLoadsTest, WhatIsGivenStaysOrIsRefused) {
  for (int64_t given : {1, 3, 38}) {
    auto found = plan(getKernel(kPanels, SkewedBoxes, 152), given);
    ASSERT_TRUE(found) << found.error();
    EXPECT_EQ(found->loadsAhead, given);
  }
  EXPECT_EQ(plan(getKernel(kPanels, SkewedBoxes, 152), 39).error(),
            "loads_ahead: a thread of the producer with 152 registers has 1 to "
            "38 pieces on their way, not 39");
  EXPECT_EQ(plan(getKernel(kPanels, Registers, 152), 4).error(),
            "loads_ahead: a thread of the producer with 152 registers has 8 to "
            "80 loads on their way, not 4");
  EXPECT_EQ(plan(getKernel(kPanels, Registers, 72)).error(),
            "loads_ahead: a thread of the producer has 72 registers, but wants "
            "80 for loads on their way and all else");
}

} // namespace
