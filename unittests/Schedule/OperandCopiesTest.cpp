//===- OperandCopiesTest.cpp - how operands come --------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/OperandCopies.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::conv;

namespace {

/// A tile of positions of images, or of filters, of layers of one tap.
class OperandCopiesTest : public ::testing::Test {
protected:
  OperandCopiesTest() {
    context.loadDialect<ConvDialect, func::FuncDialect, gpu::GPUDialect,
                        memref::MemRefDialect>();
  }

  ScheduleAttr read(const std::string &keys) {
    return cast<ScheduleAttr>(parseAttribute(
        "#conv.schedule<algorithm=implicit_gemm " + keys + ">", &context));
  }
  /// For images with channels first; tiles of 128 x 64 positions and channels.
  ScheduleAttr readGathered(const std::string &keys) {
    return read("copy=tma mma=wgmma gather=true " + keys);
  }

  KernelOperand parse(const std::string &tensor, int64_t width, int64_t stride,
                      int64_t rows, const char *channelsFirst,
                      int64_t alignedBytes) {
    std::string text =
        llvm::formatv(
            "func.func @f(%x: memref<{0}>, %s: memref<{1}x64xbf16, "
            "#gpu.address_space<workgroup>>, %i: index) {{\n"
            "conv.im2col %x[%i, %i, %i] into %s view <rows = [{2}, {2}], taps "
            "= [1, 1], stride = [{3}, {3}], step = [1, 1], offset = [0, 0], "
            "groups = 1> {4} : memref<{0}> into memref<{1}x64xbf16, "
            "#gpu.address_space<workgroup>>\n return\n}",
            tensor, rows, width, stride, channelsFirst)
            .str();
    modules.push_back(parseSourceString<ModuleOp>(text, &context));
    KernelOperand operand = {nullptr, alignedBytes};
    if (modules.back())
      modules.back()->walk([&](Im2colOp copy) { operand.copy = copy; });
    return operand;
  }

  /// Of so many rows of [position, channel].
  KernelOperand getTile(int64_t rows, int64_t alignedBytes = 16) {
    return parse("9x16x16x64xbf16", 16, 1, rows, "", alignedBytes);
  }
  /// Of square images with their channels first.
  KernelOperand getImages(int64_t width, int64_t stride = 1) {
    int64_t extent = (width - 1) * stride + 1;
    return parse(llvm::formatv("9x64x{0}x{0}xbf16", extent), width, stride, 128,
                 "channels_first", 16);
  }

  MLIRContext context;
  SmallVector<OwningOpRef<ModuleOp>> modules;
};

using enum OperandCopy;

KernelPlan getWays(std::optional<OperandCopy> left,
                   std::optional<OperandCopy> right) {
  KernelPlan plan;
  plan.left = left;
  plan.right = right;
  return plan;
}

constexpr char kPanels[] = "tile=128x64x64 warps=8x1 stages=4";
/// No room for boxes beside the ring.
constexpr char kLarge[] = "tile=128x256x64 warps=8x1 stages=4";
constexpr char kThreads[] =
    "tile=128x64x64 warps=2x2 stages=3 copy=cp_async mma=mma_sync";

TEST_F(OperandCopiesTest, TmaCopiesTiles) {
  ScheduleAttr schedule = read("copy=tma mma=wgmma tile=128x64x64 warps=8x1 "
                               "stages=4");
  KernelOperand left = getTile(128), right = getTile(64);
  ASSERT_TRUE(left.copy && right.copy);
  for (const KernelFormInfo &info : getKernelForms()) {
    if (!StringRef(info.engines).starts_with("tma"))
      continue;
    auto plan = planCopies(schedule, info.form, left, right, {});
    ASSERT_TRUE(plan) << plan.error();
    EXPECT_EQ(*plan, getWays(Tma, Tma)) << info.name.str();
  }
}

/// Each operand by itself: cp.async copies 4 bytes or more.
TEST_F(OperandCopiesTest, ThreadsCopyAsFarAsRowsAreAligned) {
  ScheduleAttr schedule = read(kThreads);
  for (auto [bytes, way] : {std::pair(16, CpAsync), std::pair(4, CpAsync),
                            std::pair(2, Registers)}) {
    auto plan = planCopies(schedule, KernelForm::Tiles, getTile(128, bytes),
                           getTile(64), {});
    ASSERT_TRUE(plan) << plan.error();
    EXPECT_EQ(*plan, getWays(way, CpAsync)) << bytes;
  }
}

/// However wide the rows are.
TEST_F(OperandCopiesTest, WithoutCpAsyncThreadsLoadAndStore) {
  ScheduleAttr schedule =
      read("tile=128x64x64 warps=2x2 stages=3 copy=sync mma=mma_sync");
  auto plan = planCopies(schedule, KernelForm::SyncTiles, getTile(128),
                         getTile(64), {});
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_EQ(*plan, getWays(Registers, Registers));
}

/// Boxes where they have room, else pairs of positions, else single ones.
TEST_F(OperandCopiesTest, TheFirstWayThatImagesCanCome) {
  auto getLeft = [&](const char *keys, KernelOperand images) {
    auto plan = planCopies(readGathered(keys), KernelForm::Panels, images,
                           getTile(64), {});
    EXPECT_TRUE(plan) << plan.error();
    EXPECT_EQ(plan->right, Tma);
    return *plan->left;
  };
  EXPECT_EQ(getLeft(kPanels, getImages(14)), SkewedBoxes);
  EXPECT_EQ(getLeft(kLarge, getImages(14)), Pieces);
  EXPECT_EQ(getLeft(kLarge, getImages(7)), Registers);
  EXPECT_EQ(getLeft(kPanels, getImages(14, /*stride=*/2)), Registers);
}

/// Filters are the rows: a tile has whole images as its columns.
TEST_F(OperandCopiesTest, WholeImagesAreColumns) {
  auto plan = [&](const char *tile) {
    return planCopies(
        readGathered(std::string("warps=1x4 stages=4 tile=") + tile),
        KernelForm::Swapped, getImages(8), getTile(64), {});
  };
  auto whole = plan("128x64x64");
  ASSERT_TRUE(whole) << whole.error();
  EXPECT_EQ(*whole, getWays(Images, Tma));
  EXPECT_EQ(plan("96x64x64").error(),
            "left: a tile of whole images has a multiple of their 64 "
            "positions, not 96");
}

/// Windows are transposed from boxes; those of wgrad can be loaded instead.
TEST_F(OperandCopiesTest, WindowsComeInBoxes) {
  ScheduleAttr schedule =
      readGathered("tile=128x64x64 warps=8x1 stages=4 window=true");
  auto plan = [&](KernelForm form, KernelOperand left) {
    return planCopies(schedule, form, left, getTile(64), {});
  };
  auto boxes = plan(KernelForm::Window, getImages(16));
  ASSERT_TRUE(boxes) << boxes.error();
  EXPECT_EQ(*boxes, getWays(Boxes, Tma));
  auto odd = plan(KernelForm::WgradWindow, getImages(7));
  ASSERT_TRUE(odd) << odd.error();
  EXPECT_EQ(*odd, getWays(Registers, Tma));
  EXPECT_EQ(plan(KernelForm::Window, getImages(7)).error(),
            "left: a window is of a tile of whole rows of 7 positions, but the "
            "tile has 128 positions");
}

TEST_F(OperandCopiesTest, WhatIsGivenStays) {
  for (OperandCopy way : {SkewedBoxes, Pieces, Registers}) {
    KernelPlan given = getWays(way, std::nullopt);
    given.slots = 3;
    auto plan = planCopies(readGathered(kPanels), KernelForm::Panels,
                           getImages(14), getTile(64), given);
    ASSERT_TRUE(plan) << plan.error();
    EXPECT_EQ(plan->left, way);
    EXPECT_EQ(plan->right, Tma);
    EXPECT_EQ(plan->slots, 3);
  }
}

/// A way that cannot be is an error even where others can.
TEST_F(OperandCopiesTest, WhatIsGivenIsRefusedWithItsLimit) {
  auto whyNot = [&](const char *keys, KernelOperand left, KernelPlan given) {
    return planCopies(readGathered(keys), KernelForm::Panels, left, getTile(64),
                      given)
        .error();
  };
  EXPECT_EQ(whyNot(kPanels, getImages(7), getWays(Pieces, {})),
            "left: pieces are of images with an even number of positions, but "
            "one has 49");
  EXPECT_EQ(whyNot(kPanels, getImages(14, /*stride=*/2), getWays(Pieces, {})),
            "left: pieces are of positions that are read in their order, by "
            "layers of one tap, without stride and padding");
  EXPECT_TRUE(StringRef(whyNot(kLarge, getImages(14), getWays(SkewedBoxes, {})))
                  .starts_with("left: skewed boxes are of the left operand"));
  EXPECT_EQ(whyNot(kPanels, getImages(14), getWays(Images, {})),
            "left: kernels of the form 'panels' copy tensors with channels "
            "first by skewed_boxes, pieces, registers, not by images");
  EXPECT_EQ(whyNot(kPanels, getImages(14), getWays({}, Registers)),
            "right: kernels of the form 'panels' copy tiles by tma, not by "
            "registers");
  EXPECT_EQ(planCopies(read(kThreads), KernelForm::Tiles, getTile(128, 2),
                       getTile(64), getWays(CpAsync, {}))
                .error(),
            "left: cp.async copies 4 bytes or more, but rows are aligned to 2");
}

/// Both with their channels first: wgrad of a layer of one tap. One may be
/// given for both.
TEST_F(OperandCopiesTest, ImagesAreCopiedAlike) {
  auto plan = [&](const KernelPlan &given) {
    return planCopies(readGathered(kPanels), KernelForm::Panels, getImages(14),
                      getImages(7), given);
  };
  auto chosen = plan({});
  ASSERT_TRUE(chosen) << chosen.error();
  EXPECT_EQ(*chosen, getWays(Registers, Registers));
  auto given = plan(getWays({}, Registers));
  ASSERT_TRUE(given) << given.error();
  EXPECT_EQ(*given, getWays(Registers, Registers));
  EXPECT_EQ(plan(getWays(Pieces, Registers)).error(),
            "left = pieces, right = registers: both operands are copied alike "
            "here");
  EXPECT_EQ(plan(getWays(Pieces, {})).error(),
            "left and right: pieces are of images with an even number of "
            "positions, but one has 49");
}

/// One tile that is both operands is copied once.
TEST_F(OperandCopiesTest, OneTileIsCopiedAlike) {
  KernelOperand both = getTile(128, /*alignedBytes=*/2);
  auto plan = planCopies(read(kThreads), KernelForm::Tiles, both, both, {});
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_EQ(*plan, getWays(Registers, Registers));
  KernelOperand aligned = getTile(128);
  EXPECT_EQ(
      planCopies(read(kThreads), KernelForm::Tiles, aligned, aligned,
                 getWays(CpAsync, Registers))
          .error(),
      "left = cp_async, right = registers: both operands are copied alike "
      "here");
}

TEST_F(OperandCopiesTest, FormsThatTransposeNothingSaySo) {
  auto whyNot = [&](KernelPlan given) {
    return planCopies(readGathered(kPanels), KernelForm::Kn2row, getImages(14),
                      getTile(64), given)
        .error();
  };
  EXPECT_EQ(whyNot({}), "left: no way to copy tensors with channels first");
  EXPECT_EQ(whyNot(getWays(Tma, {})),
            "left: kernels of the form 'kn2row' copy tensors with channels "
            "first by nothing, not by tma");
}

} // namespace
