//===- IndexMath.cpp - index arithmetic that folds ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexMath.h"

#include "conv/Geometry/SharedTile.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::conv;

Value IndexMath::constant(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value IndexMath::toValue(OpFoldResult value) {
  return getValueOrCreateConstantIndexOp(builder, loc, value);
}

/// Positions in tensors and tiles fit the index type (see KernelToNVVM), also
/// those outside of a tensor. LLVM moves constants into addresses only if told.
static constexpr arith::IntegerOverflowFlags kFits =
    arith::IntegerOverflowFlags::nsw;

Value IndexMath::add(Value a, Value b) {
  return builder.createOrFold<arith::AddIOp>(loc, a, b, kFits);
}

Value IndexMath::add(Value a, int64_t b) {
  return b == 0 ? a : add(a, constant(b));
}

Value IndexMath::sub(Value a, Value b) {
  return builder.createOrFold<arith::SubIOp>(loc, a, b, kFits);
}

Value IndexMath::mul(Value a, Value b) {
  return builder.createOrFold<arith::MulIOp>(loc, a, b, kFits);
}

Value IndexMath::mul(Value a, int64_t b) {
  return b == 1
             ? a
             : builder.createOrFold<arith::MulIOp>(loc, a, constant(b), kFits);
}

Value IndexMath::div(Value a, int64_t b) {
  return b == 1 ? a : builder.createOrFold<arith::DivUIOp>(loc, a, constant(b));
}

Value IndexMath::div(Value a, Value b) {
  return builder.createOrFold<arith::DivUIOp>(loc, a, b);
}

Value IndexMath::rem(Value a, int64_t b) {
  return b == 1 ? constant(0)
                : builder.createOrFold<arith::RemUIOp>(loc, a, constant(b));
}

Value IndexMath::bitAnd(Value a, int64_t mask) {
  return builder.createOrFold<arith::AndIOp>(loc, a, constant(mask));
}

Value IndexMath::bitXor(Value a, Value b) {
  return builder.createOrFold<arith::XOrIOp>(loc, a, b);
}

Value IndexMath::isBelow(Value a, int64_t bound) {
  return isBelow(a, constant(bound));
}

Value IndexMath::isBelow(Value a, Value bound) {
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, a,
                                             bound);
}

Value IndexMath::both(Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return builder.createOrFold<arith::AndIOp>(loc, a, b);
}

Value IndexMath::select(Value condition, Value a, Value b) {
  if (!condition)
    return a;
  return builder.createOrFold<arith::SelectOp>(loc, condition, a, b);
}

Operation *IndexMath::guard(Value condition, function_ref<void()> body) {
  if (!condition) {
    body();
    return nullptr;
  }
  OpBuilder::InsertionGuard insertion(builder);
  auto branch = scf::IfOp::create(builder, loc, condition,
                                  /*withElseRegion=*/false);
  builder.setInsertionPointToStart(branch.thenBlock());
  body();
  return branch;
}

Value IndexMath::constant32(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(),
                                      value);
}

Value IndexMath::toInt32(Value index) {
  return builder.createOrFold<arith::IndexCastOp>(loc, builder.getI32Type(),
                                                  index);
}

Value IndexMath::shiftLeft(Value bits, Value distance) {
  return builder.createOrFold<arith::ShLIOp>(loc, bits, distance);
}

Value IndexMath::bitOr(Value a, Value b) {
  return builder.createOrFold<arith::OrIOp>(loc, a, b);
}

Value IndexMath::hasCommonBit(Value a, Value b) {
  Value common = builder.createOrFold<arith::AndIOp>(loc, a, b);
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ne,
                                             common, constant32(0));
}

Value IndexMath::sharedElement(const convmlir::SharedTile &tile, Value row,
                               Value chunk) {
  if (tile.getSwizzleMask() != 0) {
    Value line = div(row, int64_t(1) << tile.getSwizzleShift());
    chunk = bitXor(chunk, bitAnd(line, tile.getSwizzleMask()));
  }
  return add(mul(row, tile.getColumns()),
             mul(chunk, tile.getElementsPerChunk()));
}

Value IndexMath::sharedElementAt(const convmlir::SharedTile &tile, Value row,
                                 Value column) {
  int64_t perChunk = tile.getElementsPerChunk();
  return add(sharedElement(tile, row, div(column, perChunk)),
             rem(column, perChunk));
}
