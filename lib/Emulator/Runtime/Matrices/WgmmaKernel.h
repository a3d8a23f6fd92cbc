//===- WgmmaKernel.h - arithmetic of wgmma ----------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One m64nNkK product on operands that have been found in shared memory; K
// elements are 32 bytes.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MATRICES_WGMMAKERNEL_H
#define CONV_LIB_EMULATOR_RUNTIME_MATRICES_WGMMAKERNEL_H

#include "MatrixDescriptor.h"
#include "MmaKernel.h"

namespace convmlir::emu {

inline constexpr unsigned kWgmmaM = 64;
inline constexpr unsigned kWgmmaMaxN = 256;

/// Elements along k of one wgmma.
inline constexpr unsigned wgmmaK(MmaElement element) {
  return 32 / elementBytes(element);
}

/// The shape and the types of a product.
struct WgmmaShape {
  unsigned n = 0;
  MmaElement element = MmaElement::F16;
  Major aMajor = Major::K;
  Major bMajor = Major::K;
  /// The product is subtracted.
  bool negated = false;
  /// Of B, where it is not that of A: one is E4M3, the other E5M2.
  std::optional<MmaElement> elementB;

  unsigned k() const { return wgmmaK(element); }
};

/// The chunks of the operands in the order of forEachChunk.
struct WgmmaOperands {
  const std::byte *a[kWgmmaM * kChunksAlongK];
  const std::byte *b[kWgmmaMaxN * kChunksAlongK];
};

/// accumulators[64][n] += A B, k in ascending order: in f32, or of s8 in
/// integers of 32 bits, which wrap. Sums of 8-bit floats keep 14 significant
/// bits and are rounded towards zero, as on Hopper; that the hardware aligns
/// the products of an instruction to the largest first is not modelled.
void runWgmma(const WgmmaShape &shape, const WgmmaOperands &operands,
              void *accumulators,
              InstructionSet instructions = bestInstructionSet());

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MATRICES_WGMMAKERNEL_H
