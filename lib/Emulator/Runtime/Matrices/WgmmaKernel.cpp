//===- WgmmaKernel.cpp - arithmetic of wgmma ------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled for baseline x86-64 and for AVX2 with FMA, like MmaKernel.cpp.
//
//===----------------------------------------------------------------------===//

#include "WgmmaKernel.h"
#include "ElementConversion.h"

namespace convmlir::emu {

namespace {

/// The operands as numbers.
template <typename Number, unsigned K> struct alignas(64) Matrices {
  Number a[kWgmmaM][K];
  Number b[K][kWgmmaMaxN];
};

/// Room for the operands of any type.
struct alignas(64) Scratch {
  std::byte bytes[sizeof(Matrices<float, wgmmaK(MmaElement::S8)>)];

  template <typename Number, unsigned K> Matrices<Number, K> &as() {
    static_assert(sizeof(Matrices<Number, K>) <= sizeof bytes);
    return reinterpret_cast<Matrices<Number, K> &>(bytes);
  }
};

/// Sums of integers wrap.
template <MmaElement Element>
using SumVector = std::conditional_t<Element == MmaElement::S8, U32x8, F32x8>;

} // namespace

/// Bytes of a chunk.
static constexpr unsigned kBytes = 16;

template <MmaElement Element, typename Number, unsigned K>
EMU_INLINE void convertA(const WgmmaShape &shape, const WgmmaOperands &operands,
                         Matrices<Number, K> &matrices) {
  constexpr unsigned elements = K / kChunksAlongK;
  const std::byte *const *chunk = operands.a;
  if (shape.aMajor == Major::K) {
    for (auto &row : matrices.a)
      for (unsigned k = 0; k < K; k += elements)
        convertFragment<Element>(*chunk++, kBytes, row + k);
  } else {
    for (unsigned k = 0; k < K; ++k)
      for (unsigned m = 0; m < kWgmmaM; m += elements) {
        Number column[elements];
        convertFragment<Element>(*chunk++, kBytes, column);
        for (unsigned i = 0; i < elements; ++i)
          matrices.a[m + i][k] = column[i];
      }
  }
  if (!shape.negated)
    return;
  for (auto &row : matrices.a)
    for (Number &value : row)
      value = -value;
}

template <MmaElement Element, typename Number, unsigned K>
EMU_INLINE void convertB(const WgmmaShape &shape, const WgmmaOperands &operands,
                         Matrices<Number, K> &matrices) {
  constexpr unsigned elements = K / kChunksAlongK;
  const std::byte *const *chunk = operands.b;
  if (shape.bMajor == Major::MN) {
    for (auto &row : matrices.b)
      for (unsigned n = 0; n < shape.n; n += elements)
        convertFragment<Element>(*chunk++, kBytes, row + n);
    return;
  }
  for (unsigned n = 0; n < shape.n; ++n)
    for (unsigned k = 0; k < K; k += elements) {
      Number column[elements];
      convertFragment<Element>(*chunk++, kBytes, column);
      for (unsigned i = 0; i < elements; ++i)
        matrices.b[k + i][n] = column[i];
    }
}

/// Rows of accumulators that stay in registers, with `Vectors` vectors each.
static constexpr unsigned kRows = 4;

/// Sums of 8-bit floats have 13 bits of fraction.
template <MmaElement Element, typename Vector>
EMU_INLINE Vector roundSums(Vector sums) {
  if constexpr (Element == MmaElement::E4M3 || Element == MmaElement::E5M2)
    return (Vector)((U32x8)sums & 0xfffffc00u);
  else
    return sums;
}

template <unsigned Vectors, MmaElement Element, unsigned K, typename Number>
EMU_INLINE void multiplyBlock(const Number (*a)[K],
                              const Number (*b)[kWgmmaMaxN], std::byte *d,
                              unsigned n) {
  using Vector = SumVector<Element>;
  constexpr unsigned bytes = sizeof(Vector) * Vectors;
  Vector rows[kRows][Vectors];
  for (unsigned r = 0; r < kRows; ++r)
    std::memcpy(rows[r], d + r * n * sizeof(Number), bytes);
  for (unsigned k = 0; k < K; ++k) {
    Vector column[Vectors];
    std::memcpy(column, b[k], bytes);
    for (unsigned r = 0; r < kRows; ++r)
      for (unsigned v = 0; v < Vectors; ++v)
        if constexpr (Element == MmaElement::S8)
          rows[r][v] += uint32_t(a[r][k]) * column[v];
        else
          rows[r][v] += a[r][k] * column[v];
  }
  for (unsigned r = 0; r < kRows; ++r) {
    for (Vector &sums : rows[r])
      sums = roundSums<Element>(sums);
    std::memcpy(d + r * n * sizeof(Number), rows[r], bytes);
  }
}

template <MmaElement Element, typename Number, unsigned K>
EMU_INLINE void multiply(const Matrices<Number, K> &matrices, std::byte *d,
                         unsigned n) {
  constexpr unsigned step = 16;
  for (unsigned j = 0; j < n; j += step) {
    auto *b = reinterpret_cast<const Number(*)[kWgmmaMaxN]>(&matrices.b[0][j]);
    for (unsigned m = 0; m < kWgmmaM; m += kRows) {
      std::byte *rows = d + (m * n + j) * sizeof(Number);
      if (j + step <= n)
        multiplyBlock<2, Element>(matrices.a + m, b, rows, n);
      else
        multiplyBlock<1, Element>(matrices.a + m, b, rows, n);
    }
  }
}

template <MmaElement Element, MmaElement ElementB = Element>
EMU_INLINE void runElement(const WgmmaShape &shape,
                           const WgmmaOperands &operands,
                           std::byte *accumulators, Scratch &scratch) {
  auto &matrices =
      scratch.as<typename NumberOf<Element>::Type, wgmmaK(Element)>();
  convertA<Element>(shape, operands, matrices);
  convertB<ElementB>(shape, operands, matrices);
  multiply<Element>(matrices, accumulators, shape.n);
}

template <MmaElement Element>
EMU_INLINE void runFloat8(const WgmmaShape &shape,
                          const WgmmaOperands &operands,
                          std::byte *accumulators, Scratch &scratch) {
  if (shape.elementB.value_or(Element) == MmaElement::E4M3)
    return runElement<Element, MmaElement::E4M3>(shape, operands, accumulators,
                                                 scratch);
  return runElement<Element, MmaElement::E5M2>(shape, operands, accumulators,
                                               scratch);
}

EMU_INLINE void run(const WgmmaShape &shape, const WgmmaOperands &operands,
                    std::byte *accumulators, Scratch &scratch) {
  switch (shape.element) {
  case MmaElement::F16:
    return runElement<MmaElement::F16>(shape, operands, accumulators, scratch);
  case MmaElement::BF16:
    return runElement<MmaElement::BF16>(shape, operands, accumulators, scratch);
  case MmaElement::TF32:
    return runElement<MmaElement::TF32>(shape, operands, accumulators, scratch);
  case MmaElement::S8:
    return runElement<MmaElement::S8>(shape, operands, accumulators, scratch);
  case MmaElement::E4M3:
    return runFloat8<MmaElement::E4M3>(shape, operands, accumulators, scratch);
  case MmaElement::E5M2:
    return runFloat8<MmaElement::E5M2>(shape, operands, accumulators, scratch);
  case MmaElement::F64:
    break; // There is no wgmma of f64.
  }
}

static void runBaseline(const WgmmaShape &shape, const WgmmaOperands &operands,
                        std::byte *accumulators, Scratch &scratch) {
  run(shape, operands, accumulators, scratch);
}

[[gnu::target("avx2,fma")]] static void runAVX2(const WgmmaShape &shape,
                                                const WgmmaOperands &operands,
                                                std::byte *accumulators,
                                                Scratch &scratch) {
  run(shape, operands, accumulators, scratch);
}

void runWgmma(const WgmmaShape &shape, const WgmmaOperands &operands,
              void *accumulators, InstructionSet instructions) {
  static thread_local Scratch scratch;
  auto *bytes = static_cast<std::byte *>(accumulators);
  if (instructions == InstructionSet::AVX2)
    runAVX2(shape, operands, bytes, scratch);
  else
    runBaseline(shape, operands, bytes, scratch);
}

} // namespace convmlir::emu
