//===- FloatFormatTest.cpp - rounding to narrow formats -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/FloatFormat.h"
#include "conv/Runtime/TensorInput.h"

#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <limits>
#include <string>

using namespace convmlir;

namespace {

struct NamedFormat {
  const char *name;
  FloatFormat format;
  uint32_t largest; ///< Bits of the largest finite number.

  uint32_t width() const { return format.exponentBits + format.fractionBits; }
};

class FloatFormatTest : public testing::TestWithParam<NamedFormat> {};

/// Every bit pattern is the nearest one to its own value.
TEST_P(FloatFormatTest, everyPatternRoundTrips) {
  const auto &[name, format, largest] = GetParam();
  for (uint32_t bits = 0; bits < 2u << GetParam().width(); ++bits) {
    double value = decodeFloat(bits, format);
    uint32_t back = encodeFloat(value, format);
    if (std::isnan(value))
      ASSERT_TRUE(std::isnan(decodeFloat(back, format))) << bits;
    else if (std::isinf(value) && format.saturates)
      ASSERT_EQ(back & ((1u << GetParam().width()) - 1), largest) << bits;
    else
      ASSERT_EQ(back, bits);
  }
}

/// Between two neighbours: below, at and above the middle.
TEST_P(FloatFormatTest, tiesGoToEven) {
  const auto &[name, format, largest] = GetParam();
  for (uint32_t bits = 0; bits < largest; ++bits) {
    double low = decodeFloat(bits, format);
    double high = decodeFloat(bits + 1, format);
    ASSERT_LT(low, high);
    double middle = low + (high - low) / 2;
    uint32_t even = bits % 2 ? bits + 1 : bits;
    ASSERT_EQ(encodeFloat(middle, format), even) << middle;
    ASSERT_EQ(encodeFloat(std::nextafter(middle, high), format), bits + 1);
    ASSERT_EQ(encodeFloat(std::nextafter(middle, low), format), bits);
    ASSERT_EQ(encodeFloat(-middle, format), even | 1u << GetParam().width());
  }
}

TEST_P(FloatFormatTest, overflow) {
  const auto &[name, format, largest] = GetParam();
  double top = decodeFloat(largest, format);
  double halfUlp = (top - decodeFloat(largest - 1, format)) / 2;
  uint32_t beyond = format.saturates ? largest : largest + 1;
  EXPECT_EQ(encodeFloat(std::nextafter(top + halfUlp, 0), format), largest);
  EXPECT_EQ(encodeFloat(top + halfUlp, format), beyond);
  EXPECT_EQ(encodeFloat(1e300, format), beyond);
  EXPECT_EQ(encodeFloat(HUGE_VAL, format), beyond);
  EXPECT_EQ(encodeFloat(-HUGE_VAL, format), beyond | 1u << GetParam().width());
}

TEST_P(FloatFormatTest, nanAndZero) {
  const FloatFormat &format = GetParam().format;
  double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(decodeFloat(encodeFloat(nan, format), format)));
  EXPECT_TRUE(std::isnan(decodeFloat(encodeFloat(-nan, format), format)));
  EXPECT_EQ(encodeFloat(0.0, format), 0u);
  EXPECT_EQ(encodeFloat(-0.0, format), 1u << GetParam().width());
  EXPECT_EQ(encodeFloat(std::numeric_limits<double>::denorm_min(), format), 0u);
}

INSTANTIATE_TEST_SUITE_P(
    AllFormats, FloatFormatTest,
    testing::Values(NamedFormat{"f16", f16Format, 0x7bff},
                    NamedFormat{"bf16", bf16Format, 0x7f7f},
                    NamedFormat{"tf32", tf32Format, 0x3fbff},
                    NamedFormat{"e4m3", e4m3Format, 0x7e},
                    NamedFormat{"e5m2", e5m2Format, 0x7b}),
    [](const auto &info) { return std::string(info.param.name); });

TEST(FloatFormat, knownCodes) {
  EXPECT_EQ(encodeFloat(1.0, f16Format), 0x3c00u);
  EXPECT_EQ(encodeFloat(65504.0, f16Format), 0x7bffu);
  EXPECT_EQ(encodeFloat(0x1p-24, f16Format), 1u);
  EXPECT_EQ(encodeFloat(-2.0, bf16Format), 0xc000u);
  EXPECT_EQ(encodeFloat(448.0, e4m3Format), 0x7eu);
  EXPECT_EQ(encodeFloat(0x1p-9, e4m3Format), 1u);
  EXPECT_EQ(encodeFloat(57344.0, e5m2Format), 0x7bu);
  EXPECT_TRUE(std::isnan(decodeFloat(0x7f, e4m3Format)));
  EXPECT_TRUE(std::isinf(decodeFloat(0x7c, e5m2Format)));
}

/// bf16 and tf32 are upper parts of f32: rounding must agree with integer
/// rounding of its bits.
TEST(FloatFormat, agreesWithIntegerRoundingOfF32) {
  auto rounded = [](uint32_t bits, int drop) {
    uint32_t half = (1u << (drop - 1)) - 1 + ((bits >> drop) & 1);
    return (bits + half) >> drop;
  };
  for (uint64_t i = 0; i < 200000; ++i) {
    auto bits = static_cast<uint32_t>(randomBits(7, i));
    float value = std::bit_cast<float>(bits);
    if (std::isnan(value))
      continue;
    ASSERT_EQ(encodeFloat(value, bf16Format), rounded(bits, 16)) << value;
    ASSERT_EQ(encodeFloat(value, tf32Format), rounded(bits, 13)) << value;
  }
}

} // namespace
