//===- Verify.cpp - what operations check -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constraints of StableHLO's specification, for the operations that are
// read here: but for sums of products, which are in VerifyProducts.cpp, and
// reductions, which are in VerifyReductions.cpp.
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv::stablehlo;

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

LogicalResult conv::stablehlo::verifyArithmetic(Operation *op) {
  Type type = getElementTypeOrSelf(op->getResult(0));
  if (!type.isInteger(1))
    return success();
  return op->emitOpError() << "has elements of 'i1': expected numbers";
}

LogicalResult CompareOp::verify() {
  if (!getCompareType() || *getCompareType() == ComparisonType::NOTYPE)
    return success();
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(getLhs()));
  bool saysFloat = *getCompareType() == ComparisonType::FLOAT;
  if (*getCompareType() == ComparisonType::TOTALORDER)
    return emitOpError() << "in TOTALORDER is not supported: expected FLOAT, "
                            "SIGNED or UNSIGNED";
  if (isFloat != saysFloat)
    return emitOpError() << "as " << stringifyComparisonType(*getCompareType())
                         << " does not fit elements of "
                         << getElementTypeOrSelf(getLhs());
  return success();
}

/// A tensor that is one element for all, or has the shape of the result.
static bool fits(RankedTensorType type, RankedTensorType result) {
  return type.getRank() == 0 || type.getShape() == result.getShape();
}

LogicalResult SelectOp::verify() {
  if (getOnTrue().getType() != getType() || getOnFalse().getType() != getType())
    return emitOpError() << "selects of " << getOnTrue().getType() << " and "
                         << getOnFalse().getType() << ": expected both as "
                         << getType();
  if (!fits(getPred().getType(), getType()))
    return emitOpError() << "has a condition of " << getPred().getType()
                         << ": expected the shape of " << getType()
                         << ", or one element";
  return success();
}

LogicalResult ClampOp::verify() {
  if (getOperand().getType() != getType())
    return emitOpError() << "has an operand of " << getOperand().getType()
                         << ": expected " << getType();
  for (Value bound : {getMin(), getMax()}) {
    auto type = cast<RankedTensorType>(bound.getType());
    if (!fits(type, getType()) ||
        type.getElementType() != getType().getElementType())
      return emitOpError() << "has a bound of " << type << ": expected "
                           << getType() << ", or one element of it";
  }
  return verifyArithmetic(*this);
}

//===----------------------------------------------------------------------===//
// What moves elements
//===----------------------------------------------------------------------===//

LogicalResult conv::stablehlo::verifyDims(Operation *op, ArrayRef<int64_t> dims,
                                          int64_t rank) {
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (dim < 0 || dim >= rank)
      return op->emitOpError()
             << "names dimension " << dim << ": expected one below " << rank;
    if (llvm::is_contained(dims.take_front(i), dim))
      return op->emitOpError() << "names dimension " << dim << " twice";
  }
  return success();
}

static LogicalResult verifySameElements(Operation *op) {
  Type from = getElementTypeOrSelf(op->getOperand(0));
  Type to = getElementTypeOrSelf(op->getResult(0));
  if (from == to)
    return success();
  return op->emitOpError() << "makes elements of " << to << " of " << from
                           << ": expected the same type";
}

LogicalResult conv::stablehlo::verifyNumber(Operation *op, const Twine &where,
                                            int64_t number, int64_t least) {
  if (llvm::isInt<32>(number) && number >= least)
    return success();
  return op->emitOpError() << "has " << number << " " << where
                           << ": expected a number from " << least << " to "
                           << llvm::maxIntN(32);
}

LogicalResult conv::stablehlo::verifyExtents(Operation *op, ValueRange values) {
  for (Value value : values)
    for (int64_t extent : cast<RankedTensorType>(value.getType()).getShape())
      if (failed(verifyNumber(op, "as an extent", extent, 0)))
        return failure();
  return success();
}

LogicalResult conv::stablehlo::verifyEntries(Operation *op, StringRef name,
                                             ArrayRef<int64_t> numbers,
                                             int64_t least) {
  int64_t rank = cast<RankedTensorType>(op->getOperand(0).getType()).getRank();
  if (int64_t(numbers.size()) != rank)
    return op->emitOpError()
           << "has " << numbers.size() << " numbers in '" << name
           << "': expected " << rank << ", one for each dimension";
  for (int64_t number : numbers)
    if (failed(verifyNumber(op, "in '" + name + "'", number, least)))
      return failure();
  return success();
}

LogicalResult IotaOp::verify() {
  auto dim = static_cast<int64_t>(getIotaDimension());
  if (failed(verifyDims(*this, dim, getType().getRank())) ||
      failed(verifyExtents(*this, getOutput())))
    return failure();
  return verifyArithmetic(*this);
}

LogicalResult SliceOp::verify() {
  ArrayRef<int64_t> starts = getStartIndices(), limits = getLimitIndices();
  if (failed(verifyEntries(*this, "start", starts, 0)) ||
      failed(verifyEntries(*this, "limit", limits, 0)) ||
      failed(verifyEntries(*this, "stride", getStrides(), 1)) ||
      failed(verifySameElements(*this)))
    return failure();
  RankedTensorType from = getOperand().getType();
  SmallVector<int64_t> shape;
  for (auto [dim, extent] : llvm::enumerate(from.getShape())) {
    if (starts[dim] > limits[dim] || limits[dim] > extent)
      return emitOpError() << "takes " << starts[dim] << " to " << limits[dim]
                           << " of dimension " << dim << ", which has "
                           << extent << " elements";
    shape.push_back(
        llvm::divideCeil(limits[dim] - starts[dim], getStrides()[dim]));
  }
  if (getType().getShape() != ArrayRef(shape))
    return emitOpError() << "makes " << getType() << ": expected "
                         << from.clone(shape);
  return success();
}

/// The extents of all inputs together; nothing where they do not fit.
static std::optional<SmallVector<int64_t>> getJoinedShape(ConcatenateOp op) {
  auto first = cast<RankedTensorType>(op.getInputs().front().getType());
  int64_t dim = op.getDimension();
  SmallVector<int64_t> shape(first.getShape());
  for (Value input : op.getInputs().drop_front()) {
    auto type = cast<RankedTensorType>(input.getType());
    SmallVector<int64_t> extents(type.getShape());
    if (type.getElementType() != first.getElementType() ||
        extents.size() != shape.size())
      return std::nullopt;
    shape[dim] += extents[dim];
    extents[dim] = shape[dim];
    if (extents != shape)
      return std::nullopt;
  }
  return shape;
}

LogicalResult ConcatenateOp::verify() {
  if (getInputs().empty())
    return emitOpError("joins nothing: expected one tensor or more");
  auto first = cast<RankedTensorType>(getInputs().front().getType());
  if (failed(verifyExtents(*this, getInputs())) ||
      failed(verifyDims(*this, int64_t(getDimension()), first.getRank())) ||
      failed(verifySameElements(*this)))
    return failure();
  std::optional<SmallVector<int64_t>> shape = getJoinedShape(*this);
  if (!shape)
    return emitOpError() << "joins tensors that differ in more than dimension "
                         << getDimension();
  if (getType().getShape() != ArrayRef(*shape))
    return emitOpError() << "makes " << getType() << ": expected "
                         << first.clone(*shape);
  return success();
}

LogicalResult PadOp::verify() {
  ArrayRef<int64_t> low = getEdgePaddingLow(), high = getEdgePaddingHigh(),
                    interior = getInteriorPadding();
  if (failed(verifyEntries(*this, "low", low, llvm::minIntN(32))) ||
      failed(verifyEntries(*this, "high", high, llvm::minIntN(32))) ||
      failed(verifyEntries(*this, "interior", interior, 0)) ||
      failed(verifyExtents(*this, getOperand())) ||
      failed(verifySameElements(*this)))
    return failure();
  RankedTensorType from = getOperand().getType();
  RankedTensorType one = getPaddingValue().getType();
  if (one.getRank() != 0 || one.getElementType() != from.getElementType())
    return emitOpError() << "pads with " << one << ": expected "
                         << from.clone(ArrayRef<int64_t>());
  SmallVector<int64_t> shape;
  for (auto [dim, extent] : llvm::enumerate(from.getShape())) {
    shape.push_back(getSpread(extent, interior[dim] + 1) + low[dim] +
                    high[dim]);
  }
  if (getType().getShape() != ArrayRef(shape))
    return emitOpError() << "makes " << getType() << ": expected extents of "
                         << shape;
  return success();
}

LogicalResult TransposeOp::verify() {
  RankedTensorType from = getOperand().getType();
  ArrayRef<int64_t> dims = getPermutation();
  if (int64_t(dims.size()) != from.getRank())
    return emitOpError() << "has a permutation of " << dims.size()
                         << " dimensions: expected " << from.getRank();
  if (failed(verifyDims(*this, dims, from.getRank())) ||
      failed(verifySameElements(*this)))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t dim : dims)
    shape.push_back(from.getDimSize(dim));
  if (getType().getShape() != ArrayRef(shape))
    return emitOpError() << "makes " << getType() << ": expected "
                         << from.clone(shape);
  return success();
}

LogicalResult ReverseOp::verify() {
  if (getOperand().getType() != getType())
    return emitOpError() << "makes " << getType() << ": expected "
                         << getOperand().getType();
  return verifyDims(*this, getDimensions(), getType().getRank());
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = getOperand().getType();
  if (from.getNumElements() != getType().getNumElements())
    return emitOpError() << "makes " << getType().getNumElements()
                         << " elements of " << from.getNumElements()
                         << ": expected as many";
  return verifySameElements(*this);
}

LogicalResult BroadcastInDimOp::verify() {
  RankedTensorType from = getOperand().getType();
  ArrayRef<int64_t> dims = getBroadcastDimensions();
  if (int64_t(dims.size()) != from.getRank())
    return emitOpError() << "has " << dims.size()
                         << " dimensions: expected one for each of " << from;
  if (failed(verifyDims(*this, dims, getType().getRank())) ||
      failed(verifySameElements(*this)))
    return failure();
  for (auto [i, dim] : llvm::enumerate(dims))
    if (from.getDimSize(i) != 1 &&
        from.getDimSize(i) != getType().getDimSize(dim))
      return emitOpError() << "makes dimension " << dim << " of extent "
                           << getType().getDimSize(dim) << " of one of extent "
                           << from.getDimSize(i) << ": expected the same, or 1";
  return success();
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

WindowDimension conv::stablehlo::readWindow(
    int64_t dim, OptionalNumbers strides, OptionalNumbers lhsDilations,
    OptionalNumbers rhsDilations, std::optional<DenseIntElementsAttr> padding) {
  WindowDimension window;
  if (strides)
    window.stride = (*strides)[dim];
  if (lhsDilations)
    window.lhsDilation = (*lhsDilations)[dim];
  if (rhsDilations)
    window.rhsDilation = (*rhsDilations)[dim];
  if (padding) {
    auto values = padding->getValues<int64_t>();
    window.low = values[2 * dim];
    window.high = values[2 * dim + 1];
  }
  return window;
}

LogicalResult conv::stablehlo::verifyPadding(
    Operation *op, std::optional<DenseIntElementsAttr> padding, int64_t rank) {
  if (!padding || padding->getType().getShape() == ArrayRef<int64_t>{rank, 2})
    return success();
  return op->emitOpError() << "has a padding of " << padding->getType()
                           << ": expected " << rank << "x2 numbers";
}

int64_t conv::stablehlo::getOutputExtent(const WindowDimension &window,
                                         int64_t lhs, int64_t rhs) {
  int64_t padded =
      getSpread(lhs, window.lhsDilation) + window.low + window.high;
  int64_t covered = getSpread(rhs, window.rhsDilation);
  if (covered == 0 || covered > padded)
    return 0;
  return (padded - covered) / window.stride + 1;
}
