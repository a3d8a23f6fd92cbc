//===- WgmmaKernel.h - arithmetic of wgmma ----------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One m64nNk16 product on operands that have been found in shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_WGMMAKERNEL_H
#define CONV_LIB_EMULATOR_RUNTIME_WGMMAKERNEL_H

#include "MatrixDescriptor.h"
#include "MmaKernel.h"

namespace convmlir::emu {

inline constexpr unsigned kWgmmaM = 64;
inline constexpr unsigned kWgmmaMaxN = 256;

/// The shape and the types of a product.
struct WgmmaShape {
  unsigned n = 0;
  MmaElement element = MmaElement::F16;
  Major aMajor = Major::K;
  Major bMajor = Major::K;
  /// The product is subtracted.
  bool negated = false;
};

/// The chunks of the operands in the order of forEachChunk.
struct WgmmaOperands {
  const std::byte *a[kWgmmaM * kWgmmaK / kChunkElements];
  const std::byte *b[kWgmmaMaxN * kWgmmaK / kChunkElements];
};

/// accumulators[64][n] += A B, in f32, k in ascending order.
void runWgmma(const WgmmaShape &shape, const WgmmaOperands &operands,
              float *accumulators,
              InstructionSet instructions = bestInstructionSet());

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_WGMMAKERNEL_H
