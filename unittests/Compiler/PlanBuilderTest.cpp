//===- PlanBuilderTest.cpp - plans of kernels that copy by TMA ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Compiler/PlanBuilder.h"
#include "conv/Pipelines/Registration.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace convmlir;

/// A launch with two tensor maps and the result. `filter` has the attributes of
/// the second one.
static Result<Plan> buildPlanOf(const std::string &filter) {
  std::string text = R"(
    !image = !nvgpu.tensormap.descriptor<tensor = memref<128x64xbf16, 3>, swizzle = swizzle_128b, l2promo = l2promo_128b, oob = zero, interleave = none>
    !box = !nvgpu.tensormap.descriptor<tensor = memref<64x32xbf16, 3>, swizzle = swizzle_64b, l2promo = l2promo_256b, oob = zero, interleave = none>
    module attributes {gpu.container_module} {
      gpu.module @kernels {
        gpu.func @f(%y: memref<2x7x5x64xbf16>, %x: !image, %w: !box) kernel { gpu.return }
      }
      func.func @host(%x: memref<2x7x5x64xbf16>, %w: memref<64x3x3x64xbf16>, %y: memref<2x7x5x64xbf16>) {
        %c1 = arith.constant 1 : index
        %a = engine.tensor_map %x extents [64, 5, 7, 2] byte_strides [128, 640, 4480] element_strides [1, 2, 1, 1] lower [-1, -2] upper [1, 2]
          : memref<2x7x5x64xbf16> -> !image
        %b = engine.tensor_map %w )" +
                     filter + R"( : memref<64x3x3x64xbf16> -> !box
        gpu.launch_func @kernels::@f blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
          args(%y : memref<2x7x5x64xbf16>, %a : !image, %b : !box)
        return
      }
    })";
  mlir::DialectRegistry registry;
  mlir::conv::registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return Error{"the module has errors"};
  return mlir::conv::buildPlan(module->lookupSymbol<mlir::func::FuncOp>("host"),
                               {{"x", "w"}, {"y"}});
}

TEST(PlanBuilder, tensorMapsAreArguments) {
  Result<Plan> plan = buildPlanOf(
      "extents [64, 3, 3, 64] byte_strides [128, 384, 1152] element_strides "
      "[1, 1, 1, 1] box [32, 1, 1, 64] {byte_offset = 0 : i64}");
  ASSERT_TRUE(static_cast<bool>(plan)) << plan.error();
  ASSERT_EQ(plan->launches.size(), 1u);
  const auto &arguments = plan->launches.front().arguments;
  ASSERT_EQ(arguments.size(), 3u);
  EXPECT_EQ(arguments[0], KernelArgument(BufferArgument{2, 0}));

  TensorMap image;
  image.mode = TensorMap::Mode::Im2col;
  image.buffer = 0;
  image.extents = {64, 5, 7, 2};
  image.byteStrides = {128, 640, 4480};
  image.elementStrides = {1, 2, 1, 1};
  image.lowerCorner = {-1, -2};
  image.upperCorner = {1, 2};
  image.channelsPerPixel = 64;
  image.pixelsPerColumn = 128;
  image.swizzle = TensorMapSwizzle::B128;
  image.l2Promotion = TensorMapL2Promotion::B128;
  EXPECT_EQ(arguments[1], KernelArgument(image));

  TensorMap box;
  box.buffer = 1;
  box.extents = {64, 3, 3, 64};
  box.byteStrides = {128, 384, 1152};
  box.elementStrides = {1, 1, 1, 1};
  box.box = {32, 1, 1, 64};
  box.swizzle = TensorMapSwizzle::B64;
  box.l2Promotion = TensorMapL2Promotion::B256;
  EXPECT_EQ(arguments[2], KernelArgument(box));
}

TEST(PlanBuilder, refusesWhatTheDriverWouldRefuse) {
  Result<Plan> plan = buildPlanOf(
      "extents [64, 3, 3, 64] byte_strides [128, 384, 1152] element_strides "
      "[1, 1, 1, 1] box [64, 1, 1, 64]");
  ASSERT_FALSE(static_cast<bool>(plan));
  EXPECT_NE(plan.error().find("tensor map: swizzle: a row of 128 bytes is "
                              "longer than the swizzle span of 64"),
            std::string::npos)
      << plan.error();
}
