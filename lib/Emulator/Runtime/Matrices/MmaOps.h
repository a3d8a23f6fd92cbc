//===- MmaOps.h - mma.sync --------------------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor-core products of a warp, m16n8kK and, of f64, m8n8k4. The lowering
// puts independent products of a block into one op, so that fragments which
// several of them share are converted once, and the warp meets once.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MATRICES_MMAOPS_H
#define CONV_LIB_EMULATOR_RUNTIME_MATRICES_MMAOPS_H

#include "Runtime/Machine/Machine.h"

#include <optional>

namespace convmlir::emu {

/// Type of the multiplicands. The accumulators are s32 for S8, f64 for F64, and
/// f32 for all others.
enum class MmaElement { F16, BF16, TF32, S8, E4M3, E5M2, F64 };

/// Bytes of a multiplicand in a register.
inline constexpr unsigned elementBytes(MmaElement element) {
  switch (element) {
  case MmaElement::S8:
  case MmaElement::E4M3:
  case MmaElement::E5M2:
    return 1;
  case MmaElement::F16:
  case MmaElement::BF16:
    return 2;
  case MmaElement::TF32:
    return 4;
  case MmaElement::F64:
    return 8;
  }
  return 0;
}

inline constexpr unsigned kMmaM = 16;
inline constexpr unsigned kMmaN = 8;
inline constexpr unsigned kMmaMaxK = 32;
/// Rows and k of a product of f64.
inline constexpr unsigned kMmaF64M = 8;
inline constexpr unsigned kMmaF64K = 4;
/// Bytes of a lane's accumulators of one product: four of 32 bits, two of 64.
inline constexpr unsigned kMmaAccumulatorBytes = 16;
/// Products, and so fragments of each operand, of one batch.
inline constexpr unsigned kMmaMaxBatch = 64;

/// The mailbox holds the A fragments, the B fragments, and one accumulator
/// fragment per product, which is replaced by the result.
struct MmaSite : Site {
  struct Product {
    uint16_t a;
    uint16_t b;
  };
  MmaElement element = MmaElement::F16;
  /// Of B, where it is not that of A: one is E4M3, the other E5M2.
  std::optional<MmaElement> elementB;
  unsigned k = 16;
  bool saturates = false; ///< Sums of integers; else they wrap.
  unsigned aFragments = 0;
  unsigned bFragments = 0;
  std::vector<Product> products;

  unsigned m() const { return element == MmaElement::F64 ? kMmaF64M : kMmaM; }
  /// Bytes of a lane's fragments.
  unsigned aBytes() const { return m() * k * elementBytes(element) / 32; }
  unsigned bBytes() const { return kMmaN * k * elementBytes(element) / 32; }
  unsigned bOffset() const { return aFragments * aBytes(); }
  unsigned accumulatorOffset() const {
    return bOffset() + bFragments * bBytes();
  }
  unsigned mailboxBytes() const {
    return accumulatorOffset() + products.size() * kMmaAccumulatorBytes;
  }
};

void multiplyBatch(Thread *thread, const Site *site, std::byte *mailbox);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MATRICES_MMAOPS_H
