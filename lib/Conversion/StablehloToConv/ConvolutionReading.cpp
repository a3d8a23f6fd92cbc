//===- ConvolutionReading.cpp - a convolution as one of three -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvolutionReading.h"
#include "conv/Dialect/Conv/IR/ConvTypes.h"

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::conv::stablehlo;
using convmlir::ConvGeometry;
using convmlir::ConvKind;
using convmlir::Error;
using convmlir::Result;
using convmlir::Status;

using Numbers = ConvDimensionNumbersAttr;

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

static int64_t getExtent(Value value, ArrayRef<int64_t> numbers,
                         int64_t entry) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getDimSize(llvm::find(numbers, entry) - numbers.begin());
}

bool conv::isZero(ConvolutionOp op) {
  ArrayRef<int64_t> lhs = op.getDimensionNumbers().getLhs();
  if (op.getLhsType().getNumElements() == 0 ||
      op.getRhsType().getNumElements() == 0 ||
      op.getType().getNumElements() == 0)
    return true;
  for (int64_t dim = 0; dim < op.getSpatialRank(); ++dim) {
    WindowDimension window = op.getWindowDimension(dim);
    int64_t extent =
        getSpread(getExtent(op.getLhs(), lhs, dim), window.lhsDilation);
    if (extent + std::min<int64_t>(window.low, 0) +
            std::min<int64_t>(window.high, 0) <=
        0)
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Whether every value of `from` is one of `to`.
static bool holds(Type to, Type from) {
  if (isa<IntegerType>(from) && isa<IntegerType>(to))
    return !from.isInteger(1) &&
           from.getIntOrFloatBitWidth() <= to.getIntOrFloatBitWidth();
  if (!isa<FloatType>(from) || !to.isF32())
    return false;
  return from.isF32() || from.isBF16() || from.isF16() || isFloat8(from);
}

/// Reversals and conversions to a wider type in front of an operand; reversals
/// of spatial dimensions only.
static ConvolutionSource findSource(Value value, ArrayRef<int64_t> numbers) {
  ConvolutionSource source;
  source.reversed.assign(numbers.size() - 2, false);
  auto isSpatial = [&](int64_t dim) { return numbers[dim] >= 0; };
  while (true) {
    source.value = value;
    if (auto convert = value.getDefiningOp<ConvertOp>();
        convert && holds(convert.getType().getElementType(),
                         convert.getOperand().getType().getElementType())) {
      value = convert.getOperand();
    } else if (auto reverse = value.getDefiningOp<ReverseOp>();
               reverse && llvm::all_of(reverse.getDimensions(), isSpatial)) {
      for (int64_t dim : reverse.getDimensions())
        source.reversed[numbers[dim]] ^= true;
      value = reverse.getOperand();
    } else {
      return source;
    }
  }
}

/// The letters of a tensor as axes, by the kind that the convolution is read
/// as: what it calls batch and feature.
static AxisOrder getTextOrder(ArrayRef<int64_t> numbers, const Axes &batch,
                              const Axes &feature) {
  AxisOrder order;
  for (int64_t entry : numbers)
    if (entry == Numbers::kBatch)
      order.push_back(batch);
    else if (entry == Numbers::kFeature)
      order.push_back(feature);
    else
      order.push_back({int(Spatial + entry)});
  return order;
}

static AxisOrder getConvOrder(Layout layout, int rank, const Axes &outer,
                              const Axes &channel) {
  AxisOrder order(rank + 2);
  order[kOuterDim] = outer;
  order[getChannelDim(layout, rank)] = channel;
  for (int dim = 0; dim < rank; ++dim)
    order[getSpatialDim(layout, dim)] = {int(Spatial + dim)};
  return order;
}

namespace {
/// What the letters of the text mean for a kind: sums run over `sum`, the left
/// operand has `left` and the right one `right` besides.
struct Letters {
  int left, sum, right;
};
} // namespace

static Letters getLetters(ConvKind kind) {
  switch (kind) {
  case ConvKind::Forward:
    return {N, C, K};
  case ConvKind::Dgrad:
    return {N, K, C};
  case ConvKind::Wgrad:
    return {C, N, K};
  }
  llvm_unreachable("unknown kind");
}

static void readTextOrders(ConvolutionOp op, ConvolutionReading &reading) {
  Numbers numbers = op.getDimensionNumbers();
  auto [left, sum, right] = getLetters(reading.kind);
  bool groupsBatch = op.getBatchGroupCount() > 1;
  Axes batch = groupsBatch ? Axes{G, left} : Axes{left};
  Axes feature = groupsBatch ? Axes{sum} : Axes{G, sum};
  reading.lhsText = getTextOrder(numbers.getLhs(), batch, feature);
  reading.rhsText = getTextOrder(numbers.getRhs(), {G, right}, {sum});
  reading.outText = getTextOrder(numbers.getOutput(), {left}, {G, right});
}

static void readConvOrders(ConvolutionReading &reading) {
  int rank = reading.geometry.spatialRank;
  AxisOrder x = getConvOrder(reading.layout, rank, {N}, {G, C});
  AxisOrder w = getConvOrder(reading.layout, rank, {G, K}, {C});
  AxisOrder y = getConvOrder(reading.layout, rank, {N}, {G, K});
  switch (reading.kind) {
  case ConvKind::Forward:
    reading.lhsConv = x, reading.rhsConv = w, reading.outConv = y;
    break;
  case ConvKind::Dgrad:
    reading.lhsConv = y, reading.rhsConv = w, reading.outConv = x;
    break;
  case ConvKind::Wgrad:
    reading.lhsConv = x, reading.rhsConv = y, reading.outConv = w;
    break;
  }
}

/// The tensors whose dimensions are in another order than the layout's.
static int countMoved(ConvolutionOp op, const ConvolutionReading &reading) {
  auto isOtherOrder = [&](RankedTensorType type, const AxisOrder &text,
                          const AxisOrder &conv) {
    return isMoved(type.getShape(), text, conv, reading.geometry.groups);
  };
  return isOtherOrder(op.getLhsType(), reading.lhsText, reading.lhsConv) +
         isOtherOrder(op.getRhsType(), reading.rhsText, reading.rhsConv) +
         isOtherOrder(op.getType(), reading.outText, reading.outConv);
}

/// Channels last, unless channels first moves fewer tensors.
static void chooseLayout(ConvolutionOp op, ConvolutionReading &reading) {
  auto count = [&](Layout layout) {
    reading.layout = layout;
    readConvOrders(reading);
    return countMoved(op, reading);
  };
  bool takesFirst = count(Layout::NCHW) < count(Layout::NHWC);
  reading.layout = takesFirst ? Layout::NCHW : Layout::NHWC;
  readConvOrders(reading);
}

//===----------------------------------------------------------------------===//
// Geometry
//===----------------------------------------------------------------------===//

/// Lets the window end where the last position that is read lies.
static void trimPadding(ConvGeometry &geometry, int dim, int64_t outputs) {
  geometry.padHigh[dim] = (outputs - 1) * geometry.stride[dim] +
                          geometry.dilatedFilter(dim) -
                          geometry.dilatedInput(dim) - geometry.padLow[dim];
}

static void readForward(ConvGeometry &geometry, int dim,
                        const WindowDimension &window, int64_t lhs,
                        int64_t rhs) {
  geometry.input[dim] = lhs;
  geometry.filter[dim] = rhs;
  geometry.stride[dim] = window.stride;
  geometry.dilation[dim] = window.rhsDilation;
  geometry.inputDilation[dim] = window.lhsDilation;
  geometry.padLow[dim] = window.low;
  geometry.padHigh[dim] = window.high;
}

/// dx (the result) of dy (left) and w (right), which the text has backwards.
static void readDgrad(ConvGeometry &geometry, int dim,
                      const WindowDimension &window, int64_t lhs, int64_t rhs,
                      int64_t out) {
  geometry.input[dim] = out;
  geometry.filter[dim] = rhs;
  geometry.stride[dim] = window.lhsDilation;
  geometry.dilation[dim] = window.rhsDilation;
  geometry.inputDilation[dim] = window.stride;
  geometry.padLow[dim] = geometry.dilatedFilter(dim) - 1 - window.low;
  trimPadding(geometry, dim, lhs);
}

/// dw (the result) of x (left) and dy (right), over which the window slides.
static void readWgrad(ConvGeometry &geometry, int dim,
                      const WindowDimension &window, int64_t lhs, int64_t rhs,
                      int64_t out) {
  geometry.input[dim] = lhs;
  geometry.filter[dim] = out;
  geometry.stride[dim] = window.rhsDilation;
  geometry.dilation[dim] = window.stride;
  geometry.inputDilation[dim] = window.lhsDilation;
  geometry.padLow[dim] = window.low;
  trimPadding(geometry, dim, rhs);
}

static void readWindow(ConvolutionOp op, ConvolutionReading &reading) {
  Numbers numbers = op.getDimensionNumbers();
  ConvGeometry &geometry = reading.geometry;
  for (int dim = 0; dim < geometry.spatialRank; ++dim) {
    WindowDimension window = op.getWindowDimension(dim);
    int64_t lhs = getExtent(op.getLhs(), numbers.getLhs(), dim);
    int64_t rhs = getExtent(op.getRhs(), numbers.getRhs(), dim);
    int64_t out = getExtent(op.getResult(), numbers.getOutput(), dim);
    if (reading.kind == ConvKind::Forward)
      readForward(geometry, dim, window, lhs, rhs);
    else if (reading.kind == ConvKind::Dgrad)
      readDgrad(geometry, dim, window, lhs, rhs, out);
    else
      readWgrad(geometry, dim, window, lhs, rhs, out);
  }
}

static void readChannels(ConvolutionOp op, ConvolutionReading &reading) {
  Numbers numbers = op.getDimensionNumbers();
  int64_t groups = op.getFeatureGroupCount() * op.getBatchGroupCount();
  int64_t left =
      getExtent(op.getResult(), numbers.getOutput(), Numbers::kBatch);
  int64_t sum = getExtent(op.getRhs(), numbers.getRhs(), Numbers::kFeature);
  int64_t right = getExtent(op.getRhs(), numbers.getRhs(), Numbers::kBatch);
  ConvGeometry &geometry = reading.geometry;
  geometry.groups = groups;
  switch (reading.kind) {
  case ConvKind::Forward:
    geometry.n = left, geometry.c = sum * groups, geometry.k = right;
    break;
  case ConvKind::Dgrad:
    geometry.n = left, geometry.k = sum * groups, geometry.c = right;
    break;
  case ConvKind::Wgrad:
    geometry.c = left * groups, geometry.n = sum, geometry.k = right;
    break;
  }
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

/// Which dimensions are read backwards: all of more than one position, none, or
/// some.
namespace {
enum class Direction { Forwards, Backwards, Mixed };
} // namespace

static Direction getDirection(ArrayRef<bool> reversed, ConvolutionOp op) {
  ArrayRef<int64_t> numbers = op.getDimensionNumbers().getRhs();
  bool hasForwards = false, hasBackwards = false;
  for (auto [dim, isReversed] : llvm::enumerate(reversed)) {
    if (getExtent(op.getRhs(), numbers, dim) == 1)
      continue;
    (isReversed ? hasBackwards : hasForwards) = true;
  }
  if (hasForwards && hasBackwards)
    return Direction::Mixed;
  return hasBackwards ? Direction::Backwards : Direction::Forwards;
}

/// The kind that the text is written as. A gradient of a filter has the
/// features of x, images, outermost; one of an input has its filter backwards,
/// and what the forward convolution made is not outermost there.
static ConvKind guessKind(ConvolutionOp op, Direction direction) {
  Numbers numbers = op.getDimensionNumbers();
  if (numbers.getLhs().front() == Numbers::kFeature &&
      direction == Direction::Forwards)
    return ConvKind::Wgrad;
  bool isInputGradient = direction == Direction::Backwards &&
                         numbers.getRhs().front() != Numbers::kBatch;
  return isInputGradient ? ConvKind::Dgrad : ConvKind::Forward;
}

/// Fills in all that follows from the kind.
static Status readAs(ConvKind kind, ConvolutionOp op, Direction direction,
                     ConvolutionReading &reading) {
  reading.kind = kind;
  reading.geometry = ConvGeometry();
  reading.geometry.spatialRank = op.getSpatialRank();
  bool isBackwards = direction == Direction::Backwards;
  reading.geometry.flip = kind == ConvKind::Dgrad ? !isBackwards : isBackwards;
  readChannels(op, reading);
  readWindow(op, reading);
  if (Status status = reading.geometry.check(); !status)
    return status;
  readTextOrders(op, reading);
  chooseLayout(op, reading);
  return {};
}

/// Elements are multiplied as they are in front of conversions, if a
/// convolution multiplies these types there.
static void chooseElements(ConvolutionOp op, ConvolutionReading &reading) {
  reading.lhsElement = getElementTypeOrSelf(reading.lhs);
  reading.rhsElement = getElementTypeOrSelf(reading.rhs);
  if (!areFactors(reading.lhsElement, reading.rhsElement))
    reading.lhsElement = reading.rhsElement = op.getLhsType().getElementType();
}

static Status checkTypes(ConvolutionOp op, const ConvolutionReading &reading) {
  Type source = reading.lhsElement, made = op.getType().getElementType();
  auto bits = [](Type type) {
    return std::to_string(type.getIntOrFloatBitWidth()) + " bits";
  };
  if (isa<IntegerType>(source) && !source.isInteger(8))
    return Error{"its elements are integers of " + bits(source) +
                 "; convolutions of integers have those of 8 bits"};
  if (isa<IntegerType>(made) && !made.isInteger(8) && !made.isInteger(32))
    return Error{"its result has integers of " + bits(made) +
                 "; those of convolutions have 8 or 32 bits"};
  return checkElementTypes(source, reading.rhsElement, made,
                           getDefaultAccType(source));
}

/// The operands behind what is in front of them, and whether the right one is
/// read backwards.
static Direction readOperands(ConvolutionOp op, ConvolutionReading &reading) {
  Numbers numbers = op.getDimensionNumbers();
  ConvolutionSource lhs = findSource(op.getLhs(), numbers.getLhs());
  ConvolutionSource rhs = findSource(op.getRhs(), numbers.getRhs());
  bool isReversed = llvm::is_contained(lhs.reversed, true);
  reading.lhs = isReversed ? Value(op.getLhs()) : lhs.value;
  reading.rhs = rhs.value;
  chooseElements(op, reading);
  for (auto [dim, reversed] : llvm::enumerate(rhs.reversed))
    reversed ^= op.getWindowDimension(dim).reversed;
  Direction direction = getDirection(rhs.reversed, op);
  if (direction == Direction::Mixed)
    for (auto [i, entry] : llvm::enumerate(numbers.getRhs()))
      if (entry >= 0 && rhs.reversed[entry])
        reading.reversedDims.push_back(i);
  return direction;
}

/// Whether each position is multiplied with the filter alone: then forward and
/// dgrad have the same kernels but for the order of the filter. Tensor cores
/// read 16 bits in either order.
static bool isPointwise(ConvolutionOp op, const ConvolutionReading &reading) {
  if (reading.lhsElement.getIntOrFloatBitWidth() != 16)
    return false;
  ArrayRef<int64_t> numbers = op.getDimensionNumbers().getRhs();
  for (int64_t dim = 0; dim < op.getSpatialRank(); ++dim) {
    WindowDimension window = op.getWindowDimension(dim);
    if (getExtent(op.getRhs(), numbers, dim) != 1 || window.stride != 1 ||
        window.lhsDilation != 1 || window.low != 0 || window.high != 0)
      return false;
  }
  return true;
}

/// A pointwise convolution as the other of forward and dgrad, where that moves
/// fewer tensors: JAX's filters of one tap, "HWIO", are those of dgrad.
static void readAsOther(ConvolutionOp op, Direction direction,
                        ConvolutionReading &reading) {
  if (reading.kind == ConvKind::Wgrad || !isPointwise(op, reading))
    return;
  ConvolutionReading other = reading;
  bool isForward = reading.kind == ConvKind::Forward;
  if (readAs(isForward ? ConvKind::Dgrad : ConvKind::Forward, op, direction,
             other) &&
      countMoved(op, other) < countMoved(op, reading)) {
    other.geometry.flip = false; // One tap is the same in either direction.
    reading = other;
  }
}

Result<ConvolutionReading> conv::readConvolution(ConvolutionOp op) {
  int64_t rank = op.getSpatialRank();
  if (rank < 1 || rank > convmlir::kMaxSpatialRank)
    return Error{"it has " + std::to_string(rank) +
                 " spatial dimensions; a convolution has 1 to 3"};
  ConvolutionReading reading;
  Direction direction = readOperands(op, reading);
  if (Status status = checkTypes(op, reading); !status)
    return status.takeError();
  if (readAs(guessKind(op, direction), op, direction, reading)) {
    readAsOther(op, direction, reading);
    return reading;
  }
  if (Status status = readAs(ConvKind::Forward, op, direction, reading);
      !status)
    return status.takeError();
  return reading;
}
