//===- ConvDepthwiseOp.cpp - sums over taps, channel by channel -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/Depthwise.h"
#include "conv/Dialect/Conv/IR/ViewOperands.h"

#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

static int64_t getSplit(ScheduleAttr schedule) {
  return schedule ? schedule.getSplit() : 1;
}

/// Tensor cores add up the images of a gradient; else each has sums of its own.
static int64_t countSums(ShapedType source, ShapedType filter,
                         ScheduleAttr schedule) {
  bool addsImages = filter.getRank() == 3 && multipliesBands(schedule);
  int64_t images = addsImages ? 1 : source.getShape().front();
  return images * getSplit(schedule);
}

static SmallVector<int64_t> getPositions(ViewAttr view, ShapedType source,
                                         bool channelsFirst, int64_t sums) {
  ArrayRef<int64_t> extents = source.getShape();
  SmallVector<int64_t> shape = {sums};
  if (channelsFirst)
    shape.push_back(extents[1]);
  llvm::append_range(shape, view.getRows());
  if (!channelsFirst)
    shape.push_back(extents.back());
  return shape;
}

void DepthwiseOp::build(OpBuilder &builder, OperationState &state, Value source,
                        Value filter, ViewAttr view, ArrayRef<int64_t> dilation,
                        bool channelsFirst, ScheduleAttr schedule, Type sumType,
                        TypeAttr precisionType) {
  auto type = cast<ShapedType>(source.getType());
  bool isDilated =
      llvm::any_of(dilation, [](int64_t places) { return places != 1; });
  build(builder, state,
        RankedTensorType::get(
            getPositions(
                view, type, channelsFirst,
                countSums(type, cast<ShapedType>(filter.getType()), schedule)),
            sumType),
        source, filter, /*offsets=*/ValueRange(), view,
        isDilated ? builder.getDenseI64ArrayAttr(dilation)
                  : DenseI64ArrayAttr(),
        channelsFirst, schedule, precisionType);
}

SmallVector<int64_t> DepthwiseOp::getFullShape() {
  return getPositions(getView(), getSourceType(), getChannelsFirst(),
                      countSums(getSourceType(),
                                cast<ShapedType>(getFilter().getType()),
                                getScheduleAttr()));
}

bool DepthwiseOp::hasFilterInMemoryOrder() {
  return !hasFilterOfImage() && multipliesBands(getScheduleAttr());
}

int64_t DepthwiseOp::getParts() { return getSplit(getScheduleAttr()); }

int64_t DepthwiseOp::getBlock() {
  ScheduleAttr schedule = getScheduleAttr();
  bool isWhole =
      !schedule || schedule.getTile()[2] == 1 || multipliesBands(schedule);
  return isWhole ? getView().getTaps().back() : schedule.getTile()[2];
}

int64_t DepthwiseOp::getNumBlocks() {
  return getView().getNumTaps() / getBlock();
}

LogicalResult DepthwiseOp::verify() {
  ShapedType source = getSourceType(), result = getResultType();
  auto filter = cast<ShapedType>(getFilter().getType());
  ViewAttr view = getView();
  if (source.getRank() != view.getSpatialRank() + 2 || !source.hasStaticShape())
    return emitOpError() << "needs a source "
                         << (getChannelsFirst() ? "[batch, channel, extent…]"
                                                : "[batch, extent…, channel]")
                         << " with the " << view.getSpatialRank()
                         << " spatial dimensions of its view, but has "
                         << source;
  if (view.getGroups() != 1 || view.getRowGroups() != 1 ||
      view.getStrips() != 1)
    return emitOpError("has a view without groups and strips");
  if (failed(verifyCounts(*this, "the source", source,
                          Builder(getContext()).getArrayAttr({view}))))
    return failure();
  if (std::optional<ArrayRef<int64_t>> dilation = getDilation();
      dilation && (int64_t(dilation->size()) != view.getSpatialRank() ||
                   llvm::any_of(*dilation, [](int64_t places) {
                     return places < 1 || !llvm::isInt<32>(places); // conv-c10
                   })))
    return emitOpError() << "needs a positive number of places below 2^31 for "
                            "each of "
                         << view.getSpatialRank()
                         << " spatial dimensions, but is dilated by "
                         << getDilationAttr();
  SmallVector<int64_t> filterShape = {source.getShape().front(),
                                      view.getNumTaps(), getNumChannels()};
  bool isFilterByChannel = getChannelsFirst() || hasFilterInMemoryOrder();
  if (isFilterByChannel)
    std::swap(filterShape[1], filterShape[2]);
  if (filter.getShape() != ArrayRef(filterShape) &&
      filter.getShape() != ArrayRef(filterShape).drop_front())
    return emitOpError() << "needs a filter "
                         << (isFilterByChannel ? "[channel, tap]"
                                               : "[tap, channel]")
                         << " of " << filterShape[1] << "x" << filterShape[2]
                         << ", perhaps one for each image, but has " << filter;
  bool hasWholeParts = multipliesBands(getScheduleAttr()) ||
                       view.getNumTaps() == 0 ||
                       (view.getTaps().back() % getBlock() == 0 &&
                        getNumBlocks() % getParts() == 0);
  if (view.getNumTaps() == 0 || !hasWholeParts)
    return emitOpError() << "needs taps that blocks of " << getBlock()
                         << " of a line and " << getParts()
                         << " parts divide, but has " << view;
  if (!llvm::checkedMul(source.getShape().front(), getParts()))
    return emitOpError() << "needs fewer than 2^63 images of sums, but has "
                         << getParts() << " parts of " << source;
  if (filter.getElementType() != source.getElementType())
    return emitOpError() << "needs a filter of the source's elements, but has "
                         << source << " and " << filter;
  if (std::optional<Type> precision = getPrecisionType();
      precision &&
      (!isa<FloatTF32Type>(*precision) || !source.getElementType().isF32()))
    return emitOpError() << "has a precision of tf32 where elements are f32, "
                            "or none, but "
                         << *precision << " for " << source.getElementType();
  SmallVector<int64_t> full = getFullShape();
  if (!getOffsets().empty() && getOffsets().size() != full.size())
    return emitOpError() << "needs an offset for each of " << full.size()
                         << " dimensions of its result, but has "
                         << getOffsets().size();
  bool isWhole = getOffsets().empty();
  if (result.getRank() != int64_t(full.size()) ||
      (isWhole && result.getShape() != ArrayRef(full)))
    return emitOpError() << "must have a result of "
                         << (isWhole ? "all positions" : "as many dimensions")
                         << ", but has " << result;
  return success();
}

void DepthwiseOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand *operand : {&getSourceMutable(), &getFilterMutable()})
    if (isa<MemRefType>(operand->get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), operand);
}
