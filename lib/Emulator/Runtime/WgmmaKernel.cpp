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
#include "HalfConversion.h"

namespace convmlir::emu {

namespace {

/// The operands in f32.
struct alignas(64) Scratch {
  float a[kWgmmaM][kWgmmaK];
  float b[kWgmmaK][kWgmmaMaxN];
};

} // namespace

EMU_INLINE void convertChunk(MmaElement element, const std::byte *chunk,
                             float *out) {
  U16x8 halves;
  std::memcpy(&halves, chunk, sizeof halves);
  if (element == MmaElement::F16)
    convertF16(halves, out);
  else
    convertBF16(halves, out);
}

EMU_INLINE void convertA(const WgmmaShape &shape, const WgmmaOperands &operands,
                         Scratch &scratch) {
  const std::byte *const *chunk = operands.a;
  if (shape.aMajor == Major::K) {
    for (auto &row : scratch.a)
      for (unsigned k = 0; k < kWgmmaK; k += kChunkElements)
        convertChunk(shape.element, *chunk++, row + k);
  } else {
    for (unsigned k = 0; k < kWgmmaK; ++k)
      for (unsigned m = 0; m < kWgmmaM; m += kChunkElements) {
        float column[kChunkElements];
        convertChunk(shape.element, *chunk++, column);
        for (unsigned i = 0; i < kChunkElements; ++i)
          scratch.a[m + i][k] = column[i];
      }
  }
  if (!shape.negated)
    return;
  for (auto &row : scratch.a)
    for (float &value : row)
      value = -value;
}

EMU_INLINE void convertB(const WgmmaShape &shape, const WgmmaOperands &operands,
                         Scratch &scratch) {
  const std::byte *const *chunk = operands.b;
  if (shape.bMajor == Major::MN) {
    for (auto &row : scratch.b)
      for (unsigned n = 0; n < shape.n; n += kChunkElements)
        convertChunk(shape.element, *chunk++, row + n);
    return;
  }
  for (unsigned n = 0; n < shape.n; ++n)
    for (unsigned k = 0; k < kWgmmaK; k += kChunkElements) {
      float column[kChunkElements];
      convertChunk(shape.element, *chunk++, column);
      for (unsigned i = 0; i < kChunkElements; ++i)
        scratch.b[k + i][n] = column[i];
    }
}

/// Rows of accumulators that stay in registers, with `Vectors` vectors each.
static constexpr unsigned kRows = 4;

template <unsigned Vectors>
EMU_INLINE void multiplyBlock(const float (*a)[kWgmmaK],
                              const float (*b)[kWgmmaMaxN], float *d,
                              unsigned n) {
  F32x8 rows[kRows][Vectors];
  for (unsigned r = 0; r < kRows; ++r)
    std::memcpy(rows[r], d + r * n, sizeof rows[r]);
  for (unsigned k = 0; k < kWgmmaK; ++k) {
    F32x8 column[Vectors];
    std::memcpy(column, b[k], sizeof column);
    for (unsigned r = 0; r < kRows; ++r)
      for (unsigned v = 0; v < Vectors; ++v)
        rows[r][v] += a[r][k] * column[v];
  }
  for (unsigned r = 0; r < kRows; ++r)
    std::memcpy(d + r * n, rows[r], sizeof rows[r]);
}

EMU_INLINE void multiply(const Scratch &scratch, float *d, unsigned n) {
  constexpr unsigned step = 16;
  for (unsigned j = 0; j < n; j += step) {
    auto *b = reinterpret_cast<const float (*)[kWgmmaMaxN]>(&scratch.b[0][j]);
    for (unsigned m = 0; m < kWgmmaM; m += kRows) {
      if (j + step <= n)
        multiplyBlock<2>(scratch.a + m, b, d + m * n + j, n);
      else
        multiplyBlock<1>(scratch.a + m, b, d + m * n + j, n);
    }
  }
}

EMU_INLINE void run(const WgmmaShape &shape, const WgmmaOperands &operands,
                    float *accumulators, Scratch &scratch) {
  convertA(shape, operands, scratch);
  convertB(shape, operands, scratch);
  multiply(scratch, accumulators, shape.n);
}

static void runBaseline(const WgmmaShape &shape, const WgmmaOperands &operands,
                        float *accumulators, Scratch &scratch) {
  run(shape, operands, accumulators, scratch);
}

[[gnu::target("avx2,fma")]] static void runAVX2(const WgmmaShape &shape,
                                                const WgmmaOperands &operands,
                                                float *accumulators,
                                                Scratch &scratch) {
  run(shape, operands, accumulators, scratch);
}

void runWgmma(const WgmmaShape &shape, const WgmmaOperands &operands,
              float *accumulators, InstructionSet instructions) {
  static thread_local Scratch scratch;
  if (instructions == InstructionSet::AVX2)
    runAVX2(shape, operands, accumulators, scratch);
  else
    runBaseline(shape, operands, accumulators, scratch);
}

} // namespace convmlir::emu
