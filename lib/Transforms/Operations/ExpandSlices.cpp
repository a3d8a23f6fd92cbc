//===- ExpandSlices.cpp - parts of tensors as operations with loops -------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  tensor.extract_slice, tensor.insert_slice and tensor.concat, their
//         shapes, offsets and strides constant.
// Output: a linalg.generic of each, that reads the source by position.
//
// What other linalg operations read out of order, or at computed positions,
// they read by position, too.
//
//===----------------------------------------------------------------------===//

#include "PieceLoops.h"
#include "PositionedReads.h"
#include "conv/Transforms/Operations/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVEXPANDSLICES
#include "conv/Transforms/Operations/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

namespace {
/// Where a slice lies.
struct Place {
  SmallVector<int64_t> offsets, sizes, strides;
};
} // namespace

/// Nothing unless all is known, and the result has loops.
template <typename SliceOp>
static std::optional<Place> readPlace(SliceOp slice) {
  auto offsets = getConstantIntValues(slice.getMixedOffsets());
  auto sizes = getConstantIntValues(slice.getMixedSizes());
  auto strides = getConstantIntValues(slice.getMixedStrides());
  if (!offsets || !sizes || !strides ||
      !slice.getSourceType().hasStaticShape() ||
      !slice.getType().hasStaticShape() || slice.getType().getRank() == 0)
    return std::nullopt;
  return Place{*offsets, *sizes, *strides};
}

static Value expandExtract(OpBuilder &builder, tensor::ExtractSliceOp slice) {
  std::optional<Place> place = readPlace(slice);
  if (!place || slice.getSourceType().getNumElements() == 0)
    return Value();
  return emitPart(builder, slice.getLoc(), slice.getType(), slice.getSource(),
                  place->offsets, place->strides, slice.getDroppedDims());
}

/// The source with the dimensions of extent 1 that the result has besides.
static Value addUnitDims(OpBuilder &builder, tensor::InsertSliceOp slice,
                         ArrayRef<int64_t> sizes) {
  RankedTensorType type = slice.getSourceType().clone(sizes);
  if (type == slice.getSourceType())
    return slice.getSource();
  auto groups = getReassociationIndicesForReshape(slice.getSourceType(), type);
  if (!groups)
    return Value();
  return tensor::ExpandShapeOp::create(builder, slice.getLoc(), type,
                                       slice.getSource(), *groups);
}

static Value expandInsert(OpBuilder &builder, tensor::InsertSliceOp slice) {
  std::optional<Place> place = readPlace(slice);
  if (!place)
    return Value();
  Value source = addUnitDims(builder, slice, place->sizes);
  if (!source)
    return Value();
  Value base = slice.getDest();
  // What is filled is not read.
  if (auto fill = base.getDefiningOp<linalg::FillOp>())
    base = fill.getInputs().front();
  return emitPieces(builder, slice.getLoc(), slice.getType(), base,
                    Piece{source, place->offsets, place->strides});
}

static Value expandConcat(OpBuilder &builder, tensor::ConcatOp concat) {
  RankedTensorType type = concat.getResultType();
  auto isStatic = [](Type input) {
    return cast<RankedTensorType>(input).hasStaticShape();
  };
  if (!type.hasStaticShape() || type.getNumElements() == 0 ||
      !llvm::all_of(concat.getInputs().getTypes(), isStatic))
    return Value();
  SmallVector<Piece> pieces;
  SmallVector<int64_t> offsets(type.getRank(), 0), strides(type.getRank(), 1);
  for (Value input : concat.getInputs()) {
    pieces.push_back({input, offsets, strides});
    offsets[concat.getDim()] +=
        cast<RankedTensorType>(input.getType()).getDimSize(concat.getDim());
  }
  return emitPieces(builder, concat.getLoc(), type, Value(), pieces);
}

static Value expand(OpBuilder &builder, Operation *op) {
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](tensor::ExtractSliceOp slice) {
        return expandExtract(builder, slice);
      })
      .Case([&](tensor::InsertSliceOp slice) {
        return expandInsert(builder, slice);
      })
      .Case([&](tensor::ConcatOp concat) {
        return expandConcat(builder, concat);
      })
      .Default(Value());
}

namespace {
struct ConvExpandSlices
    : public conv::impl::ConvExpandSlicesBase<ConvExpandSlices> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    for (Block &block : getOperation().getBody())
      for (Operation &op : block)
        if (isa<tensor::ExtractSliceOp, tensor::InsertSliceOp,
                tensor::ConcatOp>(op))
          ops.push_back(&op);
    for (Operation *op : ops) {
      OpBuilder builder(op);
      Value made = expand(builder, op);
      if (!made)
        continue;
      op->getResult(0).replaceAllUsesWith(made);
      op->erase();
    }
    readByPosition(getOperation());
    flattenReads(getOperation());
  }
};
} // namespace
