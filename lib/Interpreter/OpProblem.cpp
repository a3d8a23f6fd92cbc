//===- OpProblem.cpp - the problem of an operation ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Interpreter/OpProblem.h"

#include "conv/Dialect/Conv/IR/ConvOps.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::ElementType;
using convmlir::Error;
using convmlir::Problem;
using convmlir::Result;

Type conv::getElementType(MLIRContext *context, ElementType type) {
  switch (type) {
  case ElementType::F16:
    return Float16Type::get(context);
  case ElementType::BF16:
    return BFloat16Type::get(context);
  case ElementType::F32:
    return Float32Type::get(context);
  case ElementType::F64:
    return Float64Type::get(context);
  case ElementType::S8:
    return IntegerType::get(context, 8);
  case ElementType::S32:
    return IntegerType::get(context, 32);
  case ElementType::E4M3:
    return Float8E4M3FNType::get(context);
  case ElementType::E5M2:
    return Float8E5M2Type::get(context);
  case ElementType::TF32:
    return {};
  }
  return {};
}

std::optional<ElementType> conv::getElementType(Type type) {
  for (ElementType candidate : convmlir::allElementTypes)
    if (getElementType(type.getContext(), candidate) == type)
      return candidate;
  return std::nullopt;
}

Result<Problem> conv::getProblem(ConvOpInterface op) {
  auto nameOf = [](Type type) -> std::string {
    std::optional<ElementType> element = getElementType(type);
    return element ? toString(*element) : "";
  };
  Problem problem;
  problem.kind = op.getConvKind();
  if (FailureOr<convmlir::ConvGeometry> geometry = op.getGeometry();
      succeeded(geometry))
    problem.geometry = *geometry;
  problem.type = isa<FloatTF32Type>(op.getFactorType())
                     ? toString(ElementType::TF32)
                     : nameOf(op.getSourceElementType());
  if (op.getSecondElementType() != op.getSourceElementType())
    problem.secondType = nameOf(op.getSecondElementType());
  problem.outType = nameOf(op.getDestType().getElementType());
  problem.layout = op.getLayout() == Layout::NHWC
                       ? convmlir::TensorLayout::NHWC
                       : convmlir::TensorLayout::NCHW;
  for (Type type :
       {op.getSourceElementType(), op.getDestType().getElementType()})
    if (nameOf(type).empty()) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      return Error{"element type " + text + " is none of those that a " +
                   "convolution can have (" + convmlir::elementTypeNames() +
                   ")"};
    }
  return problem;
}
