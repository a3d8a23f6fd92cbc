//===- RegisterMatrix.h - A of a wgmma in registers -------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A 64x16 matrix of 16-bit elements that the threads of a warpgroup hold
// ("Register Fragments for wgmma.mma_async.m64nNk16" of the PTX manual).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MATRICES_REGISTERMATRIX_H
#define CONV_LIB_EMULATOR_RUNTIME_MATRICES_REGISTERMATRIX_H

#include "MatrixDescriptor.h"
#include "WgmmaKernel.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace convmlir::emu {

struct RegisterMatrix {
  /// Registers of a thread.
  static constexpr unsigned kRegisters = 4;

  /// Stores a register of lane `lane` of warp `warp` of the warpgroup.
  void set(unsigned warp, unsigned lane, unsigned index, uint32_t pair) {
    unsigned row = 16 * warp + lane / 4 + 8 * (index % 2);
    std::memcpy(chunks[row * kChunksAlongK + index / 2] +
                    lane % 4 * sizeof(pair),
                &pair, sizeof(pair));
  }

  /// In the order of forEachChunk of a K-major matrix.
  std::byte chunks[kWgmmaM * kChunksAlongK][16];
};

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MATRICES_REGISTERMATRIX_H
