//===- MatrixDescriptor.h - operands of wgmma in shared memory --*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 64-bit matrix descriptor of wgmma, and where in shared memory the chunks
// of the matrix are that it describes. A chunk is 16 bytes: half of
// what one wgmma has along k of one row of A or column of B (K-major), or eight
// of those at one k (MN-major, elements of 16 bits only).
//
//   bits 0-13   start address        bits 49-51  base offset
//   bits 16-29  leading byte offset  bits 62-63  swizzle: none, 128, 64, 32
//   bytes bits 32-45  stride byte offset   the others  zero
//
// Addresses and offsets are in units of 16 bytes. The swizzle permutes chunks
// by the bits of their address, so that a matrix may start at any row of a
// tile; the base offset shifts the pattern for tiles that do not start where it
// repeats.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MATRICES_MATRIXDESCRIPTOR_H
#define CONV_LIB_EMULATOR_RUNTIME_MATRICES_MATRIXDESCRIPTOR_H

#include "Runtime/Copies/Swizzle.h"

#include <cstdint>
#include <optional>

namespace convmlir::emu {

struct MatrixDescriptor {
  /// In bytes.
  uint32_t start = 0;
  uint32_t leadingOffset = 0;
  uint32_t strideOffset = 0;
  uint32_t baseOffset = 0;
  SwizzleBits swizzle = 0;
};

enum class Major { K, MN };

/// Chunks along k of one wgmma, whatever its type; elements along k and of a
/// chunk where an operand is MN-major.
inline constexpr unsigned kChunksAlongK = 2;
inline constexpr unsigned kMnMajorK = 16;
inline constexpr unsigned kMnMajorElements = 8;

/// Chunks of a matrix of `rows` rows (columns, of B), of either major.
inline unsigned chunkCount(unsigned rows) { return rows * kChunksAlongK; }

/// The fields of a descriptor, or nothing if a bit is set that has no meaning.
std::optional<MatrixDescriptor> decodeDescriptor(uint64_t bits);

/// Shared offset of the first or the second chunk along k of row `row` of a
/// K-major matrix.
uint32_t kMajorChunk(const MatrixDescriptor &matrix, unsigned row,
                     unsigned half);

/// Shared offset of the chunk with rows [8 block, 8 block + 8) at `k` of an
/// MN-major matrix.
uint32_t mnMajorChunk(const MatrixDescriptor &matrix, unsigned k,
                      unsigned block);

/// Calls `visit(shared offset)` for all chunks: by row and half, or by k and
/// block.
template <typename Visit>
void forEachChunk(const MatrixDescriptor &matrix, Major major, unsigned rows,
                  Visit visit) {
  if (major == Major::K) {
    for (unsigned row = 0; row < rows; ++row)
      for (unsigned half = 0; half < kChunksAlongK; ++half)
        visit(kMajorChunk(matrix, row, half));
    return;
  }
  for (unsigned k = 0; k < kMnMajorK; ++k)
    for (unsigned block = 0; block < rows / kMnMajorElements; ++block)
      visit(mnMajorChunk(matrix, k, block));
}

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MATRICES_MATRIXDESCRIPTOR_H
