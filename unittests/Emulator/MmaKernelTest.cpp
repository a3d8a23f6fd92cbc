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

#include "MmaKernel.h"

#include <gtest/gtest.h>
#include <vector>

using namespace convmlir::emu;

namespace {

/// Bits of a small integer.
uint32_t encode(MmaElement element, int value) {
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
          put(lane, site.accumulatorOffset() + p * 16 + 4 * i, float(p + 1));
    }
  }

  float result(unsigned product, unsigned row, unsigned column) const {
    unsigned lane = row % 8 * 4 + column / 2, i = row / 8 * 2 + column % 2;
    float value;
    std::memcpy(
        &value,
        &data[lane * stride + site.accumulatorOffset() + product * 16 + 4 * i],
        sizeof value);
    return value;
  }

  void run(InstructionSet instructions) {
    runMmaBatch(site, data.data(), stride, instructions);
  }

private:
  template <typename T> void put(unsigned lane, size_t offset, T value) {
    std::memcpy(&data[lane * stride + offset], &value, sizeof value);
  }

  void putElement(unsigned lane, size_t offset, unsigned index, int value) {
    uint32_t bits = encode(site.element, value);
    if (site.elementsPerRegister() == 1)
      put(lane, offset + 4 * index, bits);
    else
      put(lane, offset + 2 * index, uint16_t(bits));
  }

  void fillA(unsigned lane) {
    unsigned e = site.elementsPerRegister(), g = lane / 4, t = lane % 4;
    for (unsigned f = 0; f < site.aFragments; ++f)
      for (unsigned r = 0; r < site.aBytes() / 4; ++r)
        for (unsigned i = 0; i < e; ++i)
          putElement(lane, f * site.aBytes(), r * e + i,
                     aValue(f, g + r % 2 * 8, e * t + r / 2 * 4 * e + i));
  }

  void fillB(unsigned lane) {
    unsigned e = site.elementsPerRegister(), g = lane / 4, t = lane % 4;
    for (unsigned f = 0; f < site.bFragments; ++f)
      for (unsigned r = 0; r < site.bBytes() / 4; ++r)
        for (unsigned i = 0; i < e; ++i)
          putElement(lane, site.bOffset() + f * site.bBytes(), r * e + i,
                     bValue(f, e * t + r * 4 * e + i, g));
  }

  const MmaSite &site;
  size_t stride;
  std::vector<std::byte> data;
};

void checkShape(MmaElement element, unsigned k, InstructionSet instructions) {
  MmaSite site;
  site.element = element;
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

void checkShape(MmaElement element, unsigned k) {
  checkShape(element, k, InstructionSet::Baseline);
  checkShape(element, k, bestInstructionSet());
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
