//===- VerifyProducts.cpp - what sums of products check -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constraints of StableHLO's specification for `convolution` and
// `dot_general`.
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

using namespace mlir;
using namespace mlir::conv::stablehlo;

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

WindowDimension ConvolutionOp::getWindowDimension(int64_t dim) {
  WindowDimension window = readWindow(dim, getWindowStrides(), getLhsDilation(),
                                      getRhsDilation(), getPadding());
  if (std::optional<ArrayRef<bool>> reversal = getWindowReversal())
    window.reversed = (*reversal)[dim];
  return window;
}

/// Lists of the window have an entry for each spatial dimension.
static LogicalResult verifyLengths(ConvolutionOp op) {
  int64_t rank = op.getSpatialRank();
  auto verify = [&](StringRef name, std::optional<int64_t> length) {
    if (!length || *length == rank)
      return success();
    return LogicalResult(op.emitOpError()
                         << "has " << *length << " entries in '" << name
                         << "': expected " << rank
                         << ", one for each spatial dimension");
  };
  auto lengthOf = [](auto list) -> std::optional<int64_t> {
    return list ? std::optional<int64_t>(list->size()) : std::nullopt;
  };
  if (failed(verify("stride", lengthOf(op.getWindowStrides()))) ||
      failed(verify("lhs_dilate", lengthOf(op.getLhsDilation()))) ||
      failed(verify("rhs_dilate", lengthOf(op.getRhsDilation()))) ||
      failed(verify("reverse", lengthOf(op.getWindowReversal()))))
    return failure();
  return verifyPadding(op, op.getPadding(), rank);
}

static LogicalResult verifyRanks(ConvolutionOp op) {
  int64_t rank = op.getSpatialRank() + 2;
  for (Value value : {op.getLhs(), op.getRhs(), op.getResult()})
    if (cast<RankedTensorType>(value.getType()).getRank() != rank)
      return op.emitOpError()
             << "has a tensor of " << value.getType() << ": expected " << rank
             << " dimensions, as the dimension numbers have";
  return success();
}

static LogicalResult verifyNumbers(ConvolutionOp op) {
  auto verify = [&](StringRef name, int64_t number, int64_t least) {
    return verifyNumber(op, "as " + name, number, least);
  };
  if (failed(verifyExtents(op, {op.getLhs(), op.getRhs(), op.getResult()})))
    return failure();
  for (int64_t dim = 0; dim < op.getSpatialRank(); ++dim) {
    WindowDimension window = op.getWindowDimension(dim);
    int64_t least = llvm::minIntN(32);
    if (failed(verify("a stride", window.stride, 1)) ||
        failed(verify("a dilation", window.lhsDilation, 1)) ||
        failed(verify("a dilation", window.rhsDilation, 1)) ||
        failed(verify("a padding", window.low, least)) ||
        failed(verify("a padding", window.high, least)))
      return failure();
  }
  return success(
      succeeded(verify("feature_group_count", op.getFeatureGroupCount(), 1)) &&
      succeeded(verify("batch_group_count", op.getBatchGroupCount(), 1)));
}

static int64_t getExtent(Value value, ArrayRef<int64_t> numbers,
                         int64_t entry) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getDimSize(llvm::find(numbers, entry) - numbers.begin());
}

static LogicalResult verifyGroups(ConvolutionOp op) {
  using Numbers = ConvDimensionNumbersAttr;
  Numbers numbers = op.getDimensionNumbers();
  int64_t features = op.getFeatureGroupCount(),
          batches = op.getBatchGroupCount();
  if (features > 1 && batches > 1)
    return op.emitOpError() << "has " << features << " groups of features and "
                            << batches << " of batches: expected one of them";
  int64_t lhsBatch = getExtent(op.getLhs(), numbers.getLhs(), Numbers::kBatch);
  int64_t lhsFeature =
      getExtent(op.getLhs(), numbers.getLhs(), Numbers::kFeature);
  int64_t inputs = getExtent(op.getRhs(), numbers.getRhs(), Numbers::kFeature);
  int64_t outputs = getExtent(op.getRhs(), numbers.getRhs(), Numbers::kBatch);
  if (lhsFeature != inputs * features)
    return op.emitOpError()
           << "has " << lhsFeature << " features 'f': expected the " << inputs
           << " of 'i' in " << features << " groups";
  if (outputs % (features * batches) != 0 || lhsBatch % batches != 0)
    return op.emitOpError() << "has " << outputs << " of 'o' and " << lhsBatch
                            << " of 'b': expected multiples of the groups";
  return success();
}

static LogicalResult verifyResult(ConvolutionOp op) {
  using Numbers = ConvDimensionNumbersAttr;
  Numbers numbers = op.getDimensionNumbers();
  SmallVector<int64_t> shape;
  for (int64_t entry : numbers.getOutput())
    if (entry == Numbers::kBatch)
      shape.push_back(getExtent(op.getLhs(), numbers.getLhs(), entry) /
                      op.getBatchGroupCount());
    else if (entry == Numbers::kFeature)
      shape.push_back(
          getExtent(op.getRhs(), numbers.getRhs(), Numbers::kBatch));
    else
      shape.push_back(
          getOutputExtent(op.getWindowDimension(entry),
                          getExtent(op.getLhs(), numbers.getLhs(), entry),
                          getExtent(op.getRhs(), numbers.getRhs(), entry)));
  if (op.getType().getShape() != ArrayRef(shape))
    return op.emitOpError() << "makes " << op.getType() << ": expected "
                            << op.getType().clone(shape);
  return success();
}

LogicalResult ConvolutionOp::verify() {
  if (getLhsType().getElementType() != getRhsType().getElementType())
    return emitOpError() << "multiplies " << getLhsType().getElementType()
                         << " and " << getRhsType().getElementType()
                         << ": expected one type";
  return success(
      succeeded(verifyRanks(*this)) && succeeded(verifyLengths(*this)) &&
      succeeded(verifyNumbers(*this)) && succeeded(verifyGroups(*this)) &&
      succeeded(verifyResult(*this)));
}

//===----------------------------------------------------------------------===//
// Products of matrices
//===----------------------------------------------------------------------===//

/// The dimensions that are in neither list.
static SmallVector<int64_t> getFree(int64_t rank, ArrayRef<int64_t> batching,
                                    ArrayRef<int64_t> contracting) {
  SmallVector<int64_t> free;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(batching, dim) &&
        !llvm::is_contained(contracting, dim))
      free.push_back(dim);
  return free;
}

SmallVector<int64_t> DotGeneralOp::getLhsFree() {
  DotDimensionNumbersAttr numbers = getDotDimensionNumbers();
  return getFree(getLhs().getType().getRank(), numbers.getLhsBatching(),
                 numbers.getLhsContracting());
}

SmallVector<int64_t> DotGeneralOp::getRhsFree() {
  DotDimensionNumbersAttr numbers = getDotDimensionNumbers();
  return getFree(getRhs().getType().getRank(), numbers.getRhsBatching(),
                 numbers.getRhsContracting());
}

/// Dimensions in pairs, which have the same extents.
static LogicalResult verifyPairs(DotGeneralOp op, StringRef name,
                                 ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  if (lhs.size() != rhs.size())
    return op.emitOpError() << "has " << lhs.size() << " " << name
                            << " dimensions on the left and " << rhs.size()
                            << " on the right: expected as many";
  for (auto [left, right] : llvm::zip(lhs, rhs)) {
    int64_t extent = op.getLhs().getType().getDimSize(left);
    int64_t other = op.getRhs().getType().getDimSize(right);
    if (extent != other)
      return op.emitOpError()
             << "has extents of " << extent << " and " << other
             << " in a pair of " << name << " dimensions: expected the same";
  }
  return success();
}

static LogicalResult verifyDotDims(DotGeneralOp op) {
  DotDimensionNumbersAttr numbers = op.getDotDimensionNumbers();
  auto lhs = llvm::to_vector(llvm::concat<const int64_t>(
      numbers.getLhsBatching(), numbers.getLhsContracting()));
  auto rhs = llvm::to_vector(llvm::concat<const int64_t>(
      numbers.getRhsBatching(), numbers.getRhsContracting()));
  return success(
      succeeded(verifyDims(op, lhs, op.getLhs().getType().getRank())) &&
      succeeded(verifyDims(op, rhs, op.getRhs().getType().getRank())) &&
      succeeded(verifyPairs(op, "batching", numbers.getLhsBatching(),
                            numbers.getRhsBatching())) &&
      succeeded(verifyPairs(op, "contracting", numbers.getLhsContracting(),
                            numbers.getRhsContracting())));
}

LogicalResult DotGeneralOp::verify() {
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType();
  if (lhs.getElementType() != rhs.getElementType())
    return emitOpError() << "multiplies " << lhs.getElementType() << " and "
                         << rhs.getElementType() << ": expected one type";
  if (isa<FloatType>(lhs.getElementType()) !=
      isa<FloatType>(getType().getElementType()))
    return emitOpError() << "makes elements of " << getType().getElementType()
                         << " of " << lhs.getElementType()
                         << ": expected floats of floats, integers of integers";
  if (ArrayAttr precisions = getPrecisionConfigAttr();
      precisions && !precisions.empty() && precisions.size() != 2)
    return emitOpError() << "has " << precisions.size()
                         << " precisions: expected 2, one for each operand";
  if (failed(verifyExtents(*this, {getLhs(), getRhs()})) ||
      failed(verifyDotDims(*this)))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t dim : getDotDimensionNumbers().getLhsBatching())
    shape.push_back(lhs.getDimSize(dim));
  for (int64_t dim : getLhsFree())
    shape.push_back(lhs.getDimSize(dim));
  for (int64_t dim : getRhsFree())
    shape.push_back(rhs.getDimSize(dim));
  if (getType().getShape() != ArrayRef(shape))
    return emitOpError() << "makes " << getType() << ": expected "
                         << getType().clone(shape);
  return verifyArithmetic(*this);
}
