//===- Tensors.cpp - tensors made of others -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensors.h"
#include "ScalarConvert.h"
#include "conv/Dialect/Conv/IR/Transposition.h"
#include "conv/Dialect/StableHLO/IR/StableHLOOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace mlir::conv;

Value conv::emitShape(OpBuilder &builder, Location loc, Value tensor,
                      ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getShape() == shape)
    return tensor;
  RankedTensorType target = type.clone(shape);
  auto groups = getReassociationIndicesForReshape(type, target);
  if (!groups)
    return emitReshape(builder, loc, tensor, shape);
  if (target.getRank() < type.getRank())
    return tensor::CollapseShapeOp::create(builder, loc, target, tensor,
                                           *groups);
  return tensor::ExpandShapeOp::create(builder, loc, target, tensor, *groups);
}

Value conv::emitElementwise(
    OpBuilder &builder, Location loc, RankedTensorType type, ValueRange inputs,
    ArrayRef<AffineMap> maps,
    function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  Value init = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                       type.getElementType());
  SmallVector<AffineMap> all(maps);
  all.push_back(builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, type, inputs, init, all, loops,
             [&](OpBuilder &inner, Location at, ValueRange elements) {
               Value made = body(inner, at, elements);
               linalg::YieldOp::create(inner, at, made);
             })
      .getResult(0);
}

/// A number as one of another type of floats; null where it cannot be.
static TypedAttr convertNumber(TypedAttr number, Type element) {
  if (!number || number.getType() == element)
    return number;
  if (!isa<FloatType>(element))
    return nullptr;
  auto integer = dyn_cast<IntegerAttr>(number);
  if (!integer)
    return FloatAttr::get(element, cast<FloatAttr>(number).getValueAsDouble());
  APFloat value(cast<FloatType>(element).getFloatSemantics());
  value.convertFromAPInt(integer.getValue(),
                         /*IsSigned=*/!integer.getType().isInteger(1),
                         APFloat::rmNearestTiesToEven);
  return FloatAttr::get(element, value);
}

TypedAttr conv::getNumber(Value tensor, Type element) {
  TypedAttr number;
  Type own = getElementTypeOrSelf(tensor);
  if (auto convert = tensor.getDefiningOp<stablehlo::ConvertOp>())
    number = getNumber(convert.getOperand(), own);
  else if (auto spread = tensor.getDefiningOp<stablehlo::BroadcastInDimOp>())
    number = getNumber(spread.getOperand(), own);
  else if (auto constant = tensor.getDefiningOp<stablehlo::ConstantOp>())
    if (auto elements = dyn_cast<SplatElementsAttr>(constant.getValue()))
      number = cast<TypedAttr>(elements.getSplatValue<Attribute>());
  return convertNumber(number, element);
}

Value conv::emitSlice(OpBuilder &builder, Location loc, RankedTensorType type,
                      Value tensor, ArrayRef<int64_t> starts,
                      ArrayRef<int64_t> steps) {
  auto toIndices = [&](ArrayRef<int64_t> numbers) {
    return getAsIndexOpFoldResult(builder.getContext(), numbers);
  };
  return tensor::ExtractSliceOp::create(builder, loc, type, tensor,
                                        toIndices(starts),
                                        toIndices(type.getShape()),
                                        toIndices(steps));
}

Value conv::emitFilled(OpBuilder &builder, Location loc, TypedAttr number,
                       ArrayRef<int64_t> shape) {
  Value value = arith::ConstantOp::create(builder, loc, number);
  Value empty = tensor::EmptyOp::create(builder, loc, shape, number.getType());
  return linalg::FillOp::create(builder, loc, value, empty).getResult(0);
}

Value conv::emitZeros(OpBuilder &builder, Location loc, RankedTensorType type) {
  return emitFilled(builder, loc, builder.getZeroAttr(type.getElementType()),
                    type.getShape());
}

Value conv::emitConvert(OpBuilder &builder, Location loc, Value tensor,
                        Type element) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getElementType() == element)
    return tensor;
  return emitElementwise(
      builder, loc, type.clone(element), tensor,
      builder.getMultiDimIdentityMap(type.getRank()),
      [&](OpBuilder &inner, Location at, ValueRange elements) {
        return emitScalarConvert(inner, at, elements[0], element);
      });
}
