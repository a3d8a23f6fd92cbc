//===- DotLowering.cpp - products of matrices as convolutions -------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a dot_general of M rows and K columns that sums over C. Output, by how
// the matrices lie:
//
// - Left M x C: forward, of M positions of one image and a filter of one tap.
// - Left C x M, right C x K: wgrad, over C positions of one image.
// - Left C x M, right K x C: the first one, of the left one transposed.
//
// Several dimensions that are summed over, or not, are one of these together.
//
//===----------------------------------------------------------------------===//

#include "DotLowering.h"
#include "ConvolutionLowering.h"
#include "ScalarConvert.h"
#include "Tensors.h"
#include "conv/Dialect/Conv/IR/Transposition.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::conv::stablehlo;
using convmlir::Result;

using Dims = SmallVector<int64_t>;

namespace {
/// An operand as a matrix in row-major order.
struct Matrix {
  Value tensor;
  int64_t free, summed; ///< Extents.
  bool isSummedFirst;   ///< Rows are summed over.
};
} // namespace

static Dims join(ArrayRef<int64_t> first, ArrayRef<int64_t> second) {
  Dims all(first);
  all.append(second.begin(), second.end());
  return all;
}

static bool isInOrder(ArrayRef<int64_t> dims) { return llvm::is_sorted(dims); }

/// Its elements stay where they are in two orders of dimensions.
static Matrix getMatrix(OpBuilder &builder, Location loc, Value tensor,
                        ArrayRef<int64_t> free, ArrayRef<int64_t> summed) {
  auto shape = cast<RankedTensorType>(tensor.getType()).getShape();
  auto count = [&](ArrayRef<int64_t> dims) {
    int64_t product = 1;
    for (int64_t dim : dims)
      product *= shape[dim];
    return product;
  };
  bool isSummedFirst =
      isInOrder(join(summed, free)) && !isInOrder(join(free, summed));
  if (!isSummedFirst)
    tensor = emitTransposition(builder, loc, tensor, join(free, summed));
  return {tensor, count(free), count(summed), isSummedFirst};
}

/// A convolution along one dimension. The entries say what the dimensions are.
static ConvolutionOp createConvolution(OpBuilder &builder, DotGeneralOp op,
                                       Value lhs, Value rhs,
                                       std::array<Dims, 3> entries,
                                       ArrayRef<int64_t> shape) {
  auto numbers = ConvDimensionNumbersAttr::get(builder.getContext(), entries[0],
                                               entries[1], entries[2]);
  IntegerAttr one = builder.getI64IntegerAttr(1);
  return ConvolutionOp::create(builder, op.getLoc(), op.getType().clone(shape),
                               lhs, rhs, nullptr, nullptr, nullptr, nullptr,
                               nullptr, numbers, one, one,
                               op.getPrecisionConfigAttr());
}

static ConvolutionOp emitConvolution(OpBuilder &builder, DotGeneralOp op) {
  Location loc = op.getLoc();
  DotDimensionNumbersAttr numbers = op.getDotDimensionNumbers();
  Matrix lhs = getMatrix(builder, loc, op.getLhs(), op.getLhsFree(),
                         numbers.getLhsContracting());
  Matrix rhs = getMatrix(builder, loc, op.getRhs(), op.getRhsFree(),
                         numbers.getRhsContracting());
  if (lhs.isSummedFirst && !rhs.isSummedFirst) {
    Value rows = emitShape(builder, loc, lhs.tensor, {lhs.summed, lhs.free});
    lhs.tensor = emitTransposition(builder, loc, rows, {1, 0});
    lhs.isSummedFirst = false;
  }
  constexpr int64_t b = ConvDimensionNumbersAttr::kBatch,
                    f = ConvDimensionNumbersAttr::kFeature, o = b, i = f;
  auto image = [&](const Matrix &matrix) {
    Dims rows = {matrix.free, matrix.summed};
    if (matrix.isSummedFirst)
      std::swap(rows[0], rows[1]);
    Value tensor = emitShape(builder, loc, matrix.tensor, rows);
    return emitShape(builder, loc, tensor, {1, rows[0], rows[1]});
  };
  if (lhs.isSummedFirst)
    return createConvolution(builder, op, image(lhs), image(rhs),
                             {Dims{f, 0, b}, Dims{i, 0, o}, Dims{f, 0, b}},
                             {rhs.free, 1, lhs.free});
  Dims filter = rhs.isSummedFirst ? Dims{0, i, o} : Dims{0, o, i};
  return createConvolution(builder, op, image(lhs), image(rhs),
                           {Dims{b, 0, f}, filter, Dims{b, 0, f}},
                           {1, lhs.free, rhs.free});
}

/// Whether its result has the columns of the matrix as rows, as the gradient of
/// a filter lies.
static bool isGradient(ConvolutionOp op) {
  return op.getDimensionNumbers().getOutput().front() ==
         ConvDimensionNumbersAttr::kFeature;
}

static Value emitMultiplyAdd(OpBuilder &builder, Location loc, Value left,
                             Value right, Value sum) {
  if (isa<FloatType>(sum.getType())) {
    Value product = arith::MulFOp::create(builder, loc, left, right);
    return arith::AddFOp::create(builder, loc, product, sum);
  }
  Value product = arith::MulIOp::create(builder, loc, left, right);
  return arith::AddIOp::create(builder, loc, product, sum);
}

/// In which elements are multiplied and added: of floats the widest, f32 at
/// least.
static Type getSumType(DotGeneralOp op) {
  Type type = op.getType().getElementType();
  if (!isa<FloatType>(type))
    return type;
  for (Type other : {op.getLhs().getType().getElementType(),
                     Type(Float32Type::get(op.getContext()))})
    if (other.getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth())
      type = other;
  return type;
}

/// Loops over the result, then over what is summed.
static Value emitLoops(OpBuilder &builder, DotGeneralOp op) {
  Location loc = op.getLoc();
  DotDimensionNumbersAttr numbers = op.getDotDimensionNumbers();
  int64_t rank = op.getType().getRank(),
          loops = rank + numbers.getLhsContracting().size();
  int64_t lhsFree = numbers.getLhsBatching().size(),
          rhsFree = lhsFree + op.getLhsFree().size();
  auto getMap = [&](Value operand, ArrayRef<int64_t> batching,
                    ArrayRef<int64_t> free, int64_t firstFree,
                    ArrayRef<int64_t> summed) {
    SmallVector<AffineExpr> indices(
        cast<RankedTensorType>(operand.getType()).getRank());
    auto set = [&](ArrayRef<int64_t> dims, int64_t first) {
      for (auto [place, dim] : llvm::enumerate(dims))
        indices[dim] = builder.getAffineDimExpr(first + place);
    };
    set(batching, 0);
    set(free, firstFree);
    set(summed, rank);
    return AffineMap::get(loops, 0, indices, builder.getContext());
  };
  Type element = op.getType().getElementType(), sumType = getSumType(op);
  Value dest = emitZeros(builder, loc, op.getType().clone(sumType));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators.append(loops - rank, utils::IteratorType::reduction);
  SmallVector<AffineExpr> made;
  for (int64_t dim = 0; dim < rank; ++dim)
    made.push_back(builder.getAffineDimExpr(dim));
  AffineMap maps[] = {
      getMap(op.getLhs(), numbers.getLhsBatching(), op.getLhsFree(), lhsFree,
             numbers.getLhsContracting()),
      getMap(op.getRhs(), numbers.getRhsBatching(), op.getRhsFree(), rhsFree,
             numbers.getRhsContracting()),
      AffineMap::get(loops, 0, made, builder.getContext())};
  auto sum = linalg::GenericOp::create(
      builder, loc, dest.getType(), ValueRange{op.getLhs(), op.getRhs()}, dest,
      maps, iterators, [&](OpBuilder &inner, Location at, ValueRange x) {
        Value left = emitScalarConvert(inner, at, x[0], sumType);
        Value right = emitScalarConvert(inner, at, x[1], sumType);
        linalg::YieldOp::create(inner, at,
                                emitMultiplyAdd(inner, at, left, right, x[2]));
      });
  return emitConvert(builder, loc, sum.getResult(0), element);
}

/// Whether there are convolutions of such elements: results are of the same
/// type, or wider.
static bool isConvolved(DotGeneralOp op) {
  Type element = op.getLhs().getType().getElementType();
  Type result = op.getType().getElementType();
  bool areFloats =
      isa<FloatType>(element) &&
      (element == result ||
       element.getIntOrFloatBitWidth() < result.getIntOrFloatBitWidth());
  return areFloats || (element.isInteger(8) && result.isInteger(32));
}

Result<Value> conv::lowerDot(OpBuilder &builder, DotGeneralOp op) {
  if (!op.getDotDimensionNumbers().getLhsBatching().empty() || !isConvolved(op))
    return emitLoops(builder, op);
  ConvolutionOp convolution = emitConvolution(builder, op);
  Result<Value> made = lowerConvolution(builder, convolution);
  ArrayRef<int64_t> extents = convolution.getType().getShape();
  int64_t rows = extents[0] * extents[1], columns = extents[2];
  bool isTransposed = isGradient(convolution);
  convolution.erase();
  if (!made)
    return made;
  Value matrix = emitShape(builder, op.getLoc(), *made, {rows, columns});
  if (isTransposed)
    matrix = emitTransposition(builder, op.getLoc(), matrix, {1, 0});
  return emitShape(builder, op.getLoc(), matrix, op.getType().getShape());
}
