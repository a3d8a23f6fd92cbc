//===- ModuleReferenceTest.cpp - what functions mean ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that are parsed and evaluated, by nothing but the interpreter.
//
//===----------------------------------------------------------------------===//

#include "conv/Interpreter/ModuleReference.h"

#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Interpreter/OpProblem.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::Precision;
using convmlir::ReferenceTensor;
using convmlir::Result;
using Numbers = std::vector<double>;

namespace {

class ModuleReferenceTest : public ::testing::Test {
protected:
  ModuleReferenceTest() {
    context.loadDialect<arith::ArithDialect, ConvDialect, func::FuncDialect,
                        linalg::LinalgDialect, math::MathDialect,
                        tensor::TensorDialect>();
  }

  func::FuncOp parse(llvm::StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context, "test.mlir");
    return module ? *module->getOps<func::FuncOp>().begin() : func::FuncOp();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

/// One image of 2x3, a filter of 1x2, no padding.
constexpr char kConvolution[] = R"(
func.func @f(%x: tensor<1x2x3x1xf32>, %w: tensor<1x1x2x1xf32>,
             %r0: tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32> {
  %r = conv.forward ins(%x, %w : tensor<1x2x3x1xf32>, tensor<1x1x2x1xf32>)
                    outs(%r0 : tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32>
  return %r : tensor<1x2x2x1xf32>
})";

TEST_F(ModuleReferenceTest, AConvolutionIsItsDefinition) {
  func::FuncOp function = parse(kConvolution);
  ASSERT_TRUE(function);
  ASSERT_TRUE(static_cast<bool>(checkReference(function)));
  Result<std::vector<ReferenceTensor>> results = evaluateFunction(
      function, {{1, 2, 3, 4, 5, 6}, {10, 1}, {0, 0, 0, 0}}, Precision::Text);
  ASSERT_TRUE(static_cast<bool>(results)) << results.error();
  ASSERT_EQ(results->size(), 1u);
  EXPECT_EQ(results->front().values, Numbers({12, 23, 45, 56}));
}

TEST_F(ModuleReferenceTest, WhatCancelsKeepsItsMagnitude) {
  func::FuncOp function = parse(kConvolution);
  ASSERT_TRUE(function);
  Result<std::vector<ReferenceTensor>> results = evaluateFunction(
      function, {{3, 3, 3, 3, 3, 3}, {1, -1}, {0, 0, 0, 0}}, Precision::Text);
  ASSERT_TRUE(static_cast<bool>(results)) << results.error();
  for (double value : results->front().values)
    EXPECT_EQ(value, 0);
  for (double magnitude : results->front().magnitudes)
    EXPECT_GE(magnitude, 3);
}

TEST_F(ModuleReferenceTest, LinalgIsItsLoops) {
  func::FuncOp function = parse(R"(
#row = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
func.func @f(%x: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %e = tensor.empty() : tensor<2x3xf32>
  %y = linalg.generic {indexing_maps = [#row, #column, #row],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<2x3xf32>, tensor<3xf32>)
      outs(%e : tensor<2x3xf32>) {
    ^bb0(%a: f32, %c: f32, %o: f32):
      %s = arith.addf %a, %c : f32
      linalg.yield %s : f32
  } -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
})");
  ASSERT_TRUE(function);
  Result<std::vector<ReferenceTensor>> results = evaluateFunction(
      function, {{1, 2, 3, 4, 5, 6}, {10, 20, 30}}, Precision::Text);
  ASSERT_TRUE(static_cast<bool>(results)) << results.error();
  EXPECT_EQ(results->front().values, Numbers({11, 22, 33, 14, 25, 36}));
}

TEST_F(ModuleReferenceTest, AnUnknownOperationIsNamedWithItsPlace) {
  func::FuncOp function = parse("func.func @f(%x: tensor<2xf32>) -> "
                                "tensor<2xf32> {\n"
                                "  %y = math.cbrt %x : tensor<2xf32>\n"
                                "  return %y : tensor<2xf32>\n}");
  ASSERT_TRUE(function);
  convmlir::Status status = checkReference(function);
  ASSERT_FALSE(static_cast<bool>(status));
  EXPECT_NE(status.error().find("test.mlir:2:8"), std::string::npos)
      << status.error();
  EXPECT_NE(status.error().find("math.cbrt"), std::string::npos)
      << status.error();
}

TEST_F(ModuleReferenceTest, AnOperationIsAProblem) {
  func::FuncOp function = parse(kConvolution);
  ASSERT_TRUE(function);
  ConvOpInterface op;
  function.walk([&](ConvOpInterface found) { op = found; });
  Result<convmlir::Problem> problem = getProblem(op);
  ASSERT_TRUE(static_cast<bool>(problem)) << problem.error();
  EXPECT_EQ(problem->geometry.input[1], 3);
  EXPECT_EQ(problem->type, "f32");
}

} // namespace
