//===- HelperSums.cpp - what a lane sums of a tile ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HelperSums.h"

#include "Support/TileChunks.h"
#include "Support/ViewAddressing.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

/// The first warp of the warpgroup copies.
HelperSums::Place HelperSums::findPlace(IndexMath &math, int64_t warps) {
  Value thread = gpu::ThreadIdOp::create(math.getBuilder(), math.getLoc(),
                                         gpu::Dimension::x);
  Value warp =
      math.sub(math.div(math.rem(thread, kWarpgroupSize), conv::kWarpSize),
               math.constant(1));
  if (warps < kHelperWarps)
    isUsed = math.isBelow(warp, warps);
  return {warp, math.rem(thread, conv::kWarpSize)};
}

void HelperSums::storePieces(IndexMath &math, ScatterOp op, Value values,
                             Value column) {
  OpBuilder &builder = math.getBuilder();
  Location loc = op.getLoc();
  int64_t number = cast<VectorType>(values.getType()).getNumElements();
  ViewAddressing addressing(ViewTile(op), op.getTensorShape(), /*tileRows=*/1,
                            tileSums.getNumElements());
  auto row = addressing.getRow(math, math.constant(0));
  auto origin = addressing.getOrigin(math);
  int64_t together =
      std::gcd(addressing.getAlignment(number), op.getFullShape().back());
  int64_t bytes = together * laneSums.getElementTypeBitWidth() / 8;
  Value flat = getFlatView(op.getDest());
  for (int64_t i = 0; i < number; i += together) {
    Value first = math.add(column, i);
    math.guard(addressing.isElementInside(math, row, origin, first), [&] {
      Value piece = vector::ExtractStridedSliceOp::create(
          builder, loc, values, ArrayRef{i}, ArrayRef{together},
          ArrayRef<int64_t>{1});
      vector::StoreOp::create(
          builder, loc, piece, flat,
          addressing.getElement(math, row, origin, first),
          /*nontemporal=*/false,
          llvm::Align(std::min<int64_t>(bytes, convmlir::kChunkBytes)));
    });
  }
}

Value conv::loadChunk(OpBuilder &builder, Location loc, Value flat,
                      Value element) {
  auto type = cast<MemRefType>(flat.getType());
  int64_t number = convmlir::kChunkBytes * 8 / type.getElementTypeBitWidth();
  return vector::LoadOp::create(
      builder, loc, VectorType::get(number, type.getElementType()), flat,
      element, /*nontemporal=*/false, llvm::Align(convmlir::kChunkBytes));
}

Value conv::widen(OpBuilder &builder, Location loc, Value elements) {
  auto type = cast<VectorType>(elements.getType());
  VectorType wide = type.clone(builder.getF32Type());
  if (!type.getElementType().isBF16())
    return arith::ExtFOp::create(builder, loc, wide, elements);
  int64_t words = type.getNumElements() / 2;
  auto wordsType = VectorType::get(words, builder.getI32Type());
  Value bits = vector::BitCastOp::create(builder, loc, wordsType, elements);
  auto splat = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(wordsType, value));
  };
  // The first element of a word is its low half.
  auto halfType = VectorType::get(words, builder.getF32Type());
  Value low = vector::BitCastOp::create(
      builder, loc, halfType,
      arith::ShLIOp::create(builder, loc, bits, splat(16)));
  Value high = vector::BitCastOp::create(
      builder, loc, halfType,
      arith::AndIOp::create(builder, loc, bits, splat(int32_t(0xffff0000))));
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < words; ++i)
    order.append({i, words + i});
  return vector::ShuffleOp::create(builder, loc, low, high, order);
}
