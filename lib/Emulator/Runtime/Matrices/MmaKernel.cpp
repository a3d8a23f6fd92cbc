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
// bf16, tf32 or 8-bit numbers are exact in f32, so that fused and separate
// additions agree. f64 is multiplied and added by a fused operation throughout.
//
// Fragment layout (PTX manual, m16n8k*): lane l = 4g + t; a register holds e
// consecutive elements along k. Register r of A is row g + 8 (r % 2), column
// e t + 4 e (r / 2); register r of B is row e t + 4 e r, column g; element i of
// the accumulators is row g + 8 (i / 2), column 2 t + i % 2. Of m8n8k4 a lane
// has row g, column t of A, row t, column g of B, and columns 2 t and 2 t + 1
// of row g of the accumulators.
//
//===----------------------------------------------------------------------===//

#include "MmaKernel.h"
#include "ElementConversion.h"

namespace convmlir::emu {

namespace {

/// The matrices of a batch.
template <typename Number, unsigned K> struct alignas(64) Matrices {
  Number a[kMmaMaxBatch][kMmaM][K];
  Number b[kMmaMaxBatch][K][kMmaN];
  Number d[kMmaM][kMmaN];
};

/// Room for the matrices of any type.
struct alignas(64) Scratch {
  std::byte bytes[sizeof(Matrices<float, kMmaMaxK>)];

  template <typename Number, unsigned K> Matrices<Number, K> &as() {
    static_assert(sizeof(Matrices<Number, K>) <= sizeof bytes);
    return reinterpret_cast<Matrices<Number, K> &>(bytes);
  }
};

/// Where the data of a batch are.
struct BatchView {
  const MmaSite &site;
  std::byte *mailboxes;
  size_t stride;
};

} // namespace

//===----------------------------------------------------------------------===//
// Fragments to matrices
//===----------------------------------------------------------------------===//

template <MmaElement Element, MmaElement ElementB, unsigned K, typename Number>
EMU_INLINE void decodeFragments(const BatchView &view,
                                Matrices<Number, K> &matrices) {
  constexpr unsigned e = 4 / elementBytes(Element);
  constexpr unsigned bRegisters = K / (4 * e), aRegisters = 2 * bRegisters;
  const MmaSite &site = view.site;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const std::byte *mailbox = view.mailboxes + lane * view.stride;
    unsigned g = lane / 4, t = lane % 4;
    alignas(32) Number values[16];
    for (unsigned f = 0; f < site.aFragments; ++f) {
      convertFragment<Element>(mailbox + f * 4 * aRegisters, 4 * aRegisters,
                               values);
      for (unsigned r = 0; r < aRegisters; ++r)
        std::memcpy(&matrices.a[f][g + r % 2 * 8][e * t + r / 2 * 4 * e],
                    values + e * r, sizeof(Number) * e);
    }
    const std::byte *b = mailbox + site.bOffset();
    for (unsigned f = 0; f < site.bFragments; ++f) {
      convertFragment<ElementB>(b + f * 4 * bRegisters, 4 * bRegisters, values);
      for (unsigned r = 0; r < bRegisters; ++r)
        for (unsigned i = 0; i < e; ++i)
          matrices.b[f][e * t + r * 4 * e + i][g] = values[e * r + i];
    }
  }
}

template <typename Number>
EMU_INLINE void gatherAccumulators(const std::byte *from, size_t stride,
                                   Number (*d)[kMmaN]) {
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const std::byte *pair = from + lane * stride;
    std::memcpy(&d[lane / 4][lane % 4 * 2], pair, 8);
    std::memcpy(&d[lane / 4 + 8][lane % 4 * 2], pair + 8, 8);
  }
}

template <typename Number>
EMU_INLINE void scatterAccumulators(const Number (*d)[kMmaN], std::byte *to,
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
template <unsigned K, typename Vector, typename Number>
EMU_INLINE void multiply(const Number (*a)[K], const Number (*b)[kMmaN],
                         Number (*d)[kMmaN]) {
  for (unsigned first = 0; first < kMmaM; first += 8) {
    Vector rows[8];
    std::memcpy(rows, d[first], sizeof rows);
    for (unsigned k = 0; k < K; ++k) {
      Vector column;
      std::memcpy(&column, b[k], sizeof column);
      for (unsigned r = 0; r < 8; ++r)
        rows[r] += a[first + r][k] * column;
    }
    std::memcpy(d[first], rows, sizeof rows);
  }
}

/// The sums of products of one instruction are exact; adding them is what wraps
/// or saturates.
EMU_INLINE void addIntegers(const int32_t (*products)[kMmaN], bool saturates,
                            int32_t (*d)[kMmaN]) {
  for (unsigned i = 0; i < kMmaM; ++i)
    for (unsigned j = 0; j < kMmaN; ++j) {
      int32_t a = d[i][j], b = products[i][j], sum;
      if (__builtin_add_overflow(a, b, &sum) && saturates)
        sum = a < 0 ? std::numeric_limits<int32_t>::min()
                    : std::numeric_limits<int32_t>::max();
      d[i][j] = sum;
    }
}

template <MmaElement Element, unsigned K, MmaElement ElementB = Element>
EMU_INLINE void runShape(const BatchView &view, Scratch &scratch) {
  using Number = typename NumberOf<Element>::Type;
  using Vector = typename NumberOf<Element>::Vector;
  auto &matrices = scratch.as<Number, K>();
  decodeFragments<Element, ElementB, K>(view, matrices);
  std::byte *accumulators = view.mailboxes + view.site.accumulatorOffset();
  for (MmaSite::Product product : view.site.products) {
    const auto *a = matrices.a[product.a];
    const auto *b = matrices.b[product.b];
    gatherAccumulators(accumulators, view.stride, matrices.d);
    if constexpr (Element == MmaElement::S8) {
      int32_t products[kMmaM][kMmaN] = {};
      multiply<K, Vector>(a, b, products);
      addIntegers(products, view.site.saturates, matrices.d);
    } else {
      multiply<K, Vector>(a, b, matrices.d);
    }
    scatterAccumulators(matrices.d, accumulators, view.stride);
    accumulators += kMmaAccumulatorBytes;
  }
}

static double loadDouble(const std::byte *from) {
  double number;
  std::memcpy(&number, from, sizeof number);
  return number;
}

/// One product of f64 after the other: they are few.
static void runF64(const BatchView &view) {
  const MmaSite &site = view.site;
  auto ofLane = [&](unsigned lane, unsigned offset) {
    return view.mailboxes + lane * view.stride + offset;
  };
  unsigned accumulator = site.accumulatorOffset();
  for (MmaSite::Product product : site.products) {
    unsigned a = product.a * site.aBytes();
    unsigned b = site.bOffset() + product.b * site.bBytes();
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      for (unsigned j = 0; j < 2; ++j) {
        unsigned row = lane / 4, column = lane % 4 * 2 + j;
        std::byte *to = ofLane(lane, accumulator + 8 * j);
        double sum = loadDouble(to);
        for (unsigned k = 0; k < kMmaF64K; ++k)
          sum = std::fma(loadDouble(ofLane(4 * row + k, a)),
                         loadDouble(ofLane(4 * column + k, b)), sum);
        std::memcpy(to, &sum, sizeof sum);
      }
    accumulator += kMmaAccumulatorBytes;
  }
}

template <MmaElement Element>
EMU_INLINE void runFloat8(const BatchView &view, Scratch &scratch) {
  if (view.site.elementB.value_or(Element) == MmaElement::E4M3)
    return runShape<Element, 32, MmaElement::E4M3>(view, scratch);
  return runShape<Element, 32, MmaElement::E5M2>(view, scratch);
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
  case MmaElement::S8:
    return runShape<MmaElement::S8, 32>(view, scratch);
  case MmaElement::E4M3:
    return runFloat8<MmaElement::E4M3>(view, scratch);
  case MmaElement::E5M2:
    return runFloat8<MmaElement::E5M2>(view, scratch);
  case MmaElement::F64:
    return runF64(view);
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
