//===- WgmmaKernelTest.cpp - tests of wgmma -------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrix descriptors and the layouts that they describe; the arithmetic against
// a naive product.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Matrices/WgmmaKernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

using namespace convmlir::emu;

namespace {

MatrixDescriptor matrix(uint32_t start, uint32_t leading, uint32_t stride,
                        uint64_t swizzleCode, uint64_t baseOffset = 0) {
  uint64_t bits = start >> 4 | uint64_t(leading >> 4) << 16 |
                  uint64_t(stride >> 4) << 32 | baseOffset << 49 |
                  swizzleCode << 62;
  std::optional<MatrixDescriptor> decoded = decodeDescriptor(bits);
  EXPECT_TRUE(decoded);
  return *decoded;
}

} // namespace

TEST(MatrixDescriptor, DecodesEveryField) {
  MatrixDescriptor m = matrix(0x3FFF0, 0x120, 0x3FFF0, 1, 5);
  EXPECT_EQ(m.start, 0x3FFF0u);
  EXPECT_EQ(m.leadingOffset, 0x120u);
  EXPECT_EQ(m.strideOffset, 0x3FFF0u);
  EXPECT_EQ(m.baseOffset, 5u);
  EXPECT_EQ(swizzleSpan(m.swizzle), 128u);
  EXPECT_EQ(swizzleSpan(matrix(0, 0, 0, 2).swizzle), 64u);
  EXPECT_EQ(swizzleSpan(matrix(0, 0, 0, 3).swizzle), 32u);
  EXPECT_EQ(matrix(0, 0, 0, 0).swizzle, 0);
}

TEST(MatrixDescriptor, RefusesBitsWithoutMeaning) {
  for (unsigned bit : {14, 15, 30, 31, 46, 47, 48, 52, 61})
    EXPECT_FALSE(decodeDescriptor(uint64_t(1) << bit)) << bit;
}

TEST(MatrixDescriptor, KMajorFollowsTheAddressBits) {
  MatrixDescriptor tile = matrix(2048, 16, 1024, 1);
  for (unsigned row = 0; row < 64; ++row)
    for (unsigned half = 0; half < 2; ++half)
      EXPECT_EQ(kMajorChunk(tile, row, half),
                2048 + row * 128 + ((half ^ (row & 7)) * 16));
  // A matrix may start at any row of the tile.
  MatrixDescriptor shifted = matrix(2048 + 3 * 128, 16, 1024, 1);
  for (unsigned row = 0; row < 61; ++row)
    EXPECT_EQ(kMajorChunk(shifted, row, 1), kMajorChunk(tile, row + 3, 1));
}

TEST(MatrixDescriptor, BaseOffsetShiftsThePattern) {
  // The pattern starts two rows after a multiple of its 1024 bytes.
  uint32_t start = 1024 + 2 * 128;
  MatrixDescriptor tile = matrix(start, 16, 1024, 1, 2);
  for (unsigned row = 0; row < 16; ++row)
    EXPECT_EQ(kMajorChunk(tile, row, 1),
              start + row * 128 + ((1 ^ (row & 7)) * 16));
}

TEST(MatrixDescriptor, MNMajorStepsByBothOffsets) {
  // 128 elements at one k: two panels of 64, each 16 k deep.
  MatrixDescriptor panels = matrix(0, 4096, 1024, 1);
  for (unsigned k = 0; k < 16; ++k)
    for (unsigned block = 0; block < 16; ++block)
      EXPECT_EQ(mnMajorChunk(panels, k, block),
                block / 8 * 4096 + k * 128 + ((block % 8) ^ (k & 7)) * 16);
  // Without a swizzle the stride goes from block to block.
  MatrixDescriptor plain = matrix(0, 128, 256, 0);
  EXPECT_EQ(mnMajorChunk(plain, 9, 3), 3 * 256 + 128 + 16u);
  MatrixDescriptor kPlain = matrix(0, 128, 256, 0);
  EXPECT_EQ(kMajorChunk(kPlain, 9, 1), 256 + 16 + 128u);
}

TEST(MatrixDescriptor, ChunksOfAMatrixAreDistinct) {
  for (uint64_t code = 1; code < 4; ++code) {
    uint32_t span = code == 1 ? 128 : code == 2 ? 64 : 32;
    for (Major major : {Major::K, Major::MN}) {
      MatrixDescriptor tile = matrix(0, 16 * span, 8 * span, code);
      std::set<uint32_t> chunks;
      forEachChunk(tile, major, 64,
                   [&](uint32_t offset) { chunks.insert(offset); });
      EXPECT_EQ(chunks.size(), chunkCount(64));
    }
  }
}

namespace {

/// Bits of a small integer.
uint32_t encode(MmaElement element, float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  uint32_t sign = bits >> 31, magnitude = bits & 0x7fffffff;
  // The exponent's bias and the bits of the fraction change.
  auto narrow = [&](uint32_t bias, unsigned fraction, unsigned width) {
    uint32_t rebased = magnitude - ((127 - bias) << 23);
    return value == 0 ? 0 : sign << (width - 1) | rebased >> (23 - fraction);
  };
  switch (element) {
  case MmaElement::F16:
    return narrow(15, 10, 16);
  case MmaElement::BF16:
    return narrow(127, 7, 16);
  case MmaElement::E4M3:
    return narrow(7, 3, 8);
  case MmaElement::E5M2:
    return narrow(15, 2, 8);
  case MmaElement::S8:
    return uint8_t(int8_t(value));
  default:
    return bits | 0x1fff; // tf32: the low bits are ignored.
  }
}

/// Small integers of a type, and a naive product of them.
class Product {
public:
  Product(const WgmmaShape &shape, unsigned seed) : shape(shape) {
    auto draw = [&] {
      return float(int((seed = seed * 1103515245u + 12345) >> 16 & 7) - 3);
    };
    a.assign(kWgmmaM, std::vector<float>(shape.k()));
    b.assign(shape.n, std::vector<float>(shape.k()));
    for (auto *rows : {&a, &b})
      for (std::vector<float> &row : *rows)
        std::generate(row.begin(), row.end(), draw);
    MmaElement elementB = shape.elementB.value_or(shape.element);
    place(a, shape.element, shape.aMajor, aChunks, operands.a);
    place(b, elementB, shape.bMajor, bChunks, operands.b);
  }

  const WgmmaOperands &getOperands() const { return operands; }

  /// Numbers have the type of the sums.
  template <typename Number>
  void expectRight(InstructionSet instructions) const {
    std::vector<Number> d(kWgmmaM * shape.n, Number(5));
    runWgmma(shape, operands, d.data(), instructions);
    for (unsigned m = 0; m < kWgmmaM; ++m)
      for (unsigned n = 0; n < shape.n; ++n) {
        float sum = 0;
        for (unsigned k = 0; k < shape.k(); ++k)
          sum += a[m][k] * b[n][k];
        ASSERT_EQ(d[m * shape.n + n], Number(5 + (shape.negated ? -sum : sum)));
      }
  }

private:
  /// Lays a matrix out in chunks, in the order of forEachChunk.
  void place(const std::vector<std::vector<float>> &rows, MmaElement element,
             Major major, std::vector<std::byte> &chunks,
             const std::byte **pointers) {
    constexpr unsigned bytes = 16;
    unsigned width = elementBytes(element), perChunk = bytes / width;
    unsigned count = chunkCount(unsigned(rows.size()));
    chunks.resize(count * bytes);
    for (unsigned i = 0; i < count; ++i) {
      pointers[i] = &chunks[i * bytes];
      for (unsigned e = 0; e < perChunk; ++e) {
        auto perK = unsigned(rows.size()) / perChunk;
        float value = major == Major::K
                          ? rows[i / 2][i % 2 * perChunk + e]
                          : rows[i % perK * perChunk + e][i / perK];
        uint32_t bits = encode(element, value);
        std::memcpy(&chunks[i * bytes + e * width], &bits, width);
      }
    }
  }

  WgmmaShape shape;
  std::vector<std::vector<float>> a, b;
  std::vector<std::byte> aChunks, bChunks;
  WgmmaOperands operands;
};

} // namespace

TEST(WgmmaKernel, AgreesWithTheDefinition) {
  unsigned seed = 1;
  for (unsigned n : {8u, 24u, 64u, 256u})
    for (MmaElement element : {MmaElement::F16, MmaElement::BF16})
      for (Major aMajor : {Major::K, Major::MN})
        for (Major bMajor : {Major::K, Major::MN}) {
          bool negated = seed % 3 == 0;
          Product product({n, element, aMajor, bMajor, negated}, ++seed);
          product.expectRight<float>(InstructionSet::Baseline);
          product.expectRight<float>(bestInstructionSet());
        }
}

TEST(WgmmaKernel, HasTypesOfOtherWidths) {
  unsigned seed = 7;
  for (unsigned n : {16u, 40u, 128u}) {
    for (MmaElement element :
         {MmaElement::TF32, MmaElement::E4M3, MmaElement::E5M2}) {
      Product product({n, element, Major::K, Major::K, seed % 2 == 0}, ++seed);
      product.expectRight<float>(InstructionSet::Baseline);
      product.expectRight<float>(bestInstructionSet());
    }
    Product product({n, MmaElement::S8, Major::K, Major::K, false}, ++seed);
    product.expectRight<int32_t>(InstructionSet::Baseline);
    product.expectRight<int32_t>(bestInstructionSet());
  }
}

TEST(WgmmaKernel, HasBothTypesOfEightBitFloats) {
  for (auto [a, b] : {std::pair(MmaElement::E4M3, MmaElement::E5M2),
                      std::pair(MmaElement::E5M2, MmaElement::E4M3)}) {
    Product product({24, a, Major::K, Major::K, false, b}, 11);
    product.expectRight<float>(InstructionSet::Baseline);
    product.expectRight<float>(bestInstructionSet());
  }
}

TEST(WgmmaKernel, SumsOfEightBitFloatsHaveFourteenBits) {
  Product product({8, MmaElement::E4M3, Major::K, Major::K, false}, 3);
  std::vector<float> sums(kWgmmaM * 8, 0.0f), large(kWgmmaM * 8, 0x1p14f);
  WgmmaShape shape{8, MmaElement::E4M3, Major::K, Major::K, false};
  runWgmma(shape, product.getOperands(), sums.data());
  runWgmma(shape, product.getOperands(), large.data());
  for (size_t i = 0; i < sums.size(); ++i) {
    // Above 2^14 only even numbers are left, below all.
    float exact = 0x1p14f + sums[i];
    EXPECT_EQ(large[i], sums[i] > 0 ? 2 * std::floor(exact / 2) : exact);
  }
}
