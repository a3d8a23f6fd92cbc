//===- HostSymbolsTest.cpp - tests of runtime conversions -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conversions that the emulator brings for hosts without instructions for
// them, against LLVM's arithmetic.
//
//===----------------------------------------------------------------------===//

#include "Lowering/HostSymbols.h"
#include "llvm/ADT/APFloat.h"

#include <cstring>
#include <emmintrin.h>
#include <gtest/gtest.h>
#include <random>

using namespace convmlir::emu;

namespace {

void *find(llvm::StringRef name) {
  for (const HostSymbol &symbol : hostSymbols())
    if (symbol.name == name)
      return symbol.address;
  return nullptr;
}

using Truncate = __m128i (*)(float);
using Extend = float (*)(__m128i);

uint16_t truncate(const char *name, float value) {
  auto function = reinterpret_cast<Truncate>(find(name));
  return uint16_t(_mm_cvtsi128_si32(function(value)));
}

uint16_t expected(float value, const llvm::fltSemantics &semantics) {
  llvm::APFloat number(value);
  bool losesInfo = false;
  number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return uint16_t(number.bitcastToAPInt().getZExtValue());
}

float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Random bit patterns, and all near the limits of f16.
template <typename Visit> void forEachFloat(Visit visit) {
  std::mt19937 random(1);
  for (unsigned i = 0; i < 200000; ++i)
    visit(fromBits(random()));
  for (uint32_t middle : {0x33000000u, 0x38800000u, 0x477ff000u, 0x7f800000u})
    for (uint32_t delta = 0; delta < 64; ++delta) {
      visit(fromBits(middle + delta));
      visit(fromBits(middle - delta));
      visit(fromBits((middle + delta) | 0x80000000u));
    }
}

} // namespace

TEST(HostSymbols, TruncationsRoundToNearestEven) {
  forEachFloat([](float value) {
    if (value != value)
      return;
    ASSERT_EQ(truncate("__truncsfhf2", value),
              expected(value, llvm::APFloat::IEEEhalf()))
        << value;
    ASSERT_EQ(truncate("__truncsfbf2", value),
              expected(value, llvm::APFloat::BFloat()))
        << value;
  });
}

TEST(HostSymbols, NaNStaysNaN) {
  for (uint32_t bits : {0x7f800001u, 0x7fc00000u, 0xffffffffu}) {
    EXPECT_GT(truncate("__truncsfhf2", fromBits(bits)) & 0x7fff, 0x7c00);
    EXPECT_GT(truncate("__truncsfbf2", fromBits(bits)) & 0x7fff, 0x7f80);
  }
}

TEST(HostSymbols, ExtensionIsExact) {
  auto extend = reinterpret_cast<Extend>(find("__extendhfsf2"));
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    llvm::APFloat number(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits));
    bool losesInfo = false;
    number.convert(llvm::APFloat::IEEEsingle(),
                   llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    float actual = extend(_mm_cvtsi32_si128(int(bits)));
    if (number.isNaN())
      ASSERT_NE(actual, actual);
    else
      ASSERT_EQ(actual, number.convertToFloat());
  }
}

TEST(HostSymbols, KnowsLibdeviceNames) {
  ASSERT_TRUE(findHostSymbol("__nv_expf"));
  EXPECT_EQ(findHostSymbol("__nv_expf")->arguments, 1u);
  EXPECT_FALSE(findHostSymbol("__nv_expf")->isDouble);
  ASSERT_TRUE(findHostSymbol("fmax"));
  EXPECT_EQ(findHostSymbol("fmax")->arguments, 2u);
  EXPECT_TRUE(findHostSymbol("fmax")->isDouble);
  EXPECT_FALSE(findHostSymbol("system"));
}
