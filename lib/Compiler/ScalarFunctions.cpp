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

static double maximum(const double *x) {
  return std::isnan(x[0]) || std::isnan(x[1]) ? NAN : std::max(x[0], x[1]);
}
static double minimum(const double *x) {
  return std::isnan(x[0]) || std::isnan(x[1]) ? NAN : std::min(x[0], x[1]);
}
static double identity(const double *x) { return x[0]; }
static double add(const double *x) { return x[0] + x[1]; }
static double subtract(const double *x) { return x[0] - x[1]; }
static double multiply(const double *x) { return x[0] * x[1]; }
static double power(const double *x) { return std::pow(x[0], x[1]); }

/// A function of the standard library with one operand.
template <double (*function)(double)> double apply(const double *x) {
  return function(x[0]);
}

/// By the name of the operation.
static const llvm::StringMap<ScalarFunction> &functions() {
  static const llvm::StringMap<ScalarFunction> table = {
      {"arith.addf", add},
      {"arith.addi", add},
      {"arith.subf", subtract},
      {"arith.subi", subtract},
      {"arith.mulf", multiply},
      {"arith.muli", multiply},
      {"arith.divf", [](const double *x) { return x[0] / x[1]; }},
      {"arith.negf", [](const double *x) { return -x[0]; }},
      {"arith.maximumf", maximum},
      {"arith.minimumf", minimum},
      {"arith.maxnumf", [](const double *x) { return std::fmax(x[0], x[1]); }},
      {"arith.minnumf", [](const double *x) { return std::fmin(x[0], x[1]); }},
      {"arith.maxsi", maximum},
      {"arith.minsi", minimum},
      {"arith.select", [](const double *x) { return x[0] != 0 ? x[1] : x[2]; }},
      {"arith.extf", identity},
      {"arith.truncf", identity},
      {"arith.extsi", identity},
      {"arith.sitofp", identity},
      {"arith.fptosi", apply<std::trunc>},
      {"math.absf", apply<std::fabs>},
      {"math.acos", apply<std::acos>},
      {"math.acosh", apply<std::acosh>},
      {"math.asin", apply<std::asin>},
      {"math.asinh", apply<std::asinh>},
      {"math.atan", apply<std::atan>},
      {"math.atan2", [](const double *x) { return std::atan2(x[0], x[1]); }},
      {"math.atanh", apply<std::atanh>},
      {"math.cbrt", apply<std::cbrt>},
      {"math.ceil", apply<std::ceil>},
      {"math.clampf",
       [](const double *x) {
         return x[0] < x[1] ? x[1] : x[0] > x[2] ? x[2] : x[0];
       }},
      {"math.copysign",
       [](const double *x) { return std::copysign(x[0], x[1]); }},
      {"math.cos", apply<std::cos>},
      {"math.cosh", apply<std::cosh>},
      {"math.erf", apply<std::erf>},
      {"math.erfc", apply<std::erfc>},
      {"math.exp", apply<std::exp>},
      {"math.exp2", apply<std::exp2>},
      {"math.expm1", apply<std::expm1>},
      {"math.floor", apply<std::floor>},
      {"math.fma", [](const double *x) { return x[0] * x[1] + x[2]; }},
      {"math.fpowi", power},
      {"math.isfinite",
       [](const double *x) { return double(std::isfinite(*x)); }},
      {"math.isinf", [](const double *x) { return double(std::isinf(*x)); }},
      {"math.isnan", [](const double *x) { return double(std::isnan(*x)); }},
      {"math.log", apply<std::log>},
      {"math.log10", apply<std::log10>},
      {"math.log1p", apply<std::log1p>},
      {"math.log2", apply<std::log2>},
      {"math.powf", power},
      {"math.round", apply<std::round>},
      {"math.roundeven", apply<std::nearbyint>},
      {"math.rsqrt", [](const double *x) { return 1 / std::sqrt(x[0]); }},
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
    return [](const double *x) { return double(x[0] != 0 && x[1] != 0); };
  if (name == "arith.ori")
    return [](const double *x) { return double(x[0] != 0 || x[1] != 0); };
  if (name == "arith.xori" || name == "arith.addi" || name == "arith.subi")
    return [](const double *x) { return double((x[0] != 0) != (x[1] != 0)); };
  if (name == "arith.extui" || name == "arith.uitofp")
    return identity;
  return nullptr;
}

static ScalarFunction getOrdered(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::OGT:
    return [](const double *x) { return double(x[0] > x[1]); };
  case arith::CmpFPredicate::OGE:
    return [](const double *x) { return double(x[0] >= x[1]); };
  case arith::CmpFPredicate::OLT:
    return [](const double *x) { return double(x[0] < x[1]); };
  case arith::CmpFPredicate::OLE:
    return [](const double *x) { return double(x[0] <= x[1]); };
  case arith::CmpFPredicate::OEQ:
    return [](const double *x) { return double(x[0] == x[1]); };
  case arith::CmpFPredicate::ONE:
    return [](const double *x) { return double(x[0] < x[1] || x[0] > x[1]); };
  case arith::CmpFPredicate::ORD:
    return
        [](const double *x) { return double(!std::isunordered(x[0], x[1])); };
  default:
    return nullptr;
  }
}

static ScalarFunction getUnordered(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::UGT:
    return [](const double *x) { return double(!(x[0] <= x[1])); };
  case arith::CmpFPredicate::UGE:
    return [](const double *x) { return double(!(x[0] < x[1])); };
  case arith::CmpFPredicate::ULT:
    return [](const double *x) { return double(!(x[0] >= x[1])); };
  case arith::CmpFPredicate::ULE:
    return [](const double *x) { return double(!(x[0] > x[1])); };
  case arith::CmpFPredicate::UEQ:
    return
        [](const double *x) { return double(!(x[0] < x[1] || x[0] > x[1])); };
  case arith::CmpFPredicate::UNE:
    return [](const double *x) { return double(x[0] != x[1]); };
  case arith::CmpFPredicate::UNO:
    return [](const double *x) { return double(std::isunordered(x[0], x[1])); };
  default:
    return nullptr;
  }
}

double conv::wrapTo(unsigned bits, double value) {
  double range = std::ldexp(1.0, bits);
  return value - range * std::floor(value / range + 0.5);
}

template <unsigned Bits> static double wrap(const double *x) {
  return wrapTo(Bits, x[0]);
}

static ScalarFunction getTruncation(unsigned bits) {
  switch (bits) {
  case 1:
    return [](const double *x) { return std::fabs(std::fmod(x[0], 2)); };
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
static double compute(const double *x) {
  if (std::isnan(x[0]) || std::isnan(x[1]))
    return NAN;
  std::optional<int64_t> result =
      function(static_cast<int64_t>(x[0]), static_cast<int64_t>(x[1]), Bits);
  return result ? static_cast<double>(llvm::SignExtend64<Bits>(*result)) : NAN;
}

template <UnaryIntegerFunction function, unsigned Bits>
static double computeUnary(const double *x) {
  if (std::isnan(x[0]))
    return NAN;
  return static_cast<double>(
      llvm::SignExtend64<Bits>(function(static_cast<int64_t>(x[0]), Bits)));
}

template <IntegerFunction function>
static ScalarFunction ofWidth(unsigned bits) {
  return bits == 8    ? compute<function, 8>
         : bits == 16 ? compute<function, 16>
         : bits == 32 ? compute<function, 32>
                      : ScalarFunction(nullptr);
}

template <UnaryIntegerFunction function>
static ScalarFunction unaryOfWidth(unsigned bits) {
  return bits == 8    ? computeUnary<function, 8>
         : bits == 16 ? computeUnary<function, 16>
         : bits == 32 ? computeUnary<function, 32>
                      : ScalarFunction(nullptr);
}

/// Whether the quotient is no number, or none that the type has.
static bool hasNoQuotient(int64_t x, int64_t y, unsigned bits) {
  return y == 0 || (y == -1 && x == llvm::minIntN(bits));
}

static bool isShift(int64_t y, unsigned bits) { return y >= 0 && y < bits; }

static std::optional<int64_t> addIntegers(int64_t x, int64_t y, unsigned) {
  return x + y;
}
static std::optional<int64_t> subtractIntegers(int64_t x, int64_t y, unsigned) {
  return x - y;
}
static std::optional<int64_t> multiplyIntegers(int64_t x, int64_t y, unsigned) {
  return x * y;
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

static int64_t magnitude(int64_t x, unsigned) { return std::abs(x); }
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
template <unsigned Bits> static double dropSign(const double *x) {
  return x[0] < 0 ? x[0] + std::ldexp(1.0, Bits) : x[0];
}

static ScalarFunction getUnsignedValue(unsigned bits) {
  return bits == 8    ? dropSign<8>
         : bits == 16 ? dropSign<16>
         : bits == 32 ? dropSign<32>
                      : ScalarFunction(nullptr);
}

/// To an integer without a sign, which is kept as the signed one of its bits.
template <unsigned Bits> static double toUnsignedInteger(const double *x) {
  double whole = std::trunc(x[0]);
  bool isHeld = whole >= 0 && whole < std::ldexp(1.0, Bits);
  return isHeld ? wrapTo(Bits, whole) : NAN;
}

static ScalarFunction getUnsignedInteger(unsigned bits) {
  return bits == 8    ? toUnsignedInteger<8>
         : bits == 16 ? toUnsignedInteger<16>
         : bits == 32 ? toUnsignedInteger<32>
                      : ScalarFunction(nullptr);
}

/// Sign extension keeps the order without a sign as well.
template <arith::CmpIPredicate predicate>
static double compareIntegers(const double *x) {
  if (std::isnan(x[0]) || std::isnan(x[1]))
    return NAN;
  auto toInteger = [](double value) {
    return APInt(64, static_cast<int64_t>(value), /*isSigned=*/true);
  };
  return arith::applyCmpPredicate(predicate, toInteger(x[0]), toInteger(x[1]));
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

double conv::toNumber(const APInt &value) {
  return value.getBitWidth() == 1 ? double(value.getBoolValue())
                                  : double(value.getSExtValue());
}

/// Conversions from and to integers without a sign, and those of truth values.
static ScalarFunction getIntegerConversion(Operation &op) {
  if (op.getNumOperands() != 1 || op.getNumResults() != 1)
    return nullptr;
  Type source = op.getOperand(0).getType(), type = op.getResult(0).getType();
  bool isTruth = source.isInteger(1);
  if (isTruth && isa<arith::ExtSIOp, arith::SIToFPOp>(op))
    return [](const double *x) { return -x[0]; };
  if (!isTruth && isa<arith::ExtUIOp, arith::UIToFPOp>(op))
    return getUnsignedValue(source.getIntOrFloatBitWidth());
  if (isa<arith::FPToUIOp>(op))
    return getUnsignedInteger(type.getIntOrFloatBitWidth());
  return nullptr;
}

/// Null where the type is none of those that convolutions have.
static ScalarFunction getIntegerFunction(Operation &op) {
  if (FunctionOfWidth function =
          integerFunctions().lookup(op.getName().getStringRef());
      function && op.getResult(0).getType().isSignlessInteger())
    return function(op.getResult(0).getType().getIntOrFloatBitWidth());
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
  return functions().lookup(name);
}
