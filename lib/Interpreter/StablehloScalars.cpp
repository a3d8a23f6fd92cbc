//===- StablehloScalars.cpp - one element of StableHLO --------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StablehloScalars.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::conv::stablehlo;

static Scalar larger(Scalar a, Scalar b) {
  return std::isnan(a) || std::isnan(b) ? a + b : std::max(a, b);
}

static Scalar smaller(Scalar a, Scalar b) {
  return std::isnan(a) || std::isnan(b) ? a + b : std::min(a, b);
}

/// The bits of an integer without their sign.
static Scalar toUnsigned(Scalar value, Type type) {
  Scalar range = std::ldexp(Scalar(1), type.getIntOrFloatBitWidth());
  return value < 0 ? value + range : value;
}

bool conv::compareScalars(CompareOp op, Scalar a, Scalar b) {
  if (op.getCompareType() == ComparisonType::UNSIGNED) {
    Type type = getElementTypeOrSelf(op.getLhs());
    a = toUnsigned(a, type), b = toUnsigned(b, type);
  }
  switch (op.getComparisonDirection()) {
  case ComparisonDirection::EQ:
    return a == b;
  case ComparisonDirection::NE:
    return a != b;
  case ComparisonDirection::GE:
    return a >= b;
  case ComparisonDirection::GT:
    return a > b;
  case ComparisonDirection::LE:
    return a <= b;
  case ComparisonDirection::LT:
    return a < b;
  }
  llvm_unreachable("unknown direction");
}

/// Floats become integers towards zero.
static Scalar convert(ConvertOp op, Scalar value) {
  bool toInteger = isa<IntegerType>(op.getType().getElementType()) &&
                   !op.getType().getElementType().isInteger(1);
  return toInteger ? std::trunc(value) : value;
}

static Scalar toSign(const Scalar *x) {
  return *x > 0 ? Scalar(1) : *x < 0 ? Scalar(-1) : *x;
}

/// A function of the standard library with two operands.
template <double (*function)(double, double)>
static Scalar applyToTwo(const Scalar *x) {
  return function(static_cast<double>(x[0]), static_cast<double>(x[1]));
}

/// By the name of the operation; null for others.
static ScalarFunction getFunction(StringRef name) {
  static const llvm::StringMap<ScalarFunction> table = {
      {"chlo.acos", apply<std::acos>},
      {"chlo.acosh", apply<std::acosh>},
      {"chlo.asin", apply<std::asin>},
      {"chlo.asinh", apply<std::asinh>},
      {"chlo.atan", apply<std::atan>},
      {"chlo.atanh", apply<std::atanh>},
      {"chlo.cosh", apply<std::cosh>},
      {"chlo.erf", apply<std::erf>},
      {"chlo.erfc", apply<std::erfc>},
      {"chlo.sinh", apply<std::sinh>},
      {"chlo.square", [](const Scalar *x) -> Scalar { return *x * *x; }},
      {"chlo.tan", apply<std::tan>},
      {"stablehlo.abs", [](const Scalar *x) { return std::fabs(*x); }},
      {"stablehlo.atan2", applyToTwo<std::atan2>},
      {"stablehlo.cbrt", apply<std::cbrt>},
      {"stablehlo.ceil", apply<std::ceil>},
      {"stablehlo.cosine", apply<std::cos>},
      {"stablehlo.exponential", apply<std::exp>},
      {"stablehlo.exponential_minus_one", apply<std::expm1>},
      {"stablehlo.floor", apply<std::floor>},
      {"stablehlo.is_finite",
       [](const Scalar *x) -> Scalar { return Scalar(std::isfinite(*x)); }},
      {"stablehlo.log", apply<std::log>},
      {"stablehlo.log_plus_one", apply<std::log1p>},
      {"stablehlo.logistic",
       [](const Scalar *x) -> Scalar { return 1 / (1 + std::exp(-*x)); }},
      {"stablehlo.negate", [](const Scalar *x) -> Scalar { return -*x; }},
      {"stablehlo.power", applyToTwo<std::pow>},
      {"stablehlo.round_nearest_afz", apply<std::round>},
      {"stablehlo.round_nearest_even", apply<std::nearbyint>},
      {"stablehlo.rsqrt",
       [](const Scalar *x) -> Scalar { return 1 / std::sqrt(*x); }},
      {"stablehlo.sign", toSign},
      {"stablehlo.sine", apply<std::sin>},
      {"stablehlo.sqrt", apply<std::sqrt>},
      {"stablehlo.tan", apply<std::tan>},
      {"stablehlo.tanh", apply<std::tanh>},
  };
  return table.lookup(name);
}

/// Integers whose values a double holds, as those of tensors do.
static Scalar toScalar(int64_t bits) { return static_cast<Scalar>(bits); }
static int64_t toBits(Scalar value) { return static_cast<int64_t>(value); }

std::optional<Scalar> conv::computeScalar(Operation &op, const Scalar *x) {
  return TypeSwitch<Operation *, std::optional<Scalar>>(&op)
      .Case([&](AddOp) { return x[0] + x[1]; })
      .Case([&](SubtractOp) { return x[0] - x[1]; })
      .Case([&](MultiplyOp) { return x[0] * x[1]; })
      .Case([&](DivideOp) { return x[0] / x[1]; })
      .Case([&](MaxOp) { return larger(x[0], x[1]); })
      .Case([&](MinOp) { return smaller(x[0], x[1]); })
      .Case([&](ClampOp) { return smaller(larger(x[1], x[0]), x[2]); })
      .Case([&](AndOp) { return toScalar(toBits(x[0]) & toBits(x[1])); })
      .Case([&](OrOp) { return toScalar(toBits(x[0]) | toBits(x[1])); })
      .Case([&](XorOp) { return toScalar(toBits(x[0]) ^ toBits(x[1])); })
      .Case([&](NotOp op) {
        bool isTruth = op.getType().getElementType().isInteger(1);
        return isTruth ? Scalar(x[0] == 0) : toScalar(~toBits(x[0]));
      })
      .Case([&](SelectOp) { return x[0] != 0 ? x[1] : x[2]; })
      .Case([&](CompareOp comparison) {
        return Scalar(compareScalars(comparison, x[0], x[1]));
      })
      .Case([&](ConvertOp conversion) { return convert(conversion, x[0]); })
      .Default([&](Operation *) -> std::optional<Scalar> {
        ScalarFunction function = getFunction(op.getName().getStringRef());
        return function ? std::optional(function(x)) : std::nullopt;
      });
}
