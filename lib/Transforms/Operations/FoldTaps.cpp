//===- FoldTaps.cpp - taps of a filter as channels ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-fold-taps. Input: F1, operations whose schedule has `fold`. Output: the
// operations of conv/Geometry/FoldedTaps.h on copies of x and w, or with
// results from which dx and dw are picked.
//
// Every copy is a linalg.generic over its result that computes where its
// element comes from and reads it, from a tensor seen as one row of elements.
// What lies outside of the source reads its first element, and is then replaced
// by zero. Where windows are the tiles of an image, a copy is a transposition,
// or none (FoldedTiles.h). What folding leaves as it is has no copy.
//
//===----------------------------------------------------------------------===//

#include "FoldedTiles.h"
#include "Support/IndexMath.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Dialect/Conv/IR/ConvTypes.h"
#include "conv/Dialect/Conv/IR/ConvertElements.h"
#include "conv/Geometry/FoldedTaps.h"
#include "conv/Schedule/Schedule.h"
#include "conv/Schedule/Shape/FoldedResult.h"
#include "conv/Transforms/Operations/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVFOLDTAPS
#include "conv/Transforms/Operations/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvGeometry;
using convmlir::ConvKind;

namespace {

/// A tensor as one row of elements, and how far apart neighbours are in it
/// along each dimension. One that is transposed is read as it was before.
struct Source {
  Value tensor;
  SmallVector<int64_t> strides;
};

/// An element of a source: its indices, and the condition that it exists (null:
/// always).
struct Element {
  SmallVector<Value> indices;
  Value exists;
};

/// Folds taps of one operation. In all copies, dimension 1 + d of a tensor is
/// spatial dimension d; the last one are channels.
class TapFolder {
public:
  TapFolder(ConvOpInterface op, ArrayRef<int64_t> fold,
            const ConvGeometry &folded)
      : builder(op), op(op), loc(op.getLoc()), geometry(*op.getGeometry()),
        folded(folded), fold(fold) {}

  void rewrite();

private:
  using GetElement = function_ref<Element(IndexMath &, ValueRange)>;
  Source getSource(Value tensor);
  Value gather(Value tensor, ArrayRef<int64_t> shape, Type element,
               GetElement getElement);
  Element findInput(IndexMath &math, ValueRange position);
  Element findOutput(IndexMath &math, ValueRange position);
  Element findFilter(IndexMath &math, ValueRange position);
  Element findFoldedInput(IndexMath &math, ValueRange position);
  Element findFoldedFilter(IndexMath &math, ValueRange position);

  SmallVector<Value> splitChannel(IndexMath &math, Value channel);
  Value joinChannel(IndexMath &math, ArrayRef<Value> taps, Value channel);
  void addChannel(IndexMath &math, Value foldedChannel, Value channel,
                  Element &element);
  SmallVector<int64_t> getShape(int64_t first, const convmlir::Spatial &extents,
                                int64_t channels);
  template <typename Op>
  Value create(Value a, Value b, ArrayRef<int64_t> shape, Type element);

  OpBuilder builder;
  ConvOpInterface op;
  Location loc;
  ConvGeometry geometry, folded;
  ArrayRef<int64_t> fold;
};

} // namespace

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

Source TapFolder::getSource(Value tensor) {
  SmallVector<int64_t> order = llvm::to_vector(
      llvm::seq<int64_t>(cast<RankedTensorType>(tensor.getType()).getRank()));
  while (auto transpose = tensor.getDefiningOp<linalg::TransposeOp>()) {
    for (int64_t &dim : order)
      dim = transpose.getPermutation()[dim];
    tensor = transpose.getInput();
  }
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tensor.getType()).getShape();
  SmallVector<int64_t> strides = computeSuffixProduct(shape);
  SmallVector<ReassociationIndices> all = {
      llvm::to_vector(llvm::seq<int64_t>(shape.size()))};
  return {
      tensor::CollapseShapeOp::create(builder, loc, tensor, all),
      llvm::map_to_vector(order, [&](int64_t dim) { return strides[dim]; })};
}

/// A tensor of `shape` whose elements are those of `tensor` that `getElement`
/// finds, or zero.
Value TapFolder::gather(Value tensor, ArrayRef<int64_t> shape, Type element,
                        GetElement getElement) {
  Source source = getSource(tensor);
  Value empty = tensor::EmptyOp::create(builder, loc, shape, element);
  SmallVector<utils::IteratorType> iterators(shape.size(),
                                             utils::IteratorType::parallel);
  auto emitBody = [&](OpBuilder &b, Location loc, ValueRange) {
    SmallVector<Value> position;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      position.push_back(linalg::IndexOp::create(b, loc, dim));
    IndexMath math(b, loc);
    Element found = getElement(math, position);
    Value offset = math.constant(0);
    for (auto [index, stride] : llvm::zip_equal(found.indices, source.strides))
      offset = math.add(offset, math.mul(index, stride));
    offset = math.select(found.exists, offset, math.constant(0));
    Value value = convertScalarToDtype(
        b, loc, tensor::ExtractOp::create(b, loc, source.tensor, offset),
        element, /*isUnsignedCast=*/false);
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
    linalg::YieldOp::create(b, loc, math.select(found.exists, value, zero));
  };
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), ValueRange(), empty,
             builder.getMultiDimIdentityMap(shape.size()), iterators, emitBody)
      .getResult(0);
}

/// The folded tap of each dimension, and the channel.
SmallVector<Value> TapFolder::splitChannel(IndexMath &math, Value channel) {
  SmallVector<Value> parts = {math.rem(channel, geometry.c)};
  Value taps = math.div(channel, geometry.c);
  for (int64_t number : llvm::reverse(fold)) {
    parts.push_back(number == 1 ? math.constant(0) : math.rem(taps, number));
    taps = math.div(taps, number);
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

Value TapFolder::joinChannel(IndexMath &math, ArrayRef<Value> taps,
                             Value channel) {
  Value joined = math.constant(0);
  for (auto [tap, number] : llvm::zip_equal(taps, fold))
    joined = math.add(math.mul(joined, number), tap);
  return math.add(math.mul(joined, geometry.c), channel);
}

/// Adds the channel of a folded one to an element. It exists where the folded
/// one is no padding.
void TapFolder::addChannel(IndexMath &math, Value foldedChannel, Value channel,
                           Element &element) {
  int64_t channels = convmlir::countFoldedChannels(geometry, fold.vec());
  if (channels < folded.c)
    element.exists =
        math.both(element.exists, math.isBelow(foldedChannel, channels));
  element.indices.push_back(channel);
}

/// The element of x that is at a position of x'.
Element TapFolder::findInput(IndexMath &math, ValueRange position) {
  SmallVector<Value> parts = splitChannel(math, position.back());
  Element found = {{position.front()}, Value()};
  for (int d = 0; d < geometry.spatialRank; ++d) {
    Value index = position[1 + d];
    if (fold[d] > 1) {
      index = math.add(math.mul(index, geometry.stride[d]),
                       math.mul(parts[d], geometry.dilation[d]));
      index = math.add(index, -geometry.padLow[d]);
      int64_t last = (folded.input[d] - 1) * geometry.stride[d] +
                     (fold[d] - 1) * geometry.dilation[d] - geometry.padLow[d];
      if (geometry.padLow[d] > 0 || last >= geometry.input[d])
        found.exists =
            math.both(found.exists, math.isBelow(index, geometry.input[d]));
    }
    found.indices.push_back(index);
  }
  addChannel(math, position.back(), parts.back(), found);
  return found;
}

/// The element of y that is at a position of y'.
Element TapFolder::findOutput(IndexMath &math, ValueRange position) {
  return {SmallVector<Value>(position),
          math.isBelow(position.back(), geometry.k)};
}

/// The element of w that is at a position of w'.
Element TapFolder::findFilter(IndexMath &math, ValueRange position) {
  SmallVector<Value> parts = splitChannel(math, position.back());
  Element found = {{position.front()}, Value()};
  if (foldsOutput(geometry, folded))
    found.exists = math.isBelow(position.front(), geometry.k);
  for (int d = 0; d < geometry.spatialRank; ++d) {
    Value tap = math.add(math.mul(position[1 + d], fold[d]), parts[d]);
    if (fold[d] * folded.filter[d] > geometry.filter[d])
      found.exists =
          math.both(found.exists, math.isBelow(tap, geometry.filter[d]));
    if (geometry.flip)
      tap = math.sub(math.constant(geometry.filter[d] - 1), tap);
    found.indices.push_back(tap);
  }
  addChannel(math, position.back(), parts.back(), found);
  return found;
}

/// The element of dx' that is a position of dx. It exists where a window
/// reaches that.
Element TapFolder::findFoldedInput(IndexMath &math, ValueRange position) {
  Element found = {{position.front()}, Value()};
  SmallVector<Value> taps;
  for (int d = 0; d < geometry.spatialRank; ++d) {
    Value index = position[1 + d], tap = math.constant(0);
    if (fold[d] > 1) {
      int64_t stride = geometry.stride[d], dilation = geometry.dilation[d];
      int64_t extent = folded.input[d] * stride, low = geometry.padLow[d];
      Value shifted = math.add(index, low);
      if (low < 0 || geometry.input[d] + low > extent)
        found.exists = math.both(found.exists, math.isBelow(shifted, extent));
      index = math.div(shifted, stride);
      Value rest = math.rem(shifted, stride);
      tap = math.div(rest, dilation);
      if (dilation > 1)
        found.exists =
            math.both(found.exists, math.isBelow(math.rem(rest, dilation), 1));
      if (fold[d] * dilation < stride)
        found.exists = math.both(found.exists, math.isBelow(tap, fold[d]));
    }
    taps.push_back(tap);
    found.indices.push_back(index);
  }
  found.indices.push_back(joinChannel(math, taps, position.back()));
  return found;
}

/// The element of dw' that is a position of dw.
Element TapFolder::findFoldedFilter(IndexMath &math, ValueRange position) {
  Element found = {{position.front()}, Value()};
  SmallVector<Value> taps;
  for (int d = 0; d < geometry.spatialRank; ++d) {
    Value tap = position[1 + d];
    if (geometry.flip)
      tap = math.sub(math.constant(geometry.filter[d] - 1), tap);
    taps.push_back(fold[d] == 1 ? math.constant(0) : math.rem(tap, fold[d]));
    found.indices.push_back(math.div(tap, fold[d]));
  }
  found.indices.push_back(joinChannel(math, taps, position.back()));
  return found;
}

//===----------------------------------------------------------------------===//
// Operation
//===----------------------------------------------------------------------===//

SmallVector<int64_t> TapFolder::getShape(int64_t first,
                                         const convmlir::Spatial &extents,
                                         int64_t channels) {
  SmallVector<int64_t> shape = {first};
  shape.append(extents.begin(), extents.begin() + geometry.spatialRank);
  shape.push_back(channels);
  return shape;
}

/// The operation on folded operands.
template <typename Op>
Value TapFolder::create(Value a, Value b, ArrayRef<int64_t> shape,
                        Type element) {
  Value dest = tensor::EmptyOp::create(builder, loc, shape, element);
  auto created =
      Op::create(builder, loc, a, b, dest, folded, Layout::NHWC,
                 op.getAccType(), op.getPrecisionType().value_or(Type()));
  StringRef name = ScheduleAttr::attributeName();
  created->setAttr(name, op->getAttr(name));
  return created->getResult(0);
}

void TapFolder::rewrite() {
  Type sum = getFoldedResultType(op);
  // What rounds dx is part of the operation that makes dx'.
  Operation *last = op;
  if (linalg::GenericOp rounding = getRoundingOfDgrad(op))
    last = rounding;
  auto type = cast<RankedTensorType>(last->getResult(0).getType());
  Type element = type.getElementType();
  SmallVector<int64_t> inputShape =
      getShape(geometry.n, folded.input, folded.c);
  SmallVector<int64_t> filterShape =
      getShape(folded.k, folded.filter, folded.c);
  using Find = Element (TapFolder::*)(IndexMath &, ValueRange);
  auto gatherBy = [&](Value tensor, ArrayRef<int64_t> shape, Type element,
                      Find find) {
    return gather(tensor, shape, element,
                  [&](IndexMath &math, ValueRange position) {
                    return (this->*find)(math, position);
                  });
  };
  bool isTiled = hasFoldedTiles(geometry, folded, fold);
  bool isReshaped = isTiled && !foldsOutput(geometry, folded);
  ConvKind kind = op.getConvKind();
  Value x = op.getInput(), w = op.getFilter(), y = op.getOutput(), result;
  // What is transposed already is read once only.
  if (kind != ConvKind::Dgrad && foldsInput(geometry, folded))
    x = isTiled && !x.getDefiningOp<linalg::TransposeOp>()
            ? foldTiles(builder, loc, x, geometry, folded)
            : gatherBy(x, inputShape, getElementTypeOrSelf(x),
                       &TapFolder::findInput);
  if (kind != ConvKind::Wgrad && foldsFilter(geometry, folded))
    w = isReshaped ? reshapeElements(builder, loc, w, filterShape)
                   : gatherBy(w, filterShape, getElementTypeOrSelf(w),
                              &TapFolder::findFilter);
  if (kind != ConvKind::Forward && foldsOutput(geometry, folded)) {
    auto shape =
        llvm::to_vector(cast<RankedTensorType>(y.getType()).getShape());
    shape.back() = folded.k;
    y = gatherBy(y, shape, getElementTypeOrSelf(y), &TapFolder::findOutput);
  }
  switch (kind) {
  case ConvKind::Forward:
    result = create<ForwardOp>(x, w, type.getShape(), sum);
    break;
  case ConvKind::Dgrad:
    result = create<DgradOp>(y, w, inputShape, sum);
    if (foldsInput(geometry, folded))
      result = isTiled ? unfoldTiles(builder, loc, result, geometry, folded)
                       : gatherBy(result, type.getShape(), element,
                                  &TapFolder::findFoldedInput);
    break;
  case ConvKind::Wgrad:
    result = create<WgradOp>(x, y, filterShape, sum);
    if (foldsFilter(geometry, folded))
      result = isReshaped
                   ? reshapeElements(builder, loc, result, type.getShape())
                   : gatherBy(result, type.getShape(), element,
                              &TapFolder::findFoldedFilter);
    break;
  }
  result = convertElements(builder, loc, result, element);
  last->getResult(0).replaceAllUsesWith(result);
  if (last != op)
    last->erase();
  op->erase();
}

namespace {
struct ConvFoldTaps : public conv::impl::ConvFoldTapsBase<ConvFoldTaps> {
  void runOnOperation() override {
    SmallVector<ConvOpInterface> ops;
    getOperation().walk([&](ConvOpInterface op) { ops.push_back(op); });
    for (ConvOpInterface op : ops)
      if (failed(foldTaps(op)))
        return signalPassFailure();
  }

  static LogicalResult foldTaps(ConvOpInterface op) {
    auto schedule =
        op->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
    if (!schedule || schedule.getFold().empty())
      return success();
    if (!isa<RankedTensorType>(op.getDestType()))
      return op->emitOpError(
          "cannot fold taps: it is on buffers, not on tensors");
    if (op.getLayout() != Layout::NHWC)
      return op->emitOpError("cannot fold taps: needs the layout nhwc");
    if (op.getAccumulate())
      return op->emitOpError("cannot fold taps: its result is accumulated");
    auto folded = getFoldedGeometry(op, schedule.getFold());
    if (!folded)
      return op->emitOpError("cannot fold taps: ") << folded.error();
    TapFolder(op, schedule.getFold(), *folded).rewrite();
    return success();
  }
};
} // namespace
