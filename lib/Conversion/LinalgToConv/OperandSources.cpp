//===- OperandSources.cpp - what stands in front of operands --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandSources.h"
#include "conv/Dialect/Conv/IR/Reversal.h"
#include "conv/Dialect/Conv/IR/ZeroPadding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::conv;

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// The input of an elementwise operation that widens each element, and keeps
/// its number.
static Value matchWidening(Value value) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumDpsInputs() != 1 || op.getNumResults() != 1 ||
      !op.hasPureTensorSemantics() || op.getNumReductionLoops() != 0 ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return Value();
  Value made = op.getBody()->getTerminator()->getOperand(0);
  Operation *cast = made.getDefiningOp();
  if (!isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp>(cast) ||
      cast->getOperand(0) != op.getBody()->getArgument(0))
    return Value();
  return op.getDpsInputs().front();
}

//===----------------------------------------------------------------------===//
// Zeros
//===----------------------------------------------------------------------===//

/// A tensor of zeros.
static bool isZeros(Value value) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    value = fill.getInputs().front();
  return isConstantZero(value);
}

/// A slice of zeros that is written.
static std::optional<SpreadSource> matchZeroSpread(Value value) {
  auto insert = value.getDefiningOp<tensor::InsertSliceOp>();
  if (!insert || !isZeros(insert.getDest()) ||
      insert.getSourceType().getRank() != insert.getType().getRank() ||
      !insert.getSourceType().hasStaticShape() ||
      !insert.getType().hasStaticShape())
    return std::nullopt;
  auto offsets = getConstantIntValues(insert.getMixedOffsets());
  auto strides = getConstantIntValues(insert.getMixedStrides());
  if (!offsets || !strides)
    return std::nullopt;
  SpreadSource source{insert.getSource(), {}, {}, {}};
  for (auto [extent, inner, offset, stride] :
       llvm::zip(insert.getType().getShape(),
                 insert.getSourceType().getShape(), *offsets, *strides)) {
    int64_t spread = inner > 1 ? stride : 1;
    source.low.push_back(offset);
    source.high.push_back(extent - offset - (inner - 1) * spread - 1);
    source.spread.push_back(spread);
  }
  return source;
}

static std::optional<SpreadSource> matchZeros(Value value) {
  if (convmlir::Result<ZeroPadding> pad = matchZeroPadding(value))
    return SpreadSource{pad->source, pad->low, pad->high,
                        SmallVector<int64_t>(pad->low.size(), 1)};
  return matchZeroSpread(value);
}

static bool isUnchanged(const SpreadSource &source) {
  auto isZero = [](int64_t amount) { return amount == 0; };
  return llvm::all_of(source.low, isZero) &&
         llvm::all_of(source.high, isZero) &&
         llvm::all_of(source.spread, [](int64_t step) { return step == 1; });
}

/// Whether `inner`, in front of `outer`, is the same as both at once: elements
/// are not spread twice, and nothing that is cropped comes back.
static bool canJoin(const SpreadSource &outer, const SpreadSource &inner) {
  auto isNegative = [](int64_t amount) { return amount < 0; };
  return isUnchanged(outer) ||
         (llvm::all_of(outer.spread, [](int64_t step) { return step == 1; }) &&
          llvm::none_of(inner.low, isNegative) &&
          llvm::none_of(inner.high, isNegative));
}

/// Whether other dimensions are as they were, and no tensor is empty.
static bool changesOnly(const SpreadSource &source, ArrayRef<bool> mayChange) {
  for (auto [dim, may] : llvm::enumerate(mayChange))
    if (!may && (source.low[dim] != 0 || source.high[dim] != 0 ||
                 source.spread[dim] != 1))
      return false;
  return cast<ShapedType>(source.value.getType()).getNumElements() > 0;
}

SpreadSource conv::findSpreadSource(Value value, ArrayRef<bool> mayChange,
                                    bool skipsCasts) {
  size_t rank = mayChange.size();
  SpreadSource found{value, SmallVector<int64_t>(rank, 0),
                     SmallVector<int64_t>(rank, 0),
                     SmallVector<int64_t>(rank, 1)};
  while (true) {
    if (Value source = matchWidening(found.value); source && skipsCasts) {
      found.value = source;
      continue;
    }
    std::optional<SpreadSource> inner = matchZeros(found.value);
    if (!inner || !changesOnly(*inner, mayChange) || !canJoin(found, *inner))
      return found;
    for (size_t dim = 0; dim < rank; ++dim) {
      found.low[dim] += inner->low[dim];
      found.high[dim] += inner->high[dim];
    }
    found.spread = inner->spread;
    found.value = inner->value;
  }
}

//===----------------------------------------------------------------------===//
// Backwards
//===----------------------------------------------------------------------===//

ReversedSource conv::findReversedSource(Value value, ArrayRef<bool> mayChange,
                                        bool skipsCasts) {
  ReversedSource found{value, SmallVector<bool>(mayChange.size(), false)};
  while (true) {
    if (Value source = matchWidening(found.value); source && skipsCasts) {
      found.value = source;
      continue;
    }
    std::optional<Reversal> reversal = matchReversal(found.value);
    if (!reversal ||
        !llvm::all_of(reversal->dims, [&](int64_t d) { return mayChange[d]; }))
      return found;
    for (int64_t dim : reversal->dims)
      found.reversed[dim] = !found.reversed[dim];
    found.value = reversal->source;
  }
}
