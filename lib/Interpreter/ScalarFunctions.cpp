//===- ScalarFunctions.cpp - arith and math in f64 ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <optional>

using namespace mlir;
using namespace mlir::conv;

static Scalar maximum(const Scalar *x) {
  return std::isnan(x[0]) || std::isnan(x[1]) ? NAN : std::max(x[0], x[1]);
}
static Scalar minimum(const Scalar *x) {
  return std::isnan(x[0]) || std::isnan(x[1]) ? NAN : std::min(x[0], x[1]);
}
static Scalar identity(const Scalar *x) { return x[0]; }
static Scalar add(const Scalar *x) { return x[0] + x[1]; }
static Scalar subtract(const Scalar *x) { return x[0] - x[1]; }
static Scalar multiply(const Scalar *x) { return x[0] * x[1]; }
static Scalar power(const Scalar *x) { return std::pow(x[0], x[1]); }

/// By the name of the operation.
static const llvm::StringMap<ScalarFunction> &functions() {
  static const llvm::StringMap<ScalarFunction> table = {
      {"arith.addf", add},
      {"arith.subf", subtract},
      {"arith.mulf", multiply},
      {"arith.divf", [](const Scalar *x) -> Scalar { return x[0] / x[1]; }},
      {"arith.negf", [](const Scalar *x) -> Scalar { return -x[0]; }},
      {"arith.maximumf", maximum},
      {"arith.minimumf", minimum},
      {"arith.maxnumf",
       [](const Scalar *x) -> Scalar { return std::fmax(x[0], x[1]); }},
      {"arith.minnumf",
       [](const Scalar *x) -> Scalar { return std::fmin(x[0], x[1]); }},
      {"arith.maxsi", maximum},
      {"arith.minsi", minimum},
      {"arith.select",
       [](const Scalar *x) -> Scalar { return x[0] != 0 ? x[1] : x[2]; }},
      {"arith.extf", identity},
      {"arith.truncf", identity},
      {"arith.extsi", identity},
      {"arith.sitofp", identity},
      {"math.absf", apply<std::fabs>},
      {"math.acos", apply<std::acos>},
      {"math.acosh", apply<std::acosh>},
      {"math.asin", apply<std::asin>},
      {"math.asinh", apply<std::asinh>},
      {"math.atan", apply<std::atan>},
      {"math.atan2",
       [](const Scalar *x) -> Scalar { return std::atan2(x[0], x[1]); }},
      {"math.atanh", apply<std::atanh>},
      {"math.cbrt", apply<std::cbrt>},
      {"math.ceil", apply<std::ceil>},
      {"math.clampf",
       [](const Scalar *x) -> Scalar {
         return x[0] < x[1] ? x[1] : x[0] > x[2] ? x[2] : x[0];
       }},
      {"math.copysign",
       [](const Scalar *x) -> Scalar { return std::copysign(x[0], x[1]); }},
      {"math.cos", apply<std::cos>},
      {"math.cosh", apply<std::cosh>},
      {"math.erf", apply<std::erf>},
      {"math.erfc", apply<std::erfc>},
      {"math.exp", apply<std::exp>},
      {"math.exp2", apply<std::exp2>},
      {"math.expm1", apply<std::expm1>},
      {"math.floor", apply<std::floor>},
      {"math.fma",
       [](const Scalar *x) -> Scalar { return x[0] * x[1] + x[2]; }},
      {"math.fpowi", power},
      {"math.isfinite",
       [](const Scalar *x) -> Scalar { return Scalar(std::isfinite(*x)); }},
      {"math.isinf",
       [](const Scalar *x) -> Scalar { return Scalar(std::isinf(*x)); }},
      {"math.isnan",
       [](const Scalar *x) -> Scalar { return Scalar(std::isnan(*x)); }},
      {"math.log", apply<std::log>},
      {"math.log10", apply<std::log10>},
      {"math.log1p", apply<std::log1p>},
      {"math.log2", apply<std::log2>},
      {"math.powf", power},
      {"math.round", apply<std::round>},
      {"math.roundeven", apply<std::nearbyint>},
      {"math.rsqrt",
       [](const Scalar *x) -> Scalar { return 1 / std::sqrt(x[0]); }},
      {"math.sin", apply<std::sin>},
      {"math.sinh", apply<std::sinh>},
      {"math.sqrt", apply<std::sqrt>},
      {"math.tan", apply<std::tan>},
      {"math.tanh", apply<std::tanh>},
      {"math.trunc", apply<std::trunc>},
  };
  return table;
}

/// On truth values, not on the bits of integers.
static ScalarFunction getLogicalFunction(StringRef name) {
  if (name == "arith.andi" || name == "arith.muli")
    return [](const Scalar *x) -> Scalar {
      return Scalar(x[0] != 0 && x[1] != 0);
    };
  if (name == "arith.ori")
    return [](const Scalar *x) -> Scalar {
      return Scalar(x[0] != 0 || x[1] != 0);
    };
  if (name == "arith.xori" || name == "arith.addi" || name == "arith.subi")
    return [](const Scalar *x) -> Scalar {
      return Scalar((x[0] != 0) != (x[1] != 0));
    };
  if (name == "arith.extui" || name == "arith.uitofp")
    return identity;
  return nullptr;
}

static ScalarFunction getOrdered(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::OGT:
    return [](const Scalar *x) -> Scalar { return Scalar(x[0] > x[1]); };
  case arith::CmpFPredicate::OGE:
    return [](const Scalar *x) -> Scalar { return Scalar(x[0] >= x[1]); };
  case arith::CmpFPredicate::OLT:
    return [](const Scalar *x) -> Scalar { return Scalar(x[0] < x[1]); };
  case arith::CmpFPredicate::OLE:
    return [](const Scalar *x) -> Scalar { return Scalar(x[0] <= x[1]); };
  case arith::CmpFPredicate::OEQ:
    return [](const Scalar *x) -> Scalar { return Scalar(x[0] == x[1]); };
  case arith::CmpFPredicate::ONE:
    return [](const Scalar *x) -> Scalar {
      return Scalar(x[0] < x[1] || x[0] > x[1]);
    };
  case arith::CmpFPredicate::ORD:
    return [](const Scalar *x) -> Scalar {
      return Scalar(!std::isunordered(x[0], x[1]));
    };
  default:
    return nullptr;
  }
}

static ScalarFunction getUnordered(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::UGT:
    return [](const Scalar *x) -> Scalar { return Scalar(!(x[0] <= x[1])); };
  case arith::CmpFPredicate::UGE:
    return [](const Scalar *x) -> Scalar { return Scalar(!(x[0] < x[1])); };
  case arith::CmpFPredicate::ULT:
    return [](const Scalar *x) -> Scalar { return Scalar(!(x[0] >= x[1])); };
  case arith::CmpFPredicate::ULE:
    return [](const Scalar *x) -> Scalar { return Scalar(!(x[0] > x[1])); };
  case arith::CmpFPredicate::UEQ:
    return [](const Scalar *x) -> Scalar {
      return Scalar(!(x[0] < x[1] || x[0] > x[1]));
    };
  case arith::CmpFPredicate::UNE:
    return [](const Scalar *x) -> Scalar { return Scalar(x[0] != x[1]); };
  case arith::CmpFPredicate::UNO:
    return [](const Scalar *x) -> Scalar {
      return Scalar(std::isunordered(x[0], x[1]));
    };
  default:
    return nullptr;
  }
}

Scalar conv::wrapTo(unsigned bits, Scalar value) {
  Scalar range = std::ldexp(Scalar(1), bits);
  return value - range * std::floor(value / range + 0.5);
}

template <unsigned Bits> static Scalar wrap(const Scalar *x) {
  return wrapTo(Bits, x[0]);
}

static ScalarFunction getTruncation(unsigned bits) {
  switch (bits) {
  case 1:
    return
        [](const Scalar *x) -> Scalar { return std::fabs(std::fmod(x[0], 2)); };
  case 8:
    return wrap<8>;
  case 16:
    return wrap<16>;
  case 32:
    return wrap<32>;
  default:
    return nullptr;
  }
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

namespace {
/// Of two integers of so many bits, sign-extended; more bits of the result than
/// these do not count. Nothing where the result is undefined.
using IntegerFunction = std::optional<int64_t> (*)(int64_t x, int64_t y,
                                                   unsigned bits);

/// Of one integer.
using UnaryIntegerFunction = int64_t (*)(int64_t x, unsigned bits);

/// A function for integers of so many bits; null where the type is none of
/// those that convolutions have.
using FunctionOfWidth = ScalarFunction (*)(unsigned bits);
} // namespace

static uint64_t toUnsigned(int64_t value, unsigned bits) {
  return static_cast<uint64_t>(value) & llvm::maskTrailingOnes<uint64_t>(bits);
}

/// What is undefined is NaN, and so is what is made of it.
template <IntegerFunction function, unsigned Bits>
static Scalar compute(const Scalar *x) {
  if (std::isnan(x[0]) || std::isnan(x[1]))
    return NAN;
  std::optional<int64_t> result =
      function(static_cast<int64_t>(x[0]), static_cast<int64_t>(x[1]), Bits);
  return result ? static_cast<Scalar>(llvm::SignExtend64<Bits>(*result)) : NAN;
}

template <UnaryIntegerFunction function, unsigned Bits>
static Scalar computeUnary(const Scalar *x) {
  if (std::isnan(x[0]))
    return NAN;
  return static_cast<Scalar>(
      llvm::SignExtend64<Bits>(function(static_cast<int64_t>(x[0]), Bits)));
}

template <IntegerFunction function>
static ScalarFunction ofWidth(unsigned bits) {
  return bits == 8    ? compute<function, 8>
         : bits == 16 ? compute<function, 16>
         : bits == 32 ? compute<function, 32>
         : bits == 64 ? compute<function, 64>
                      : ScalarFunction(nullptr);
}

template <UnaryIntegerFunction function>
static ScalarFunction unaryOfWidth(unsigned bits) {
  return bits == 8    ? computeUnary<function, 8>
         : bits == 16 ? computeUnary<function, 16>
         : bits == 32 ? computeUnary<function, 32>
         : bits == 64 ? computeUnary<function, 64>
                      : ScalarFunction(nullptr);
}

/// Whether the quotient is no number, or none that the type has.
static bool hasNoQuotient(int64_t x, int64_t y, unsigned bits) {
  return y == 0 || (y == -1 && x == llvm::minIntN(bits));
}

static bool isShift(int64_t y, unsigned bits) { return y >= 0 && y < bits; }

static std::optional<int64_t> addIntegers(int64_t x, int64_t y, unsigned) {
  return static_cast<uint64_t>(x) + static_cast<uint64_t>(y);
}
static std::optional<int64_t> subtractIntegers(int64_t x, int64_t y, unsigned) {
  return static_cast<uint64_t>(x) - static_cast<uint64_t>(y);
}
static std::optional<int64_t> multiplyIntegers(int64_t x, int64_t y, unsigned) {
  return static_cast<uint64_t>(x) * static_cast<uint64_t>(y);
}
static std::optional<int64_t> divide(int64_t x, int64_t y, unsigned bits) {
  if (hasNoQuotient(x, y, bits))
    return std::nullopt;
  return x / y;
}
static std::optional<int64_t> divideUp(int64_t x, int64_t y, unsigned bits) {
  if (hasNoQuotient(x, y, bits))
    return std::nullopt;
  return llvm::divideCeilSigned(x, y);
}
static std::optional<int64_t> divideDown(int64_t x, int64_t y, unsigned bits) {
  if (hasNoQuotient(x, y, bits))
    return std::nullopt;
  return llvm::divideFloorSigned(x, y);
}
static std::optional<int64_t> remainder(int64_t x, int64_t y, unsigned bits) {
  if (hasNoQuotient(x, y, bits))
    return std::nullopt;
  return x % y;
}
static std::optional<int64_t> divideUnsigned(int64_t x, int64_t y,
                                             unsigned bits) {
  if (y == 0)
    return std::nullopt;
  return toUnsigned(x, bits) / toUnsigned(y, bits);
}
static std::optional<int64_t> divideUnsignedUp(int64_t x, int64_t y,
                                               unsigned bits) {
  if (y == 0)
    return std::nullopt;
  return llvm::divideCeil(toUnsigned(x, bits), toUnsigned(y, bits));
}
static std::optional<int64_t> remainderUnsigned(int64_t x, int64_t y,
                                                unsigned bits) {
  if (y == 0)
    return std::nullopt;
  return toUnsigned(x, bits) % toUnsigned(y, bits);
}
static std::optional<int64_t> andBits(int64_t x, int64_t y, unsigned) {
  return x & y;
}
static std::optional<int64_t> orBits(int64_t x, int64_t y, unsigned) {
  return x | y;
}
static std::optional<int64_t> xorBits(int64_t x, int64_t y, unsigned) {
  return x ^ y;
}
static std::optional<int64_t> shiftLeft(int64_t x, int64_t y, unsigned bits) {
  if (!isShift(y, bits))
    return std::nullopt;
  return toUnsigned(x, bits) << y;
}
static std::optional<int64_t> shiftRight(int64_t x, int64_t y, unsigned bits) {
  if (!isShift(y, bits))
    return std::nullopt;
  return x >> y;
}
static std::optional<int64_t> shiftRightUnsigned(int64_t x, int64_t y,
                                                 unsigned bits) {
  if (!isShift(y, bits))
    return std::nullopt;
  return toUnsigned(x, bits) >> y;
}
static std::optional<int64_t> maximumUnsigned(int64_t x, int64_t y,
                                              unsigned bits) {
  return toUnsigned(x, bits) > toUnsigned(y, bits) ? x : y;
}
static std::optional<int64_t> minimumUnsigned(int64_t x, int64_t y,
                                              unsigned bits) {
  return toUnsigned(x, bits) < toUnsigned(y, bits) ? x : y;
}

static int64_t magnitude(int64_t x, unsigned) {
  return x < 0 ? 0 - static_cast<uint64_t>(x) : x;
}
static int64_t countOnes(int64_t x, unsigned bits) {
  return llvm::popcount(toUnsigned(x, bits));
}
static int64_t countLeadingZeros(int64_t x, unsigned bits) {
  return llvm::countl_zero(toUnsigned(x, bits)) - int64_t(64 - bits);
}
static int64_t countTrailingZeros(int64_t x, unsigned bits) {
  return std::min<int64_t>(llvm::countr_zero(toUnsigned(x, bits)), bits);
}

/// By the name of the operation.
static const llvm::StringMap<FunctionOfWidth> &integerFunctions() {
  static const llvm::StringMap<FunctionOfWidth> table = {
      {"arith.addi", ofWidth<addIntegers>},
      {"arith.subi", ofWidth<subtractIntegers>},
      {"arith.muli", ofWidth<multiplyIntegers>},
      {"arith.divsi", ofWidth<divide>},
      {"arith.ceildivsi", ofWidth<divideUp>},
      {"arith.floordivsi", ofWidth<divideDown>},
      {"arith.remsi", ofWidth<remainder>},
      {"arith.divui", ofWidth<divideUnsigned>},
      {"arith.ceildivui", ofWidth<divideUnsignedUp>},
      {"arith.remui", ofWidth<remainderUnsigned>},
      {"arith.andi", ofWidth<andBits>},
      {"arith.ori", ofWidth<orBits>},
      {"arith.xori", ofWidth<xorBits>},
      {"arith.shli", ofWidth<shiftLeft>},
      {"arith.shrsi", ofWidth<shiftRight>},
      {"arith.shrui", ofWidth<shiftRightUnsigned>},
      {"arith.maxui", ofWidth<maximumUnsigned>},
      {"arith.minui", ofWidth<minimumUnsigned>},
      {"math.absi", unaryOfWidth<magnitude>},
      {"math.ctpop", unaryOfWidth<countOnes>},
      {"math.ctlz", unaryOfWidth<countLeadingZeros>},
      {"math.cttz", unaryOfWidth<countTrailingZeros>},
  };
  return table;
}

/// The value that the same bits have without a sign.
template <unsigned Bits> static Scalar dropSign(const Scalar *x) {
  return x[0] < 0 ? x[0] + std::ldexp(Scalar(1), Bits) : x[0];
}

static ScalarFunction getUnsignedValue(unsigned bits) {
  return bits == 8    ? dropSign<8>
         : bits == 16 ? dropSign<16>
         : bits == 32 ? dropSign<32>
         : bits == 64 ? dropSign<64>
                      : ScalarFunction(nullptr);
}

/// To an integer, towards zero. One without a sign is kept as the signed one of
/// its bits; what the type does not hold is undefined.
template <unsigned Bits, bool isSigned>
static Scalar toInteger(const Scalar *x) {
  Scalar whole = std::trunc(x[0]);
  Scalar end = std::ldexp(Scalar(1), isSigned ? Bits - 1 : Bits);
  bool isHeld = whole >= (isSigned ? -end : 0) && whole < end;
  if (!isHeld)
    return NAN;
  return whole >= std::ldexp(Scalar(1), Bits - 1)
             ? whole - std::ldexp(Scalar(1), Bits)
             : whole;
}

template <bool isSigned>
static ScalarFunction getIntegerOfFloat(unsigned bits) {
  return bits == 8    ? toInteger<8, isSigned>
         : bits == 16 ? toInteger<16, isSigned>
         : bits == 32 ? toInteger<32, isSigned>
         : bits == 64 ? toInteger<64, isSigned>
                      : ScalarFunction(nullptr);
}

/// Sign extension keeps the order without a sign as well.
template <arith::CmpIPredicate predicate>
static Scalar compareIntegers(const Scalar *x) {
  if (std::isnan(x[0]) || std::isnan(x[1]))
    return NAN;
  auto toBits = [](Scalar value) {
    return APInt(64, static_cast<int64_t>(value), /*isSigned=*/true);
  };
  return arith::applyCmpPredicate(predicate, toBits(x[0]), toBits(x[1]));
}

/// Truth values are 1 here, but -1 where they have a sign.
static ScalarFunction getIntegerComparison(arith::CmpIOp op) {
  using arith::CmpIPredicate;
  bool isTruth = op.getLhs().getType().isInteger(1);
  switch (op.getPredicate()) {
  case CmpIPredicate::eq:
    return compareIntegers<CmpIPredicate::eq>;
  case CmpIPredicate::ne:
    return compareIntegers<CmpIPredicate::ne>;
  case CmpIPredicate::slt:
    return isTruth ? nullptr : compareIntegers<CmpIPredicate::slt>;
  case CmpIPredicate::sle:
    return isTruth ? nullptr : compareIntegers<CmpIPredicate::sle>;
  case CmpIPredicate::sgt:
    return isTruth ? nullptr : compareIntegers<CmpIPredicate::sgt>;
  case CmpIPredicate::sge:
    return isTruth ? nullptr : compareIntegers<CmpIPredicate::sge>;
  case CmpIPredicate::ult:
    return compareIntegers<CmpIPredicate::ult>;
  case CmpIPredicate::ule:
    return compareIntegers<CmpIPredicate::ule>;
  case CmpIPredicate::ugt:
    return compareIntegers<CmpIPredicate::ugt>;
  case CmpIPredicate::uge:
    return compareIntegers<CmpIPredicate::uge>;
  }
  return nullptr;
}

Scalar conv::toNumber(const APInt &value) {
  return value.getBitWidth() == 1 ? Scalar(value.getBoolValue())
                                  : Scalar(value.getSExtValue());
}

/// Conversions from and to integers without a sign, and those of truth values.
static ScalarFunction getIntegerConversion(Operation &op) {
  if (op.getNumOperands() != 1 || op.getNumResults() != 1)
    return nullptr;
  Type source = op.getOperand(0).getType(), type = op.getResult(0).getType();
  bool isTruth = source.isInteger(1);
  if (isTruth && isa<arith::ExtSIOp, arith::SIToFPOp>(op))
    return [](const Scalar *x) -> Scalar { return -x[0]; };
  if (!isTruth && isa<arith::ExtUIOp, arith::UIToFPOp>(op))
    return getUnsignedValue(source.getIntOrFloatBitWidth());
  if (isa<arith::FPToUIOp>(op))
    return getIntegerOfFloat<false>(type.getIntOrFloatBitWidth());
  if (isa<arith::FPToSIOp>(op))
    return getIntegerOfFloat<true>(type.getIntOrFloatBitWidth());
  return nullptr;
}

/// The bits of an integer; an index has 64 on every target.
static unsigned getWidth(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

/// From or to an index.
static ScalarFunction getIndexConversion(Operation &op) {
  unsigned from = getWidth(op.getOperand(0).getType());
  unsigned to = getWidth(op.getResult(0).getType());
  if (to < from)
    return getTruncation(to);
  if (isa<arith::IndexCastUIOp>(op))
    return getUnsignedValue(from);
  return [](const Scalar *x) -> Scalar { return x[0]; };
}

/// Null where the type is none of those that convolutions have.
static ScalarFunction getIntegerFunction(Operation &op) {
  if (FunctionOfWidth function =
          integerFunctions().lookup(op.getName().getStringRef());
      function && op.getResult(0).getType().isSignlessIntOrIndex())
    return function(getWidth(op.getResult(0).getType()));
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op) &&
      op.getResult(0).getType().isSignlessIntOrIndex())
    return getIndexConversion(op);
  return getIntegerConversion(op);
}

ScalarFunction conv::getScalarFunction(Operation &op) {
  if (ScalarFunction function = getIntegerFunction(op))
    return function;
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return getIntegerComparison(compare);
  if (auto truncation = dyn_cast<arith::TruncIOp>(op))
    return getTruncation(truncation.getType().getIntOrFloatBitWidth());
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    ScalarFunction function = getOrdered(compare.getPredicate());
    return function ? function : getUnordered(compare.getPredicate());
  }
  StringRef name = op.getName().getStringRef();
  bool isLogical =
      op.getNumOperands() > 0 && op.getOperand(0).getType().isInteger(1);
  if (isLogical)
    if (ScalarFunction function = getLogicalFunction(name))
      return function;
  // A truth value with a sign is less than false.
  if (isLogical && isa<arith::MaxSIOp, arith::MinSIOp>(op))
    return nullptr;
  return functions().lookup(name);
}
