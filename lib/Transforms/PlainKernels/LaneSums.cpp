//===- LaneSums.cpp - sums over neighbouring threads ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  F5, a gpu.subgroup_reduce of f32, f64 or i32 over L neighbouring
//         lanes.
// Output: log2(L) steps; in step i a lane adds what the lane 2^i away has.
//
// Both lanes of a pair add the same two numbers, so all lanes end with the same
// bits. Upstream's lowering names all 32 lanes of the warp in each shuffle;
// here the last warp can have lanes without work, so only those of the sum are
// named.
//
//===----------------------------------------------------------------------===//

#include "LaneSums.h"

#include "PlainKernels.h"
#include "Support/IndexMath.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

static constexpr int64_t kWarpSize = 32;

/// The lanes that take part: as many bits as lanes, at the first of them.
static Value getLaneMask(OpBuilder &builder, Location loc, int64_t lanes) {
  IndexMath math(builder, loc);
  if (lanes == kWarpSize)
    return math.constant32(-1);
  Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  Value first = math.bitAnd(thread, kWarpSize - lanes);
  return math.shiftLeft(math.constant32((int64_t(1) << lanes) - 1),
                        math.toInt32(first));
}

/// What the lane `distance` away has, element by element.
static Value exchange(OpBuilder &builder, Location loc, Value mask, Value value,
                      int64_t distance) {
  IndexMath math(builder, loc);
  auto shuffleWord = [&](Value word) -> Value {
    return NVVM::ShflOp::create(
        builder, loc, word.getType(), mask, word, math.constant32(distance),
        math.constant32(kWarpSize - 1), NVVM::ShflKind::bfly, UnitAttr());
  };
  // A shuffle moves 32 bits.
  auto shuffle = [&](Value element) -> Value {
    Type type = element.getType();
    if (type.getIntOrFloatBitWidth() == 32)
      return shuffleWord(element);
    auto wordsType = VectorType::get(2, builder.getI32Type());
    Value number = vector::BroadcastOp::create(
        builder, loc, VectorType::get(1, type), element);
    Value words = vector::BitCastOp::create(builder, loc, wordsType, number);
    SmallVector<Value> moved;
    for (int64_t i = 0; i < 2; ++i)
      moved.push_back(
          shuffleWord(vector::ExtractOp::create(builder, loc, words, i)));
    words = vector::FromElementsOp::create(builder, loc, wordsType, moved);
    number = vector::BitCastOp::create(builder, loc, VectorType::get(1, type),
                                       words);
    return vector::ExtractOp::create(builder, loc, number, int64_t(0));
  };
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return shuffle(value);
  SmallVector<Value> elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    elements.push_back(
        shuffle(vector::ExtractOp::create(builder, loc, value, i)));
  return vector::FromElementsOp::create(builder, loc, type, elements);
}

Value conv::addOverLanes(OpBuilder &builder, Location loc, Value mask,
                         Value sum, int64_t first, int64_t lanes) {
  for (int64_t distance = first; distance < lanes; distance *= 2) {
    Value other = exchange(builder, loc, mask, sum, distance);
    if (isa<FloatType>(getElementTypeOrSelf(sum.getType())))
      sum = arith::AddFOp::create(builder, loc, sum, other);
    else
      sum = arith::AddIOp::create(builder, loc, sum, other);
  }
  return sum;
}

LogicalResult conv::lowerLaneSum(gpu::SubgroupReduceOp op) {
  int64_t lanes = op.getClusterSize().value_or(kWarpSize);
  Type element = getElementTypeOrSelf(op.getType());
  if (op.getOp() != gpu::AllReduceOperation::ADD ||
      (!element.isF32() && !element.isF64() && !element.isInteger(32)) ||
      op.getClusterStride() != 1 || lanes > kWarpSize)
    return op.emitOpError("cannot be part of a plain kernel: expected a sum of "
                          "f32, f64 or i32 over neighbouring lanes of a warp");
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value sum = addOverLanes(builder, loc, getLaneMask(builder, loc, lanes),
                           op.getValue(), /*first=*/1, lanes);
  op.getResult().replaceAllUsesWith(sum);
  op.erase();
  return success();
}
