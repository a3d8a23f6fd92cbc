//===- MmaOps.h - mma.sync --------------------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor-core products of a warp, m16n8kK. The lowering puts independent
// products of a block into one op, so that fragments which several of them
// share are converted once, and the warp meets once.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MMAOPS_H
#define CONV_LIB_EMULATOR_RUNTIME_MMAOPS_H

#include "Machine.h"

namespace convmlir::emu {

/// Type of the multiplicands; the accumulators are f32.
enum class MmaElement { F16, BF16, TF32 };

inline constexpr unsigned kMmaM = 16;
inline constexpr unsigned kMmaN = 8;
inline constexpr unsigned kMmaMaxK = 16;
/// Bytes of a lane's f32 accumulators of one product.
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
  unsigned k = 16;
  unsigned aFragments = 0;
  unsigned bFragments = 0;
  std::vector<Product> products;

  /// 32-bit registers of a fragment, by lane.
  unsigned elementsPerRegister() const {
    return element == MmaElement::TF32 ? 1 : 2;
  }
  unsigned aBytes() const { return k / elementsPerRegister() / 2 * 4; }
  unsigned bBytes() const { return aBytes() / 2; }
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

#endif // CONV_LIB_EMULATOR_RUNTIME_MMAOPS_H
