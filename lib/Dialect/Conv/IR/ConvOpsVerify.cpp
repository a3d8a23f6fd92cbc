//===- ConvOpsVerify.cpp - rules of the convolutions ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: an operation that implements ConvOpInterface. Output: its geometry, or
// the first rule of docs/ConvSpec.md that it breaks. The rules on the shape of
// a convolution are ConvGeometry::check(); those on operands are here.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvOps.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::Constraint;
using convmlir::ConvGeometry;
using convmlir::ConvKind;
using convmlir::Spatial;
using convmlir::Status;
using convmlir::violation;

static constexpr TensorRole kRoles[] = {TensorRole::Input, TensorRole::Filter,
                                        TensorRole::Output};

/// The type in quotes, as diagnostics print types.
static std::string toString(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << "'" << type << "'";
  return text;
}

static std::string nameOf(ConvOpInterface op, TensorRole role) {
  return getOperandName(op.getConvKind(), role).str();
}

/// The letter of a dimension of an operand.
static std::string dimensionName(const ConvGeometry &geometry, Layout layout,
                                 TensorRole role, int64_t dim) {
  if (dim == kOuterDim)
    return role == TensorRole::Filter ? "K" : "N";
  if (dim == getChannelDim(layout, geometry.spatialRank))
    return role == TensorRole::Input    ? "C"
           : role == TensorRole::Filter ? "C/G"
                                        : "K";
  int spatial = dim - getSpatialDim(layout, 0);
  switch (role) {
  case TensorRole::Input:
    return {geometry.inputLetter(spatial)};
  case TensorRole::Filter:
    return {geometry.filterLetter(spatial)};
  case TensorRole::Output:
    return {geometry.outputLetter(spatial)};
  }
  llvm_unreachable("unknown role of a tensor");
}

//===----------------------------------------------------------------------===//
// Rules on operands and attributes
//===----------------------------------------------------------------------===//

static Status checkOperands(ConvOpInterface op) {
  bool onTensors = isa<RankedTensorType>(op.getDestType());
  int64_t rank = op.getInputType().getRank();
  for (TensorRole role : kRoles) {
    ShapedType type = op.getTypeOf(role);
    std::string found = nameOf(op, role) + " is " + toString(type);
    if (isa<RankedTensorType>(type) != onTensors)
      return violation(Constraint::OneValueKind,
                       "operands must be all tensors or all buffers, but " +
                           found + " while the destination is " +
                           toString(op.getDestType()));
    if (!type.hasStaticShape())
      return violation(Constraint::StaticShape,
                       "operands must have static shapes, but " + found);
    if (type.getRank() != rank)
      return violation(
          Constraint::OperandRank,
          nameOf(op, role) + " must have rank " + std::to_string(rank) +
              ", as " + nameOf(op, TensorRole::Input) + " has, but " + found);
  }
  return {};
}

/// Copies an attribute into the geometry if it has `rank` entries.
static Status readSpatial(StringRef name, ArrayRef<int64_t> values, int rank,
                          Spatial &result) {
  if (int(values.size()) != rank)
    return violation(Constraint::AttributeLength,
                     name.str() + " must have " + std::to_string(rank) +
                         " entries, one per spatial dimension, but has " +
                         std::to_string(values.size()));
  llvm::copy(values, result.begin());
  return {};
}

static Status readWindow(ConvOpInterface op, ConvGeometry &geometry) {
  int rank = geometry.spatialRank;
  geometry.groups = op.getGroups();
  geometry.flip = op.getFlip();
  struct {
    StringRef name;
    ArrayRef<int64_t> values;
    Spatial &result;
  } lists[] = {
      {"stride", op.getStride(), geometry.stride},
      {"pad_low", op.getPadLow(), geometry.padLow},
      {"pad_high", op.getPadHigh(), geometry.padHigh},
      {"dilation", op.getDilation(), geometry.dilation},
      {"input_dilation", op.getInputDilation(), geometry.inputDilation}};
  for (auto &list : lists)
    if (Status status = readSpatial(list.name, list.values, rank, list.result);
        !status)
      return status;
  return {};
}

static Status checkExtents(ConvOpInterface op, const ConvGeometry &geometry) {
  for (TensorRole role : kRoles) {
    ShapedType type = op.getTypeOf(role);
    SmallVector<int64_t> expected = getShape(geometry, op.getLayout(), role);
    for (auto [dim, pair] :
         llvm::enumerate(llvm::zip_equal(type.getShape(), expected))) {
      auto [have, want] = pair;
      if (have != want)
        return violation(
            Constraint::OperandExtent,
            "extent " + dimensionName(geometry, op.getLayout(), role, dim) +
                " of " + nameOf(op, role) + " must be " + std::to_string(want) +
                ", but " + nameOf(op, role) + " is " + toString(type));
    }
  }
  return {};
}

convmlir::Result<ConvGeometry>
conv::detail::readGeometry(Operation *operation) {
  auto op = cast<ConvOpInterface>(operation);
  if (Status status = checkOperands(op); !status)
    return status.takeError();
  ConvGeometry geometry;
  geometry.spatialRank = op.getInputType().getRank() - 2;
  if (geometry.spatialRank >= 1 &&
      geometry.spatialRank <= convmlir::kMaxSpatialRank)
    if (Status status = readWindow(op, geometry); !status)
      return status.takeError();
  geometry = completeGeometry(geometry, op.getInputType(), op.getFilterType(),
                              op.getLayout());
  if (Status status = geometry.check(); !status)
    return status.takeError();
  if (Status status = checkExtents(op, geometry); !status)
    return status.takeError();
  return geometry;
}

LogicalResult conv::detail::verifyConvOp(Operation *operation) {
  convmlir::Result<ConvGeometry> geometry = readGeometry(operation);
  if (!geometry)
    return operation->emitOpError() << geometry.error();
  auto op = cast<ConvOpInterface>(operation);
  Status status =
      checkElementTypes(op.getSourceElementType(), op.getSecondElementType(),
                        op.getDestType().getElementType(), op.getAccType());
  if (std::optional<Type> precision = op.getPrecisionType();
      precision && status)
    status = checkPrecision(op.getSourceElementType(), *precision);
  if (!status)
    return operation->emitOpError() << status.error();
  return success();
}
