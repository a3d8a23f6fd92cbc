//===- ProblemImport.cpp - from a problem line to IR ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Compiler/ProblemImport.h"
#include "EpilogueImport.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Dialect/Conv/IR/CreateConvolution.h"
#include "conv/Interpreter/OpProblem.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::ElementType;
using convmlir::Error;
using convmlir::Problem;
using convmlir::Result;
using convmlir::TensorSpec;

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

static Type typeOfName(MLIRContext *context, StringRef name) {
  std::optional<ElementType> type = convmlir::parseElementType(name);
  return type ? getElementType(context, *type) : Type();
}

static bool isTF32(const std::string &name) {
  return name == toString(ElementType::TF32);
}

/// Numbers of tf32 lie in memory as f32; what makes them tf32 is the precision
/// of the convolution.
static Result<RankedTensorType> tensorType(MLIRContext *context,
                                           const TensorSpec &spec) {
  Type element = isTF32(spec.type) ? Float32Type::get(context)
                                   : typeOfName(context, spec.type);
  if (!element)
    return Error{spec.name + ": a tensor of type " + spec.type +
                 " has no form in the IR yet"};
  return RankedTensorType::get(spec.shape, element);
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

static Value emptyTensor(OpBuilder &builder, Location loc,
                         RankedTensorType type) {
  return tensor::EmptyOp::create(builder, loc, type.getShape(),
                                 type.getElementType());
}

static Value convolution(OpBuilder &builder, Location loc,
                         const Problem &problem, ValueRange sources,
                         RankedTensorType type) {
  Layout layout = problem.layout == convmlir::TensorLayout::NHWC ? Layout::NHWC
                                                                 : Layout::NCHW;
  Value dest = emptyTensor(builder, loc, type);
  Type precision =
      isTF32(problem.type) ? FloatTF32Type::get(builder.getContext()) : Type();
  return createConvolution(builder, loc, problem.kind, sources, dest,
                           problem.geometry, layout,
                           {type.getElementType(), precision});
}

static int64_t getChannelDim(const Problem &problem, int64_t rank) {
  return problem.layout == convmlir::TensorLayout::NHWC ? rank - 1 : 1;
}

static Value epilogue(OpBuilder &builder, Location loc, const Problem &problem,
                      Value sums, ValueRange operands,
                      RankedTensorType resultType) {
  int64_t rank = resultType.getRank();
  int64_t channelDim = getChannelDim(problem, rank);
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  AffineMap perChannel =
      AffineMap::get(rank, 0, builder.getAffineDimExpr(channelDim));
  SmallVector<Value> inputs{sums};
  SmallVector<AffineMap> maps{identity};
  for (Value operand : operands) {
    inputs.push_back(operand);
    bool isRow = cast<ShapedType>(operand.getType()).getRank() == 1;
    maps.push_back(isRow ? perChannel : identity);
  }
  maps.push_back(identity);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  Value dest = emptyTensor(builder, loc, resultType);
  return linalg::GenericOp::create(
             builder, loc, resultType, inputs, dest, maps, iterators,
             [&](OpBuilder &nested, Location nestedLoc, ValueRange arguments) {
               Value value =
                   buildEpilogue(nested, nestedLoc, problem, arguments.front(),
                                 arguments.drop_front().drop_back(),
                                 arguments.back().getType());
               linalg::YieldOp::create(nested, nestedLoc, value);
             })
      .getResult(0);
}

/// The vector in another type; itself where it has that.
static Value rounded(OpBuilder &builder, Location loc, Value vector,
                     RankedTensorType type) {
  if (vector.getType() == type)
    return vector;
  SmallVector<AffineMap> maps(2, builder.getMultiDimIdentityMap(1));
  return linalg::GenericOp::create(
             builder, loc, type, vector, emptyTensor(builder, loc, type), maps,
             utils::IteratorType::parallel,
             [&](OpBuilder &nested, Location nestedLoc, ValueRange arguments) {
               Value value = arith::TruncFOp::create(
                   nested, nestedLoc, type.getElementType(), arguments[0]);
               linalg::YieldOp::create(nested, nestedLoc, value);
             })
      .getResult(0);
}

/// The gradient of a bias: the sums of dy over everything but its channels, in
/// the accumulation type.
static Value sumOverPositions(OpBuilder &builder, Location loc,
                              const Problem &problem, Value dy,
                              RankedTensorType type) {
  int64_t rank = cast<ShapedType>(dy.getType()).getRank();
  int64_t channelDim = getChannelDim(problem, rank);
  // The channel is the outermost loop.
  SmallVector<AffineExpr> indices;
  for (int64_t dim = 0, next = 1; dim < rank; ++dim)
    indices.push_back(builder.getAffineDimExpr(dim == channelDim ? 0 : next++));
  SmallVector<AffineMap> maps{
      AffineMap::get(rank, 0, indices, builder.getContext()),
      AffineMap::get(rank, 0, builder.getAffineDimExpr(0))};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::reduction);
  iterators.front() = utils::IteratorType::parallel;
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  Value zeros = linalg::FillOp::create(builder, loc, zero,
                                       emptyTensor(builder, loc, type))
                    .getResult(0);
  if (problem.geometry.n == 0)
    return zeros;
  return linalg::GenericOp::create(
             builder, loc, type, dy, zeros, maps, iterators,
             [&](OpBuilder &nested, Location nestedLoc, ValueRange arguments) {
               Value value =
                   addConverted(nested, nestedLoc, arguments[1], arguments[0]);
               linalg::YieldOp::create(nested, nestedLoc, value);
             })
      .getResult(0);
}

Result<OwningOpRef<ModuleOp>> conv::importProblem(MLIRContext *context,
                                                  const Problem &problem) {
  context->loadDialect<arith::ArithDialect, ConvDialect, func::FuncDialect,
                       linalg::LinalgDialect, math::MathDialect,
                       tensor::TensorDialect>();
  if (problem.epilogue.isRounded() && problem.epilogueType() == "f64")
    return Error{std::string("epilogue: kernels compute ") +
                 toString(problem.epilogue.activation) +
                 " of sums of f32, not of f64"};
  SmallVector<Type> argumentTypes;
  for (const TensorSpec &spec : problem.arguments()) {
    Result<RankedTensorType> type = tensorType(context, spec);
    if (!type)
      return type.takeError();
    argumentTypes.push_back(*type);
  }
  Result<RankedTensorType> resultType = tensorType(context, problem.result());
  if (!resultType)
    return resultType.takeError();
  Type sum = typeOfName(context, convmlir::accumulationType(problem.type));
  RankedTensorType sumType = resultType->clone(sum);
  SmallVector<Type> resultTypes{*resultType};
  if (problem.epilogue.biasGradient)
    resultTypes.push_back(RankedTensorType::get(
        {problem.geometry.k}, typeOfName(context, problem.channelType())));

  OpBuilder builder(context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module(ModuleOp::create(builder, loc));
  builder.setInsertionPointToStart(module->getBody());
  auto function =
      func::FuncOp::create(builder, loc, "main",
                           builder.getFunctionType(argumentTypes, resultTypes));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  ValueRange arguments = body->getArguments();
  Value value =
      convolution(builder, loc, problem, arguments.take_front(2), sumType);
  if (problem.epilogue.changesResult() || problem.accumulate ||
      sumType != *resultType)
    value = epilogue(builder, loc, problem, value, arguments.drop_front(2),
                     *resultType);
  SmallVector<Value> results{value};
  if (problem.epilogue.biasGradient) {
    auto type = cast<RankedTensorType>(resultTypes[1]);
    Value db =
        sumOverPositions(builder, loc, problem, arguments[1], type.clone(sum));
    results.push_back(rounded(builder, loc, db, type));
  }
  func::ReturnOp::create(builder, loc, results);
  return module;
}
