//===- ConvShapes.cpp - tensors of a convolution and its geometry ---------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a geometry and a layout, or the types of x and w. Output: shapes and
// types, or the geometry.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvShapes.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvGeometry;
using convmlir::ConvKind;

unsigned conv::getOperandIndex(ConvKind kind, TensorRole role) {
  switch (kind) {
  case ConvKind::Forward: // ins(x, w) outs(y)
    return role == TensorRole::Input ? 0 : role == TensorRole::Filter ? 1 : 2;
  case ConvKind::Dgrad: // ins(dy, w) outs(dx)
    return role == TensorRole::Output ? 0 : role == TensorRole::Filter ? 1 : 2;
  case ConvKind::Wgrad: // ins(x, dy) outs(dw)
    return role == TensorRole::Input ? 0 : role == TensorRole::Output ? 1 : 2;
  }
  llvm_unreachable("unknown kind of convolution");
}

TensorRole conv::getRole(ConvKind kind, unsigned operandIndex) {
  for (TensorRole role : {TensorRole::Input, TensorRole::Filter})
    if (getOperandIndex(kind, role) == operandIndex)
      return role;
  return TensorRole::Output;
}

StringRef conv::getOperandName(ConvKind kind, TensorRole role) {
  switch (role) {
  case TensorRole::Input:
    return kind == ConvKind::Dgrad ? "dx" : "x";
  case TensorRole::Filter:
    return kind == ConvKind::Wgrad ? "dw" : "w";
  case TensorRole::Output:
    return kind == ConvKind::Forward ? "y" : "dy";
  }
  llvm_unreachable("unknown role of a tensor");
}

SmallVector<int64_t> conv::getShape(const ConvGeometry &geometry, Layout layout,
                                    TensorRole role) {
  convmlir::Spatial extents{};
  int64_t outer = 0, channels = 0;
  switch (role) {
  case TensorRole::Input:
    outer = geometry.n, extents = geometry.input, channels = geometry.c;
    break;
  case TensorRole::Filter:
    outer = geometry.k, extents = geometry.filter;
    channels = geometry.c / geometry.groups;
    break;
  case TensorRole::Output:
    outer = geometry.n, extents = geometry.outputs(), channels = geometry.k;
    break;
  }
  int rank = geometry.spatialRank;
  SmallVector<int64_t> shape(rank + 2);
  shape[kOuterDim] = outer;
  shape[getChannelDim(layout, rank)] = channels;
  for (int d = 0; d < rank; ++d)
    shape[getSpatialDim(layout, d)] = extents[d];
  return shape;
}

ConvGeometry conv::completeGeometry(const ConvGeometry &window, ShapedType x,
                                    ShapedType w, Layout layout) {
  assert(x.getRank() == w.getRank() && "x and w of different rank");
  ConvGeometry geometry = window;
  int rank = x.getRank() - 2;
  geometry.spatialRank = rank;
  if (rank < 1 || rank > convmlir::kMaxSpatialRank)
    return geometry; // check() refuses it.
  geometry.n = x.getDimSize(kOuterDim);
  geometry.c = x.getDimSize(getChannelDim(layout, rank));
  geometry.k = w.getDimSize(kOuterDim);
  for (int d = 0; d < rank; ++d) {
    geometry.input[d] = x.getDimSize(getSpatialDim(layout, d));
    geometry.filter[d] = w.getDimSize(getSpatialDim(layout, d));
  }
  return geometry;
}

/// The tensor of a role, if the geometry is well formed.
static convmlir::Result<RankedTensorType>
inferType(const ConvGeometry &geometry, Layout layout, TensorRole role,
          Type elementType) {
  if (convmlir::Status status = geometry.check(); !status)
    return status.takeError();
  return RankedTensorType::get(getShape(geometry, layout, role), elementType);
}

convmlir::Result<RankedTensorType>
conv::inferForwardType(RankedTensorType x, RankedTensorType w,
                       const ConvGeometry &window, Layout layout,
                       Type elementType) {
  if (x.getRank() != w.getRank())
    return convmlir::violation(
        convmlir::Constraint::OperandRank,
        "w must have rank " + std::to_string(x.getRank()) +
            ", as x has, but has rank " + std::to_string(w.getRank()));
  return inferType(completeGeometry(window, x, w, layout), layout,
                   TensorRole::Output,
                   elementType ? elementType : x.getElementType());
}

convmlir::Result<RankedTensorType>
conv::inferWgradType(RankedTensorType x, const ConvGeometry &window,
                     Layout layout, Type elementType) {
  ConvGeometry geometry = completeGeometry(window, x, x, layout);
  geometry.k = window.k;
  geometry.filter = window.filter;
  return inferType(geometry, layout, TensorRole::Filter,
                   elementType ? elementType : x.getElementType());
}
