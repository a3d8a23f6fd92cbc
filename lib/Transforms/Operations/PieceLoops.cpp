//===- PieceLoops.cpp - tensors put together from others ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PieceLoops.h"
#include "Support/IndexMath.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::conv;

Value conv::flattenTensor(OpBuilder &builder, Location loc, Value tensor) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  if (rank == 1)
    return tensor;
  SmallVector<ReassociationIndices> all = {
      llvm::to_vector(llvm::seq<int64_t>(rank))};
  return tensor::CollapseShapeOp::create(builder, loc, tensor, all);
}

/// Whether a piece has every position of the dimension.
static bool coversDim(const Piece &piece, RankedTensorType type, int64_t dim) {
  auto source = cast<RankedTensorType>(piece.source.getType());
  int64_t extent = source.getDimSize(dim);
  return piece.strides[dim] == 1 && piece.offsets[dim] <= 0 &&
         piece.offsets[dim] + extent >= type.getDimSize(dim);
}

/// The element of the piece at the position of the loops, or `other`, null
/// where the piece has it in any case.
static Value emitPiece(OpBuilder &builder, Location loc, RankedTensorType type,
                       const Piece &piece, Value row, Value other) {
  IndexMath math(builder, loc);
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(piece.source.getType()).getShape();
  SmallVector<int64_t> suffix = computeSuffixProduct(shape);
  Value isInside, position = math.constant(0);
  for (auto [dim, stride] : llvm::enumerate(piece.strides)) {
    Value index = math.add(linalg::IndexOp::create(builder, loc, dim),
                           -piece.offsets[dim]);
    if (!coversDim(piece, type, dim))
      isInside = math.both(
          isInside, math.isBelow(index, (shape[dim] - 1) * stride + 1));
    if (stride > 1) {
      isInside =
          math.both(isInside, math.isBelow(math.rem(index, stride), 1));
      index = math.div(index, stride);
    }
    position = math.add(position, math.mul(index, suffix[dim]));
  }
  position = math.select(isInside, position, math.constant(0));
  Value element = tensor::ExtractOp::create(builder, loc, row, position);
  return other ? math.select(isInside, element, other) : element;
}

/// A linalg.generic with a loop for each dimension of the result.
static Value
emitLoops(OpBuilder &builder, Location loc, RankedTensorType type,
          ValueRange inputs,
          function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  SmallVector<AffineMap> maps(inputs.size() + 1,
                              builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, type, inputs, empty, maps, loops,
             [&](OpBuilder &inner, Location at, ValueRange elements) {
               linalg::YieldOp::create(inner, at, body(inner, at, elements));
             })
      .getResult(0);
}

static bool isEmpty(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getNumElements() == 0;
}

Value conv::emitPieces(OpBuilder &builder, Location loc, RankedTensorType type,
                       Value base, ArrayRef<Piece> pieces) {
  SmallVector<Piece> present;
  SmallVector<Value> rows;
  for (const Piece &piece : pieces) {
    if (isEmpty(piece.source))
      continue;
    present.push_back(piece);
    rows.push_back(flattenTensor(builder, loc, piece.source));
  }
  bool hasTensor = base && isa<RankedTensorType>(base.getType());
  if (present.empty() && hasTensor)
    return base;
  if (present.empty() && base) {
    Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                          type.getElementType());
    return linalg::FillOp::create(builder, loc, base, empty).getResult(0);
  }
  return emitLoops(builder, loc, type,
                   hasTensor ? ValueRange(base) : ValueRange(),
                   [&](OpBuilder &inner, Location at, ValueRange elements) {
                     Value made = hasTensor ? elements.front() : base;
                     for (auto [piece, row] : llvm::zip(present, rows))
                       made = emitPiece(inner, at, type, piece, row, made);
                     return made;
                   });
}

Value conv::emitPart(OpBuilder &builder, Location loc, RankedTensorType type,
                     Value source, ArrayRef<int64_t> offsets,
                     ArrayRef<int64_t> strides,
                     const llvm::SmallBitVector &dropped) {
  SmallVector<int64_t> suffix = computeSuffixProduct(
      cast<RankedTensorType>(source.getType()).getShape());
  Value row = flattenTensor(builder, loc, source);
  return emitLoops(
      builder, loc, type, {},
      [&](OpBuilder &inner, Location at, ValueRange) -> Value {
        IndexMath math(inner, at);
        int64_t first = 0, loop = 0;
        Value position = math.constant(0);
        for (auto [dim, stride] : llvm::enumerate(strides)) {
          first += offsets[dim] * suffix[dim];
          if (dropped.test(dim))
            continue;
          Value index = linalg::IndexOp::create(inner, at, loop++);
          position = math.add(position, math.mul(index, stride * suffix[dim]));
        }
        position = math.add(position, first);
        return tensor::ExtractOp::create(inner, at, row, position);
      });
}
