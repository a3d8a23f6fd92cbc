//===- Transpositions.cpp - tensors with channels first -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Shape/Transpositions.h"

#include "conv/Dialect/Conv/IR/ChannelsFirst.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Dialect/Conv/IR/Epilogue.h"
#include "conv/Dialect/Conv/IR/Transposition.h"
#include "conv/Schedule/Shape/ChannelsFirstResult.h"
#include "conv/Schedule/Shape/PlainOps.h"
#include "conv/Schedule/Shape/TensorBytes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/FormatVariadic.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

/// A chunk of 16 bytes.
static constexpr int64_t kMostNeighbours = 8;

bool conv::hasAllPositions(const convmlir::MatrixView &view) {
  for (int d = 0; d < view.spatialRank; ++d)
    if (view.rows[d] != view.extent[d] || view.taps[d] != 1 ||
        view.stride[d] != 1 || view.offset[d] != 0)
      return false;
  return true;
}

int64_t conv::countImagePositions(const convmlir::MatrixView &view) {
  if (!hasAllPositions(view))
    return 0;
  return llvm::product_of(ArrayRef(view.extent).take_front(view.spatialRank),
                          int64_t(1));
}

int64_t conv::countWindowPositions(const GemmShape &gemm) {
  return gemm.views.window ? countImagePositions(*gemm.views.window) : 0;
}

/// Where windows are single positions, how many of them are neighbours that all
/// begin at multiples of their number in all images and channels.
static int64_t countNeighbours(const convmlir::ConvGeometry &geometry) {
  int64_t positions = 1;
  for (int d = 0; d < geometry.spatialRank; ++d) {
    if (!hasOneTap(geometry, d) || geometry.stride[d] != 1)
      return 1;
    positions *= geometry.input[d];
  }
  return std::gcd(kMostNeighbours, positions);
}

bool conv::isTransposition(ConvOpInterface op, Value operand) {
  if (op.getLayout() != Layout::NCHW)
    return bool(getChannelsFirstSource(operand));
  Operation *maker = operand.getDefiningOp();
  if (isa_and_nonnull<ConvOpInterface, linalg::LinalgOp>(maker))
    return false;
  ArrayRef<int64_t> shape = cast<ShapedType>(operand.getType()).getShape();
  return shape[1] > 1 && llvm::product_of(shape.drop_front(2), int64_t(1)) > 1;
}

bool conv::endsChannelsFirst(ConvOpInterface op) {
  if (op.getLayout() == Layout::NCHW)
    return true;
  Value result = op->getResult(0);
  SmallVector<int64_t> dims = getEpilogueDims(op);
  while (linalg::GenericOp next = getEpilogue(result, dims))
    result = next->getResult(0);
  auto next = result.hasOneUse()
                  ? dyn_cast<linalg::TransposeOp>(*result.user_begin())
                  : nullptr;
  return next && makesChannelsFirst(next);
}

std::string conv::whyChannelsLast(ConvOpInterface op, StringRef form) {
  convmlir::ConvKind kind = op.getConvKind();
  bool isWgrad = kind == convmlir::ConvKind::Wgrad;
  bool isForward = kind == convmlir::ConvKind::Forward;
  StringRef first = isForward || isWgrad ? "x" : "dy";
  StringRef second = isForward ? "y" : isWgrad ? "dy" : "dx";
  bool isFirst = isTransposition(op, op->getOperand(0));
  bool isSecond =
      isWgrad ? isTransposition(op, op->getOperand(1)) : endsChannelsFirst(op);
  if (isFirst && isSecond)
    return "";
  return formatv("{0} is for {1} and {2} with their channels first, but {3} "
                 "has them last here, as all tensors between convolutions do",
                 form, first, second, isFirst ? second : first);
}

void conv::addTranspositions(GemmShape &shape, ConvOpInterface op,
                             const convmlir::ConvGeometry &geometry) {
  bool isWgrad = op.getConvKind() == convmlir::ConvKind::Wgrad;
  Value a = op->getOperand(isWgrad ? 1 : 0), b = op->getOperand(0);
  // Folded taps are copied from where they are, and dy beside them is not
  // gathered.
  if (!shape.variant.fold.empty()) {
    if (isWgrad && !shape.wgrad.isKMajor && isTransposition(op, a))
      shape.gathered.transposedBytes = countBytes(a);
    return;
  }
  shape.a.isTransposed = !shape.wgrad.isKMajor && isTransposition(op, a);
  shape.b.isTransposed = isWgrad && isTransposition(op, b);
  // What makes a slice transposes it on the way.
  if (shape.a.isTransposed && !isTransposedSlice(a))
    shape.gathered.transposedBytes += countBytes(a);
  if (shape.b.isTransposed)
    shape.gathered.transposedBytes += countBytes(b);
  shape.gathered.neighbours = countNeighbours(geometry);
  // One phase among zeros reads all positions, whatever the stride.
  if (int64_t positions = countWindowPositions(shape);
      !isWgrad && positions > 0)
    shape.gathered.neighbours = std::gcd(kMostNeighbours, positions);
}
