//===- MmaKernel.cpp - arithmetic of mma.sync -----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same generic code, written with vector extensions, is compiled for plain
// x86-64 and for AVX2 with FMA, and chosen at run time. Products of two f16,
// bf16 or tf32 numbers are exact in f32, so that fused and separate additions
// agree.
//
// Fragment layout (PTX manual, m16n8k*): lane l = 4g + t; a register holds e
// consecutive elements along k. Register r of A is row g + 8 (r % 2), column
// e t + 4 e (r / 2); register r of B is row e t + 4 e r, column g; element i of
// the accumulators is row g + 8 (i / 2), column 2 t + i % 2.
//
//===----------------------------------------------------------------------===//

#include "MmaKernel.h"
#include "HalfConversion.h"

namespace convmlir::emu {

namespace {

/// The matrices of a batch.
struct alignas(64) Scratch {
  float a[kMmaMaxBatch][kMmaM][kMmaMaxK];
  float b[kMmaMaxBatch][kMmaMaxK][kMmaN];
  float d[kMmaM][kMmaN];
};

/// Where the data of a batch are.
struct BatchView {
  const MmaSite &site;
  std::byte *mailboxes;
  size_t stride;
};

} // namespace

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

/// Converts the elements of a fragment of up to four registers.
template <MmaElement Element>
EMU_INLINE void convertFragment(const std::byte *from, unsigned bytes,
                                float *out) {
  if constexpr (Element == MmaElement::TF32) {
    uint32_t words[4];
    std::memcpy(words, from, bytes);
    for (unsigned i = 0; i < bytes / 4; ++i) {
      // Tensor cores ignore the low 13 bits of a tf32 register.
      uint32_t bits = words[i] & 0xffffe000u;
      std::memcpy(out + i, &bits, sizeof bits);
    }
  } else {
    U16x8 halves{};
    std::memcpy(&halves, from, bytes);
    if constexpr (Element == MmaElement::F16)
      convertF16(halves, out);
    else
      convertBF16(halves, out);
  }
}

//===----------------------------------------------------------------------===//
// Fragments to matrices
//===----------------------------------------------------------------------===//

template <MmaElement Element, unsigned K>
EMU_INLINE void decodeFragments(const BatchView &view, Scratch &scratch) {
  constexpr unsigned e = Element == MmaElement::TF32 ? 1 : 2;
  constexpr unsigned bRegisters = K / (4 * e), aRegisters = 2 * bRegisters;
  const MmaSite &site = view.site;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const std::byte *mailbox = view.mailboxes + lane * view.stride;
    unsigned g = lane / 4, t = lane % 4;
    alignas(32) float values[8];
    for (unsigned f = 0; f < site.aFragments; ++f) {
      convertFragment<Element>(mailbox + f * 4 * aRegisters, 4 * aRegisters,
                               values);
      for (unsigned r = 0; r < aRegisters; ++r)
        std::memcpy(&scratch.a[f][g + r % 2 * 8][e * t + r / 2 * 4 * e],
                    values + e * r, 4 * e);
    }
    const std::byte *b = mailbox + site.bOffset();
    for (unsigned f = 0; f < site.bFragments; ++f) {
      convertFragment<Element>(b + f * 4 * bRegisters, 4 * bRegisters, values);
      for (unsigned r = 0; r < bRegisters; ++r)
        for (unsigned i = 0; i < e; ++i)
          scratch.b[f][e * t + r * 4 * e + i][g] = values[e * r + i];
    }
  }
}

EMU_INLINE void gatherAccumulators(const std::byte *from, size_t stride,
                                   float (*d)[kMmaN]) {
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const std::byte *pair = from + lane * stride;
    std::memcpy(&d[lane / 4][lane % 4 * 2], pair, 8);
    std::memcpy(&d[lane / 4 + 8][lane % 4 * 2], pair + 8, 8);
  }
}

EMU_INLINE void scatterAccumulators(const float (*d)[kMmaN], std::byte *to,
                                    size_t stride) {
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    std::byte *pair = to + lane * stride;
    std::memcpy(pair, &d[lane / 4][lane % 4 * 2], 8);
    std::memcpy(pair + 8, &d[lane / 4 + 8][lane % 4 * 2], 8);
  }
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Eight rows of the result at a time stay in vector registers.
template <unsigned K>
EMU_INLINE void multiply(const float (*a)[kMmaMaxK], const float (*b)[kMmaN],
                         float (*d)[kMmaN]) {
  for (unsigned first = 0; first < kMmaM; first += 8) {
    F32x8 rows[8];
    std::memcpy(rows, d[first], sizeof rows);
    for (unsigned k = 0; k < K; ++k) {
      F32x8 column;
      std::memcpy(&column, b[k], sizeof column);
      for (unsigned r = 0; r < 8; ++r)
        rows[r] += a[first + r][k] * column;
    }
    std::memcpy(d[first], rows, sizeof rows);
  }
}

template <MmaElement Element, unsigned K>
EMU_INLINE void runShape(const BatchView &view, Scratch &scratch) {
  decodeFragments<Element, K>(view, scratch);
  std::byte *accumulators = view.mailboxes + view.site.accumulatorOffset();
  for (MmaSite::Product product : view.site.products) {
    gatherAccumulators(accumulators, view.stride, scratch.d);
    multiply<K>(scratch.a[product.a], scratch.b[product.b], scratch.d);
    scatterAccumulators(scratch.d, accumulators, view.stride);
    accumulators += kMmaAccumulatorBytes;
  }
}

EMU_INLINE void runBatch(const BatchView &view, Scratch &scratch) {
  bool wide = view.site.k == 16;
  switch (view.site.element) {
  case MmaElement::F16:
    return wide ? runShape<MmaElement::F16, 16>(view, scratch)
                : runShape<MmaElement::F16, 8>(view, scratch);
  case MmaElement::BF16:
    return wide ? runShape<MmaElement::BF16, 16>(view, scratch)
                : runShape<MmaElement::BF16, 8>(view, scratch);
  case MmaElement::TF32:
    return view.site.k == 8 ? runShape<MmaElement::TF32, 8>(view, scratch)
                            : runShape<MmaElement::TF32, 4>(view, scratch);
  }
}

//===----------------------------------------------------------------------===//
// Choice of the instruction set
//===----------------------------------------------------------------------===//

static void runBatchBaseline(const BatchView &view, Scratch &scratch) {
  runBatch(view, scratch);
}

[[gnu::target("avx2,fma")]] static void runBatchAVX2(const BatchView &view,
                                                     Scratch &scratch) {
  runBatch(view, scratch);
}

static InstructionSet detectInstructionSet() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return InstructionSet::AVX2;
  return InstructionSet::Baseline;
}

InstructionSet bestInstructionSet() {
  static const InstructionSet best = detectInstructionSet();
  return best;
}

void runMmaBatch(const MmaSite &site, std::byte *mailboxes, size_t stride,
                 InstructionSet instructions) {
  static thread_local Scratch scratch;
  BatchView view{site, mailboxes, stride};
  if (instructions == InstructionSet::AVX2)
    runBatchAVX2(view, scratch);
  else
    runBatchBaseline(view, scratch);
}

} // namespace convmlir::emu
