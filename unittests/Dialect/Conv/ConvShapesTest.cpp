//===- ConvShapesTest.cpp - shapes and types of a convolution -------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvGeometry;
using convmlir::ConvKind;

namespace {

using Shape = SmallVector<int64_t>;

/// 2x3 groups-2 convolution of a 2x9x8x4 input with 6 filters, strided.
ConvGeometry makeGeometry() {
  ConvGeometry geometry;
  geometry.n = 2, geometry.c = 4, geometry.k = 6, geometry.groups = 2;
  geometry.input = {9, 8, 1};
  geometry.filter = {2, 3, 1};
  geometry.stride = {2, 1, 1};
  geometry.padLow = {1, 0, 0};
  return geometry;
}

class ConvShapesTest : public ::testing::Test {
protected:
  ConvShapesTest() : builder(&context) {
    context.loadDialect<ConvDialect, tensor::TensorDialect>();
  }

  RankedTensorType tensor(ArrayRef<int64_t> shape, Type element) {
    return RankedTensorType::get(shape, element);
  }

  MLIRContext context;
  OpBuilder builder;
};

TEST_F(ConvShapesTest, ShapesFollowTheLayout) {
  ConvGeometry geometry = makeGeometry();
  using enum TensorRole;
  EXPECT_EQ(getShape(geometry, Layout::NHWC, Input), Shape({2, 9, 8, 4}));
  EXPECT_EQ(getShape(geometry, Layout::NHWC, Filter), Shape({6, 2, 3, 2}));
  EXPECT_EQ(getShape(geometry, Layout::NHWC, Output), Shape({2, 5, 6, 6}));
  EXPECT_EQ(getShape(geometry, Layout::NCHW, Input), Shape({2, 4, 9, 8}));
  EXPECT_EQ(getShape(geometry, Layout::NCHW, Filter), Shape({6, 2, 2, 3}));
  EXPECT_EQ(getShape(geometry, Layout::NCHW, Output), Shape({2, 6, 5, 6}));
}

TEST_F(ConvShapesTest, RolesAndOperandsAreInverse) {
  for (ConvKind kind : {ConvKind::Forward, ConvKind::Dgrad, ConvKind::Wgrad})
    for (unsigned operand : {0, 1, 2})
      EXPECT_EQ(getOperandIndex(kind, getRole(kind, operand)), operand);
}

TEST_F(ConvShapesTest, InfersTheTypeOfForward) {
  ConvGeometry window = makeGeometry();
  window.n = 99; // Extents come from the types.
  auto y = inferForwardType(tensor({2, 9, 8, 4}, builder.getBF16Type()),
                            tensor({6, 2, 3, 2}, builder.getBF16Type()), window,
                            Layout::NHWC, builder.getF32Type());
  ASSERT_TRUE(bool(y)) << y.error();
  EXPECT_EQ(*y, tensor({2, 5, 6, 6}, builder.getF32Type()));
}

TEST_F(ConvShapesTest, InfersTheTypeOfWgrad) {
  auto dw = inferWgradType(tensor({2, 4, 9, 8}, builder.getF16Type()),
                           makeGeometry(), Layout::NCHW);
  ASSERT_TRUE(bool(dw)) << dw.error();
  EXPECT_EQ(*dw, tensor({6, 2, 2, 3}, builder.getF16Type()));
}

TEST_F(ConvShapesTest, InferenceSaysWhatIsWrong) {
  Type f32 = builder.getF32Type();
  auto badRank =
      inferForwardType(tensor({2, 9, 8, 4}, f32), tensor({6, 3, 2}, f32),
                       makeGeometry(), Layout::NHWC);
  ASSERT_FALSE(bool(badRank));
  EXPECT_EQ(badRank.error(),
            "conv-c15: w must have rank 4, as x has, but has rank 3");
  auto badGroups =
      inferForwardType(tensor({2, 9, 8, 5}, f32), tensor({6, 2, 3, 2}, f32),
                       makeGeometry(), Layout::NHWC);
  ASSERT_FALSE(bool(badGroups));
  EXPECT_EQ(badGroups.error(),
            "conv-c5: groups (2) must divide input channels C (5)");
}

TEST_F(ConvShapesTest, DefaultAccumulationTypes) {
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  EXPECT_EQ(getDefaultAccType(builder.getBF16Type()), f32);
  EXPECT_EQ(getDefaultAccType(Float8E4M3FNType::get(&context)), f32);
  EXPECT_EQ(getDefaultAccType(builder.getF64Type()), builder.getF64Type());
  EXPECT_EQ(getDefaultAccType(builder.getI8Type()), i32);
  EXPECT_EQ(getDefaultAccType(i32), builder.getI64Type());
}

TEST_F(ConvShapesTest, BuilderMakesWhatTheGeometrySays) {
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToStart(module->getBody());
  ConvGeometry geometry = makeGeometry();
  auto empty = [&](TensorRole role) -> Value {
    return tensor::EmptyOp::create(builder, loc,
                                   getShape(geometry, Layout::NCHW, role),
                                   builder.getF16Type());
  };
  Value dy = empty(TensorRole::Output), w = empty(TensorRole::Filter);
  auto dgrad = DgradOp::create(builder, loc, dy, w, empty(TensorRole::Input),
                               geometry, Layout::NCHW);
  ASSERT_TRUE(succeeded(verify(*module)));
  EXPECT_EQ(*cast<ConvOpInterface>(dgrad.getOperation()).getGeometry(),
            geometry);
  EXPECT_EQ(dgrad.getAccType(), builder.getF32Type());
}

} // namespace
