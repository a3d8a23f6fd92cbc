//===- DistantReads.cpp - every n-th element of a buffer ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DistantReads.h"

#include "PlainKernels.h"
#include "Support/IndexMath.h"
#include "Support/KnownDivisor.h"
#include "Support/TileChunks.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

Value conv::readGroups(OpBuilder &builder, Location loc, VectorType type,
                       Value buffer, ValueRange indices, unsigned dim) {
  constexpr int64_t mostOfGroup = 4;
  auto memref = cast<MemRefType>(buffer.getType());
  if (!memref.getLayout().isIdentity())
    return nullptr;
  auto [strides, offset] = memref.getStridesAndOffset();
  int64_t distance = strides[dim];
  bool isFirst = llvm::all_of(indices.drop_front(dim + 1), [](Value index) {
    return isConstantIntValue(index, 0);
  });
  if (!isFirst || distance > mostOfGroup)
    return nullptr;
  IndexMath math(builder, loc);
  Value first = math.constant(0);
  int64_t divisor = 0;
  for (auto [index, stride] : llvm::zip_equal(indices, strides)) {
    first = math.add(first, math.mul(index, stride));
    divisor = std::gcd(divisor, stride * getKnownDivisor(OpFoldResult(index)));
  }
  int64_t number = type.getNumElements();
  int64_t bytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  // Tensors begin at multiples of as much.
  int64_t known = divisor == 0 ? kPlainAccessBytes : divisor & -divisor;
  auto groups = VectorType::get(number * distance, memref.getElementType());
  Value read = vector::LoadOp::create(
      builder, loc, groups, getFlatView(buffer), first, /*nontemporal=*/false,
      llvm::Align(std::min(kPlainAccessBytes,
                           std::min(known, kPlainAccessBytes) * bytes)));
  SmallVector<int64_t> kept;
  for (int64_t i = 0; i < number; ++i)
    kept.push_back(i * distance);
  return vector::ShuffleOp::create(builder, loc, read, read, kept);
}
