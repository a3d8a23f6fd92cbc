//===- WindowLowering.cpp - reductions over windows as linalg -------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowLowering.h"
#include "ElementwiseLowering.h"
#include "PadLowering.h"
#include "ReduceLowering.h"
#include "Tensors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::conv::stablehlo;
using convmlir::Error;
using convmlir::Result;

/// The tensor whose elements the windows meet; null where the first value is no
/// constant.
static Value emitBase(OpBuilder &builder, ReduceWindowOp op) {
  RankedTensorType from = op.getInput().getType();
  TypedAttr number = getNumber(op.getInitValue(), from.getElementType());
  if (!number)
    return Value();
  Padding padding;
  for (int64_t dim = 0; dim < from.getRank(); ++dim) {
    WindowDimension window = op.getWindowDimension(dim);
    padding.low.push_back(window.low);
    padding.high.push_back(window.high);
    padding.interior.push_back(window.lhsDilation - 1);
  }
  return emitPadding(builder, op.getLoc(), op.getInput(), padding, number);
}

namespace {
/// Loops over positions of a window, then over its elements: those along
/// dimensions in which it has more than one.
struct WindowLoops {
  SmallVector<int64_t> extents; ///< Of these.
  AffineMap met, taps, position;
  SmallVector<utils::IteratorType> iterators;

  int64_t getNumPositions() const { return position.getNumResults(); }
};
} // namespace

static WindowLoops
getLoops(OpBuilder &builder, ArrayRef<int64_t> window,
         function_ref<WindowDimension(int64_t)> getDimension) {
  int64_t rank = window.size(), count = rank;
  SmallVector<AffineExpr> met, taps, position;
  WindowLoops loops;
  for (auto [dim, extent] : llvm::enumerate(window)) {
    WindowDimension along = getDimension(dim);
    position.push_back(builder.getAffineDimExpr(dim));
    met.push_back(position.back() * along.stride);
    if (extent == 1)
      continue;
    loops.extents.push_back(extent);
    taps.push_back(builder.getAffineDimExpr(count++));
    met.back() = met.back() + taps.back() * along.rhsDilation;
  }
  MLIRContext *context = builder.getContext();
  loops.met = AffineMap::get(count, 0, met, context);
  loops.taps = AffineMap::get(count, 0, taps, context);
  loops.position = AffineMap::get(count, 0, position, context);
  loops.iterators.append(rank, utils::IteratorType::parallel);
  loops.iterators.append(count - rank, utils::IteratorType::reduction);
  return loops;
}

/// A tensor that has only the shape of the window, whose loops need one.
static Value emitShapeOf(OpBuilder &builder, Location loc,
                         const WindowLoops &loops, Type element) {
  return tensor::EmptyOp::create(builder, loc, loops.extents, element);
}

Result<Value> conv::lowerReduceWindow(OpBuilder &builder, ReduceWindowOp op) {
  RankedTensorType type = op.getType();
  if (type.getNumElements() == 0)
    return emitZeros(builder, op.getLoc(), type);
  Value base = emitBase(builder, op);
  if (!base)
    return Error{"its first value is no constant of dense elements"};
  WindowLoops loops =
      getLoops(builder, op.getWindowDimensions(),
               [&](int64_t dim) { return op.getWindowDimension(dim); });
  Value shape = emitShapeOf(builder, op.getLoc(), loops, type.getElementType());
  Reduction reduction = {&op.getCombiner(),
                         op.getInitValue(),
                         type,
                         {base, shape},
                         {loops.met, loops.taps, loops.position},
                         loops.iterators};
  return emitReduction(builder, op.getLoc(), reduction);
}

//===----------------------------------------------------------------------===//
// Selections
//===----------------------------------------------------------------------===//

/// No element of a window.
static constexpr int32_t kNone = -1;

static Value emitNumber(OpBuilder &builder, Location loc, int32_t number) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI32IntegerAttr(number));
}

/// In a body: the number of the element of the window, in row-major order.
static Value emitTap(OpBuilder &builder, Location loc,
                     const WindowLoops &loops) {
  Value tap = emitNumber(builder, loc, 0);
  for (auto [i, extent] : llvm::enumerate(loops.extents)) {
    Value index =
        linalg::IndexOp::create(builder, loc, loops.getNumPositions() + i);
    index =
        arith::IndexCastOp::create(builder, loc, builder.getI32Type(), index);
    tap = arith::MulIOp::create(builder, loc, tap,
                                emitNumber(builder, loc, extent));
    tap = arith::AddIOp::create(builder, loc, tap, index);
  }
  return tap;
}

/// For each window the number of the element that it selects.
static Value emitSelection(OpBuilder &builder, SelectAndScatterOp op) {
  Location loc = op.getLoc();
  RankedTensorType type = op.getSource().getType();
  Type element = type.getElementType();
  WindowLoops loops =
      getLoops(builder, op.getWindowExtents(),
               [&](int64_t dim) { return op.getWindowDimension(dim); });
  Value selected = emitZeros(builder, loc, type);
  Value none = emitFilled(builder, loc, builder.getI32IntegerAttr(kNone),
                          type.getShape());
  // x: an element and the window's shape, then what is selected and its number.
  auto select = [&](OpBuilder &inner, Location at, ValueRange x) {
    Value tap = emitTap(inner, at, loops);
    Value isFirst = arith::CmpIOp::create(inner, at, arith::CmpIPredicate::eq,
                                          x[3], emitNumber(inner, at, kNone));
    Value keeps = emitScalar(inner, at, op.getComparison(), {x[2], x[0]});
    auto choose = [&](Value kept, Value next) -> Value {
      Value chosen = arith::SelectOp::create(inner, at, keeps, kept, next);
      return arith::SelectOp::create(inner, at, isFirst, next, chosen);
    };
    Value value = choose(x[2], x[0]), number = choose(x[3], tap);
    linalg::YieldOp::create(inner, at, ValueRange{value, number});
  };
  return linalg::GenericOp::create(
             builder, loc, TypeRange{selected.getType(), none.getType()},
             ValueRange{op.getOperand(),
                        emitShapeOf(builder, loc, loops, element)},
             ValueRange{selected, none},
             ArrayRef{loops.met, loops.taps, loops.position, loops.position},
             loops.iterators, select)
      .getResult(1);
}

/// One element for each window, where the last element of the window lies: so
/// windows over them meet all that a window of the operand could select.
static Value emitWindows(OpBuilder &builder, SelectAndScatterOp op,
                         Value ofWindows, TypedAttr none) {
  Padding padding;
  for (auto [dim, extent] : llvm::enumerate(op.getWindowExtents())) {
    int64_t stride = op.getWindowDimension(dim).stride;
    int64_t spread =
        getSpread(op.getSource().getType().getDimSize(dim), stride);
    padding.low.push_back(extent - 1);
    padding.high.push_back(op.getType().getDimSize(dim) - spread);
    padding.interior.push_back(stride - 1);
  }
  return emitPadding(builder, op.getLoc(), ofWindows, padding, none);
}

static bool hasPadding(SelectAndScatterOp op) {
  for (int64_t dim = 0; dim < op.getType().getRank(); ++dim) {
    WindowDimension window = op.getWindowDimension(dim);
    if (window.low != 0 || window.high != 0)
      return true;
  }
  return false;
}

Result<Value> conv::lowerSelectAndScatter(OpBuilder &builder,
                                          SelectAndScatterOp op) {
  Location loc = op.getLoc();
  RankedTensorType type = op.getType();
  Type element = type.getElementType();
  TypedAttr init = getNumber(op.getInitValue(), element);
  if (!init)
    return Error{"its first value is no constant of dense elements"};
  if (hasPadding(op))
    return Error{"its window has padding: expected a stablehlo.pad in front"};
  if (op.getSource().getType().getNumElements() == 0)
    return emitFilled(builder, loc, init, type.getShape());
  WindowLoops loops = getLoops(builder, op.getWindowExtents(),
                               [](int64_t) { return WindowDimension(); });
  uint64_t taps = 1;
  for (int64_t extent : loops.extents)
    taps = llvm::SaturatingMultiply<uint64_t>(taps, extent);
  if (!llvm::isUInt<31>(taps))
    return Error{"its window has 2147483648 elements or more: expected fewer"};
  Value sources =
      emitWindows(builder, op, op.getSource(), builder.getZeroAttr(element));
  Value numbers = emitWindows(builder, op, emitSelection(builder, op),
                              builder.getI32IntegerAttr(kNone));
  Reduction reduction = {
      &op.getCombiner(),
      op.getInitValue(),
      type,
      {sources, numbers, emitShapeOf(builder, loc, loops, element)},
      {loops.met, loops.met, loops.taps, loops.position},
      loops.iterators};
  // The windows are met backwards: first the one whose last element it is.
  reduction.element = [&](OpBuilder &inner, Location at, ValueRange x) {
    Value last = emitNumber(inner, at, taps - 1);
    Value tap =
        arith::SubIOp::create(inner, at, last, emitTap(inner, at, loops));
    Value isSelected =
        arith::CmpIOp::create(inner, at, arith::CmpIPredicate::eq, x[1], tap);
    Value zero =
        arith::ConstantOp::create(inner, at, inner.getZeroAttr(element));
    return arith::SelectOp::create(inner, at, isSelected, x[0], zero)
        .getResult();
  };
  return emitReduction(builder, loc, reduction);
}
