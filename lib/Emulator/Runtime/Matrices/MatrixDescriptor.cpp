//===- MatrixDescriptor.cpp - operands of wgmma in shared memory ----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The canonical layouts, as the PTX manual gives them under "Strides" of the
// asynchronous warpgroup-level matrix instructions.
//
//===----------------------------------------------------------------------===//

#include "MatrixDescriptor.h"

namespace convmlir::emu {

static constexpr uint32_t kChunkBytes = 16;
/// Rows of a core matrix, or of the repeating pattern of a swizzle.
static constexpr unsigned kCoreRows = 8;

std::optional<MatrixDescriptor> decodeDescriptor(uint64_t bits) {
  constexpr uint64_t field = 0x3FFF;
  constexpr uint64_t meaningful =
      field | field << 16 | field << 32 | uint64_t(7) << 49 | uint64_t(3) << 62;
  if (bits & ~meaningful)
    return std::nullopt;
  // The code counts down from the widest span.
  constexpr SwizzleBits swizzles[] = {0, 3, 2, 1};
  MatrixDescriptor matrix;
  matrix.start = uint32_t(bits & field) * kChunkBytes;
  matrix.leadingOffset = uint32_t(bits >> 16 & field) * kChunkBytes;
  matrix.strideOffset = uint32_t(bits >> 32 & field) * kChunkBytes;
  matrix.baseOffset = uint32_t(bits >> 49 & 7);
  matrix.swizzle = swizzles[bits >> 62];
  return matrix;
}

static uint32_t permuted(const MatrixDescriptor &matrix, uint32_t offset) {
  return swizzled(offset, matrix.swizzle, matrix.baseOffset);
}

uint32_t kMajorChunk(const MatrixDescriptor &matrix, unsigned row,
                     unsigned half) {
  uint32_t group = matrix.start + row / kCoreRows * matrix.strideOffset;
  if (!matrix.swizzle)
    return group + row % kCoreRows * kChunkBytes + half * matrix.leadingOffset;
  return permuted(matrix, group +
                              row % kCoreRows * swizzleSpan(matrix.swizzle) +
                              half * kChunkBytes);
}

uint32_t mnMajorChunk(const MatrixDescriptor &matrix, unsigned k,
                      unsigned block) {
  // Without a swizzle, the two offsets change their roles.
  if (!matrix.swizzle)
    return matrix.start + block * matrix.strideOffset +
           k / kCoreRows * matrix.leadingOffset + k % kCoreRows * kChunkBytes;
  uint32_t span = swizzleSpan(matrix.swizzle);
  unsigned perSpan = span / kChunkBytes;
  return permuted(matrix,
                  matrix.start + block / perSpan * matrix.leadingOffset +
                      k / kCoreRows * matrix.strideOffset +
                      k % kCoreRows * span + block % perSpan * kChunkBytes);
}

} // namespace convmlir::emu
