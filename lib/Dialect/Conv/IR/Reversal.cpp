//===- Reversal.cpp - tensors backwards -----------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/Reversal.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::conv;

//===----------------------------------------------------------------------===//
// Made
//===----------------------------------------------------------------------===//

/// Where the element lies, in row-major order, that comes to the position of
/// the loops when `dims` are read backwards.
static Value emitReversedPosition(OpBuilder &builder, Location loc,
                                  ArrayRef<int64_t> shape,
                                  ArrayRef<int64_t> dims) {
  SmallVector<int64_t> strides = computeSuffixProduct(shape);
  int64_t first = 0;
  Value position;
  for (int64_t dim = shape.size(); dim-- > 0;) {
    bool isReversed = llvm::is_contained(dims, dim);
    first += isReversed ? (shape[dim] - 1) * strides[dim] : 0;
    Value index = linalg::IndexOp::create(builder, loc, dim);
    Value stride = arith::ConstantIndexOp::create(
        builder, loc, isReversed ? -strides[dim] : strides[dim]);
    Value step = arith::MulIOp::create(builder, loc, index, stride);
    position = position
                   ? arith::AddIOp::create(builder, loc, position, step)
                   : step;
  }
  return arith::AddIOp::create(
      builder, loc, position,
      arith::ConstantIndexOp::create(builder, loc, first));
}

/// A plain kernel reads a row of elements in any order, but walks a tensor of
/// several dimensions forwards.
Value conv::emitReverse(OpBuilder &builder, Location loc, Value tensor,
                        ArrayRef<int64_t> dims) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t rank = type.getRank();
  if (dims.empty() || type.getNumElements() == 0)
    return tensor;
  SmallVector<ReassociationIndices> all = {
      llvm::to_vector(llvm::seq<int64_t>(rank))};
  Value row = rank == 1 ? tensor
                        : tensor::CollapseShapeOp::create(builder, loc, tensor,
                                                          all)
                              .getResult();
  Value init = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                       type.getElementType());
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, type, ValueRange(), init,
             builder.getMultiDimIdentityMap(rank), loops,
             [&](OpBuilder &inner, Location at, ValueRange) {
               Value position =
                   emitReversedPosition(inner, at, type.getShape(), dims);
               Value element =
                   tensor::ExtractOp::create(inner, at, row, position);
               linalg::YieldOp::create(inner, at, element);
             })
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Recognised
//===----------------------------------------------------------------------===//

/// Whether an index is loop `dim`, forwards (false) or backwards (true).
static std::optional<bool> readDirection(AffineExpr index, int64_t dim,
                                         int64_t extent) {
  AffineExpr loop = getAffineDimExpr(dim, index.getContext());
  if (index == loop)
    return false;
  if (index == extent - 1 - loop)
    return true;
  return std::nullopt;
}

static std::optional<bool> readDirection(Value index, int64_t dim,
                                         int64_t extent) {
  auto isLoop = [&](Value value) {
    auto loop = value.getDefiningOp<linalg::IndexOp>();
    return loop && loop.getDim() == uint64_t(dim);
  };
  if (isLoop(index))
    return false;
  auto difference = index.getDefiningOp<arith::SubIOp>();
  if (difference && isLoop(difference.getRhs()) &&
      getConstantIntValue(difference.getLhs()) == extent - 1)
    return true;
  return std::nullopt;
}

template <typename Range>
static std::optional<Reversal> readReversal(Value source, Range indices,
                                            RankedTensorType made) {
  if (source.getType() != made)
    return std::nullopt;
  Reversal reversal{source, {}};
  for (auto [dim, index] : llvm::enumerate(indices)) {
    std::optional<bool> isBackwards =
        readDirection(index, dim, made.getDimSize(dim));
    if (!isBackwards)
      return std::nullopt;
    if (*isBackwards)
      reversal.dims.push_back(dim);
  }
  return reversal;
}

std::optional<Reversal> conv::matchReversal(Value value) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumResults() != 1 || op.getNumReductionLoops() != 0 ||
      !op.hasPureTensorSemantics() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return std::nullopt;
  auto made = cast<RankedTensorType>(value.getType());
  Value element = op.getBody()->getTerminator()->getOperand(0);
  if (auto extract = element.getDefiningOp<tensor::ExtractOp>())
    return readReversal(extract.getTensor(), extract.getIndices(), made);
  auto argument = dyn_cast<BlockArgument>(element);
  if (!argument || argument.getOwner() != op.getBody() ||
      argument.getArgNumber() >= op.getNumDpsInputs())
    return std::nullopt;
  OpOperand *input = op.getDpsInputOperand(argument.getArgNumber());
  return readReversal(input->get(),
                      op.getMatchingIndexingMap(input).getResults(), made);
}
