//===- HostSymbols.cpp - functions that compiled code may call ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See HostSymbols.h.
//
//===----------------------------------------------------------------------===//

#include "HostSymbols.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <cstring>
#include <emmintrin.h>
#include <type_traits>
#include <vector>

namespace convmlir::emu {

//===----------------------------------------------------------------------===//
// Conversions of half precision
//===----------------------------------------------------------------------===//
//
// Where the CPU has no instruction for a conversion, LLVM calls a function of
// the compiler's runtime. libgcc 12 lacks those of bf16. Half-precision values
// are passed in the low 16 bits of an SSE register.

static uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

static float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

static __m128i inRegister(uint32_t half) { return _mm_cvtsi32_si128(half); }

static bool isNaN(uint32_t bits) { return (bits & 0x7fffffff) > 0x7f800000; }

static __m128i truncateToBF16(float value) {
  uint32_t bits = bitsOf(value);
  if (isNaN(bits))
    return inRegister((bits | 0x400000) >> 16);
  return inRegister((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// Rounds to nearest even; subnormal results are rounded by adding a number
/// whose last place is that of the result.
static __m128i truncateToF16(float value) {
  uint32_t bits = bitsOf(value);
  uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (isNaN(bits))
    return inRegister(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
  if (magnitude >= 0x477ff000)
    return inRegister(sign | 0x7c00);
  if (magnitude < 0x38800000) {
    uint32_t rounded = bitsOf(floatOf(magnitude) + 0.5f) - 0x3f000000;
    return inRegister(sign | rounded);
  }
  magnitude += 0xfff + (magnitude >> 13 & 1);
  return inRegister(sign | ((magnitude - 0x38000000) >> 13));
}

static float extendF16(__m128i value) {
  uint32_t half = _mm_cvtsi128_si32(value) & 0xffff;
  uint32_t sign = (half & 0x8000) << 16, magnitude = (half & 0x7fff) << 13;
  float scaled = floatOf(magnitude) * 0x1p112f;
  uint32_t special = magnitude >= 0x0f800000 ? 0x7f800000 : 0;
  return floatOf(bitsOf(scaled) | special | sign);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {

template <typename> using Doubled = double;

class SymbolList {
public:
  template <typename F> void add(std::string name, F *function) {
    symbols.push_back({std::move(name), reinterpret_cast<void *>(function)});
  }

  template <typename T, typename... Args>
  void addCallable(std::string name, T (*function)(Args...)) {
    add(std::move(name), function);
    symbols.back().arguments = sizeof...(Args);
    symbols.back().isDouble = std::is_same_v<T, double>;
  }

  /// A function in single and double precision, under its C name and under that
  /// of libdevice.
  template <typename... Args>
  void addMath(const std::string &name, float (*single)(Args...),
               double (*twice)(Doubled<Args>...)) {
    addCallable(name + "f", single);
    addCallable(name, twice);
    addCallable("__nv_" + name + "f", single);
    addCallable("__nv_" + name, twice);
  }

  std::vector<HostSymbol> symbols;
};

} // namespace

static void addUnaryMath(SymbolList &list) {
  list.addMath("exp", ::expf, ::exp);
  list.addMath("exp2", ::exp2f, ::exp2);
  list.addMath("expm1", ::expm1f, ::expm1);
  list.addMath("log", ::logf, ::log);
  list.addMath("log2", ::log2f, ::log2);
  list.addMath("log10", ::log10f, ::log10);
  list.addMath("log1p", ::log1pf, ::log1p);
  list.addMath("sin", ::sinf, ::sin);
  list.addMath("cos", ::cosf, ::cos);
  list.addMath("tan", ::tanf, ::tan);
  list.addMath("tanh", ::tanhf, ::tanh);
  list.addMath("erf", ::erff, ::erf);
  list.addMath("sqrt", ::sqrtf, ::sqrt);
  list.addMath("cbrt", ::cbrtf, ::cbrt);
  list.addMath("fabs", ::fabsf, ::fabs);
  list.addMath("floor", ::floorf, ::floor);
  list.addMath("ceil", ::ceilf, ::ceil);
  list.addMath("trunc", ::truncf, ::trunc);
  list.addMath("round", ::roundf, ::round);
  list.addMath("rint", ::rintf, ::rint);
}

static std::vector<HostSymbol> buildSymbols() {
  SymbolList list;
  list.add("__truncsfbf2", truncateToBF16);
  list.add("__truncsfhf2", truncateToF16);
  list.add("__extendhfsf2", extendF16);
  list.add("memcpy", ::memcpy);
  list.add("memmove", ::memmove);
  list.add("memset", ::memset);
  addUnaryMath(list);
  list.addMath("pow", ::powf, ::pow);
  list.addMath("fmod", ::fmodf, ::fmod);
  list.addMath("fmin", ::fminf, ::fmin);
  list.addMath("fmax", ::fmaxf, ::fmax);
  list.addMath("atan2", ::atan2f, ::atan2);
  list.addMath("copysign", ::copysignf, ::copysign);
  list.addMath("fma", ::fmaf, ::fma);
  return std::move(list.symbols);
}

llvm::ArrayRef<HostSymbol> hostSymbols() {
  static const std::vector<HostSymbol> symbols = buildSymbols();
  return symbols;
}

const HostSymbol *findHostSymbol(llvm::StringRef name) {
  llvm::ArrayRef<HostSymbol> symbols = hostSymbols();
  auto found = llvm::find_if(
      symbols, [&](const HostSymbol &symbol) { return name == symbol.name; });
  return found == symbols.end() ? nullptr : found;
}

} // namespace convmlir::emu
