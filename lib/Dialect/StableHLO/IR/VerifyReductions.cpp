//===- VerifyReductions.cpp - what reductions check -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constraints of StableHLO's specification for `reduce`, `reduce_window`
// and `select_and_scatter`, with bodies of one operation.
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv::stablehlo;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The first value of a reduction is one element of its tensor.
static LogicalResult verifyInit(Operation *op, Value init,
                                RankedTensorType from) {
  auto one = RankedTensorType::get({}, from.getElementType());
  if (init.getType() == one)
    return success();
  return op->emitOpError() << "begins with " << init.getType() << ": expected "
                           << one;
}

LogicalResult ReduceOp::verify() {
  RankedTensorType from = getInput().getType();
  if (failed(verifyDims(*this, getDimensions(), from.getRank())) ||
      failed(verifyInit(*this, getInitValue(), from)))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [dim, extent] : llvm::enumerate(from.getShape()))
    if (!llvm::is_contained(getDimensions(), int64_t(dim)))
      shape.push_back(extent);
  if (getType() != from.clone(shape))
    return emitOpError() << "makes " << getType() << ": expected "
                         << from.clone(shape);
  return success();
}

WindowDimension ReduceWindowOp::getWindowDimension(int64_t dim) {
  return readWindow(dim, getWindowStrides(), getBaseDilations(),
                    getWindowDilations(), getPadding());
}

using NamedNumbers = std::pair<StringRef, OptionalNumbers>;

/// Lists have a number from 1 on for each dimension, a padding has two.
static LogicalResult verifyWindow(Operation *op, ArrayRef<NamedNumbers> lists,
                                  std::optional<DenseIntElementsAttr> padding) {
  int64_t rank = cast<RankedTensorType>(op->getOperand(0).getType()).getRank();
  for (auto [name, list] : lists)
    if (list && failed(verifyEntries(op, name, *list, 1)))
      return failure();
  if (failed(verifyPadding(op, padding, rank)))
    return failure();
  if (!padding)
    return success();
  for (int64_t number : padding->getValues<int64_t>())
    if (failed(verifyNumber(op, "as a padding", number, llvm::minIntN(32))))
      return failure();
  return success();
}

LogicalResult ReduceWindowOp::verify() {
  RankedTensorType from = getInput().getType();
  NamedNumbers lists[] = {{"window_dimensions", getWindowDimensions()},
                          {"window_strides", getWindowStrides()},
                          {"base_dilations", getBaseDilations()},
                          {"window_dilations", getWindowDilations()}};
  if (failed(verifyInit(*this, getInitValue(), from)) ||
      failed(verifyExtents(*this, getInput())) ||
      failed(verifyWindow(*this, lists, getPadding())))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [dim, extent] : llvm::enumerate(from.getShape()))
    shape.push_back(getOutputExtent(getWindowDimension(dim), extent,
                                    getWindowDimensions()[dim]));
  if (getType() != from.clone(shape))
    return emitOpError() << "makes " << getType() << ": expected "
                         << from.clone(shape);
  return success();
}

/// Whether the operation is of the two, in either order.
static bool combines(Operation &op, Value first, Value second) {
  Value left = op.getOperand(0), right = op.getOperand(1);
  return (left == first && right == second) ||
         (left == second && right == first);
}

/// Whether a body has two such elements, and returns what its only other
/// operation makes.
static bool hasOneOperation(Block &block, Type element) {
  return block.getNumArguments() == 2 &&
         llvm::all_of(block.getArgumentTypes(),
                      [&](Type type) { return type == element; }) &&
         llvm::hasNItems(block.getOperations(), 2) &&
         isa<ReturnOp>(block.back()) &&
         block.back().getOperand(0).getDefiningOp() == &block.front();
}

/// The body of a reduction of such elements.
static LogicalResult verifyBody(Operation *op, Block &block, Type element) {
  if (!hasOneOperation(block, element) ||
      !isa<AddOp, MaxOp, MinOp>(block.front()) ||
      !combines(block.front(), block.getArgument(0), block.getArgument(1)))
    return op->emitOpError() << "has another body than expected: one add, "
                                "maximum or minimum of its two arguments of "
                             << element;
  return success();
}

LogicalResult ReduceOp::verifyRegions() {
  return verifyBody(*this, getBody().front(), getInitValue().getType());
}

LogicalResult ReduceWindowOp::verifyRegions() {
  return verifyBody(*this, getBody().front(), getInitValue().getType());
}

//===----------------------------------------------------------------------===//
// Selections
//===----------------------------------------------------------------------===//

CompareOp SelectAndScatterOp::getComparison() {
  return cast<CompareOp>(getSelect().front().front());
}

SmallVector<int64_t> SelectAndScatterOp::getWindowExtents() {
  if (std::optional<ArrayRef<int64_t>> extents = getWindowDimensions())
    return SmallVector<int64_t>(*extents);
  return SmallVector<int64_t>(getType().getRank(), 1);
}

WindowDimension SelectAndScatterOp::getWindowDimension(int64_t dim) {
  return readWindow(dim, getWindowStrides(), std::nullopt, std::nullopt,
                    getPadding());
}

LogicalResult SelectAndScatterOp::verify() {
  RankedTensorType from = getOperand().getType();
  NamedNumbers lists[] = {{"window_dimensions", getWindowDimensions()},
                          {"window_strides", getWindowStrides()}};
  if (getType() != from)
    return emitOpError() << "makes " << getType() << ": expected " << from;
  if (failed(verifyInit(*this, getInitValue(), from)) ||
      failed(verifyExtents(*this, getOperand())) ||
      failed(verifyWindow(*this, lists, getPadding())))
    return failure();
  SmallVector<int64_t> windows, extents = getWindowExtents();
  for (auto [dim, extent] : llvm::enumerate(from.getShape()))
    windows.push_back(
        getOutputExtent(getWindowDimension(dim), extent, extents[dim]));
  if (getSource().getType() != from.clone(windows))
    return emitOpError() << "has a source of " << getSource().getType()
                         << ": expected an element for each window, "
                         << from.clone(windows);
  return success();
}

LogicalResult SelectAndScatterOp::verifyRegions() {
  Type element = getInitValue().getType();
  Block &select = getSelect().front(), &scatter = getScatter().front();
  if (!hasOneOperation(select, element) || !isa<CompareOp>(select.front()) ||
      select.front().getOperands() != ValueRange(select.getArguments()))
    return emitOpError() << "has another first body than expected: one compare "
                            "of its two arguments of "
                         << element << ", in order";
  if (!hasOneOperation(scatter, element) || !isa<AddOp>(scatter.front()) ||
      !combines(scatter.front(), scatter.getArgument(0),
                scatter.getArgument(1)))
    return emitOpError() << "has another second body than expected: one add of "
                            "its two arguments of "
                         << element;
  return success();
}

//===----------------------------------------------------------------------===//
// What bodies return
//===----------------------------------------------------------------------===//

/// In an operation that is not read, the error is that operation's.
LogicalResult ReturnOp::verify() {
  Operation *parent = (*this)->getParentOp();
  if (isa<ReduceOp, ReduceWindowOp, SelectAndScatterOp>(parent) ||
      !parent->isRegistered())
    return success();
  return emitOpError("expects parent op 'stablehlo.reduce', "
                     "'stablehlo.reduce_window' or "
                     "'stablehlo.select_and_scatter'");
}
