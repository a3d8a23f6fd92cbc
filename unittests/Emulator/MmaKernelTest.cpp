//===- MmaKernelTest.cpp - tests of the tensor-core arithmetic ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every shape and type against a plain product, through the fragment layout of
// the PTX manual.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Matrices/MmaKernel.h"

#include "conv/Runtime/FloatFormat.h"

#include <gtest/gtest.h>
#include <limits>
#include <vector>

using namespace convmlir::emu;

namespace {

/// Bits of a small integer.
uint32_t encode(MmaElement element, int value) {
  if (element == MmaElement::S8)
    return uint8_t(value);
  if (element == MmaElement::E4M3)
    return convmlir::encodeFloat(value, convmlir::e4m3Format);
  if (element == MmaElement::E5M2)
    return convmlir::encodeFloat(value, convmlir::e5m2Format);
  auto single = float(value);
  uint32_t bits;
  std::memcpy(&bits, &single, sizeof bits);
  if (element == MmaElement::TF32)
    return bits;
  if (element == MmaElement::BF16)
    return bits >> 16;
  if (value == 0)
    return 0;
  return (bits >> 16 & 0x8000) | ((((bits & 0x7fffffff) - 0x38000000) >> 13));
}

int aValue(unsigned fragment, unsigned row, unsigned k) {
  return int((row * 3 + k * 5 + fragment * 7) % 9) - 4;
}

int bValue(unsigned fragment, unsigned k, unsigned column) {
  return int((column * 2 + k * 7 + fragment * 3) % 7) - 3;
}

class Mailboxes {
public:
  explicit Mailboxes(const MmaSite &site)
      : site(site), stride((site.mailboxBytes() / 64 + 1) * 64),
        data(kWarpSize * stride) {}

  void fill() {
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      fillA(lane);
      fillB(lane);
      for (size_t p = 0; p < site.products.size(); ++p)
        for (unsigned i = 0; i < 4; ++i)
          putSum(lane, site.accumulatorOffset() + p * 16 + 4 * i, int(p + 1));
    }
  }

  float result(unsigned product, unsigned row, unsigned column) const {
    unsigned lane = row % 8 * 4 + column / 2, i = row / 8 * 2 + column % 2;
    const std::byte *at =
        &data[lane * stride + site.accumulatorOffset() + product * 16 + 4 * i];
    float value;
    int32_t integer;
    std::memcpy(&value, at, sizeof value);
    std::memcpy(&integer, at, sizeof integer);
    return site.element == MmaElement::S8 ? float(integer) : value;
  }

  void run(InstructionSet instructions) {
    runMmaBatch(site, data.data(), stride, instructions);
  }

private:
  template <typename T> void put(unsigned lane, size_t offset, T value) {
    std::memcpy(&data[lane * stride + offset], &value, sizeof value);
  }

  void putSum(unsigned lane, size_t offset, int value) {
    if (site.element == MmaElement::S8)
      put(lane, offset, value);
    else
      put(lane, offset, float(value));
  }

  void putElement(MmaElement element, unsigned lane, size_t offset,
                  unsigned index, int value) {
    uint32_t bits = encode(element, value);
    switch (elementBytes(element)) {
    case 1:
      return put(lane, offset + index, uint8_t(bits));
    case 2:
      return put(lane, offset + 2 * index, uint16_t(bits));
    default:
      return put(lane, offset + 4 * index, bits);
    }
  }

  void fillA(unsigned lane) {
    unsigned e = 4 / elementBytes(site.element), g = lane / 4, t = lane % 4;
    for (unsigned f = 0; f < site.aFragments; ++f)
      for (unsigned r = 0; r < site.aBytes() / 4; ++r)
        for (unsigned i = 0; i < e; ++i)
          putElement(site.element, lane, f * site.aBytes(), r * e + i,
                     aValue(f, g + r % 2 * 8, e * t + r / 2 * 4 * e + i));
  }

  void fillB(unsigned lane) {
    unsigned e = 4 / elementBytes(site.element), g = lane / 4, t = lane % 4;
    for (unsigned f = 0; f < site.bFragments; ++f)
      for (unsigned r = 0; r < site.bBytes() / 4; ++r)
        for (unsigned i = 0; i < e; ++i)
          putElement(site.elementB.value_or(site.element), lane,
                     site.bOffset() + f * site.bBytes(), r * e + i,
                     bValue(f, e * t + r * 4 * e + i, g));
  }

  const MmaSite &site;
  size_t stride;
  std::vector<std::byte> data;
};

void checkShape(MmaElement element, unsigned k, InstructionSet instructions,
                std::optional<MmaElement> elementB) {
  MmaSite site;
  site.element = element;
  site.elementB = elementB;
  site.k = k;
  site.aFragments = 2;
  site.bFragments = 3;
  site.products = {{0, 0}, {0, 1}, {1, 1}, {1, 2}};
  Mailboxes mailboxes(site);
  mailboxes.fill();
  mailboxes.run(instructions);
  for (size_t p = 0; p < site.products.size(); ++p)
    for (unsigned row = 0; row < kMmaM; ++row)
      for (unsigned column = 0; column < kMmaN; ++column) {
        float expected = float(p + 1);
        for (unsigned l = 0; l < k; ++l)
          expected += float(aValue(site.products[p].a, row, l) *
                            bValue(site.products[p].b, l, column));
        ASSERT_EQ(mailboxes.result(p, row, column), expected)
            << "product " << p << " row " << row << " column " << column;
      }
}

void checkShape(MmaElement element, unsigned k,
                std::optional<MmaElement> elementB = std::nullopt) {
  checkShape(element, k, InstructionSet::Baseline, elementB);
  checkShape(element, k, bestInstructionSet(), elementB);
}

} // namespace

TEST(MmaKernel, F16) {
  checkShape(MmaElement::F16, 16);
  checkShape(MmaElement::F16, 8);
}

TEST(MmaKernel, BF16) {
  checkShape(MmaElement::BF16, 16);
  checkShape(MmaElement::BF16, 8);
}

TEST(MmaKernel, TF32) {
  checkShape(MmaElement::TF32, 8);
  checkShape(MmaElement::TF32, 4);
}

TEST(MmaKernel, EightBits) {
  checkShape(MmaElement::S8, 32);
  checkShape(MmaElement::E4M3, 32);
  checkShape(MmaElement::E5M2, 32);
}

TEST(MmaKernel, BothTypesOfEightBitFloats) {
  checkShape(MmaElement::E4M3, 32, MmaElement::E5M2);
  checkShape(MmaElement::E5M2, 32, MmaElement::E4M3);
}

/// A product of one fragment each, of which only row 0 and column 0 are set.
template <typename Element, typename Sum>
static std::vector<std::byte> multiplyFirst(const MmaSite &site, Element a,
                                            Element b, Sum sum) {
  size_t stride = (site.mailboxBytes() / 64 + 1) * 64;
  std::vector<std::byte> data(kWarpSize * stride);
  std::memcpy(data.data(), &a, sizeof a);
  std::memcpy(&data[site.bOffset()], &b, sizeof b);
  std::memcpy(&data[site.accumulatorOffset()], &sum, sizeof sum);
  runMmaBatch(site, data.data(), stride);
  data.erase(data.begin(), data.begin() + site.accumulatorOffset());
  return data;
}

template <typename Sum> static Sum first(const std::vector<std::byte> &data) {
  Sum sum;
  std::memcpy(&sum, data.data(), sizeof sum);
  return sum;
}

static MmaSite oneProduct(MmaElement element, unsigned k) {
  MmaSite site;
  site.element = element;
  site.k = k;
  site.aFragments = site.bFragments = 1;
  site.products = {{0, 0}};
  return site;
}

TEST(MmaKernel, IntegersWrapOrSaturate) {
  constexpr int32_t most = std::numeric_limits<int32_t>::max();
  MmaSite site = oneProduct(MmaElement::S8, 32);
  EXPECT_EQ(first<int32_t>(multiplyFirst(site, int8_t(1), int8_t(1), most)),
            std::numeric_limits<int32_t>::min());
  site.saturates = true;
  EXPECT_EQ(first<int32_t>(multiplyFirst(site, int8_t(1), int8_t(1), most)),
            most);
  EXPECT_EQ(first<int32_t>(multiplyFirst(site, int8_t(-1), int8_t(1), -most)),
            std::numeric_limits<int32_t>::min());
}

TEST(MmaKernel, CutsOffWhatTF32DoesNotHave) {
  MmaSite site = oneProduct(MmaElement::TF32, 8);
  EXPECT_EQ(first<float>(multiplyFirst(site, 0x1.003ffep0f, 1.0f, 0.0f)),
            0x1.000p0f);
}

TEST(MmaKernel, F64) {
  MmaSite site = oneProduct(MmaElement::F64, kMmaF64K);
  size_t stride = 64;
  std::vector<std::byte> data(kWarpSize * stride);
  auto put = [&](unsigned lane, unsigned offset, double value) {
    std::memcpy(&data[lane * stride + offset], &value, sizeof value);
  };
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    put(lane, 0, aValue(0, lane / 4, lane % 4));
    put(lane, site.bOffset(), bValue(0, lane % 4, lane / 4));
    put(lane, site.accumulatorOffset(), 0.5);
    put(lane, site.accumulatorOffset() + 8, 0.5);
  }
  runMmaBatch(site, data.data(), stride);
  for (unsigned row = 0; row < kMmaF64M; ++row)
    for (unsigned column = 0; column < kMmaN; ++column) {
      double expected = 0.5, found;
      for (unsigned k = 0; k < kMmaF64K; ++k)
        expected += aValue(0, row, k) * bValue(0, k, column);
      std::memcpy(&found,
                  &data[(4 * row + column / 2) * stride +
                        site.accumulatorOffset() + column % 2 * 8],
                  sizeof found);
      EXPECT_EQ(found, expected) << "row " << row << " column " << column;
    }
}
