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

#include <cmath>

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
  if (name == "arith.andi")
    return [](const double *x) { return double(x[0] != 0 && x[1] != 0); };
  if (name == "arith.ori")
    return [](const double *x) { return double(x[0] != 0 || x[1] != 0); };
  if (name == "arith.xori")
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

/// Sums and products of integers, of which so many bits are kept.
template <unsigned Bits> static double wrapSum(const double *x) {
  return wrapTo(Bits, add(x));
}
template <unsigned Bits> static double wrapDifference(const double *x) {
  return wrapTo(Bits, subtract(x));
}
template <unsigned Bits> static double wrapProduct(const double *x) {
  // A product of 64 bits is no double.
  auto product = static_cast<uint64_t>(static_cast<int64_t>(x[0])) *
                 static_cast<uint64_t>(static_cast<int64_t>(x[1]));
  return wrapTo(Bits, static_cast<uint32_t>(product));
}

template <unsigned Bits> static ScalarFunction getWrapping(Operation &op) {
  return isa<arith::AddIOp>(op)   ? wrapSum<Bits>
         : isa<arith::SubIOp>(op) ? wrapDifference<Bits>
                                  : wrapProduct<Bits>;
}

/// Null where the type is none of those that convolutions have.
static ScalarFunction getIntegerFunction(Operation &op) {
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return nullptr;
  Type type = op.getResult(0).getType();
  return type.isInteger(8)    ? getWrapping<8>(op)
         : type.isInteger(16) ? getWrapping<16>(op)
         : type.isInteger(32) ? getWrapping<32>(op)
                              : nullptr;
}

ScalarFunction conv::getScalarFunction(Operation &op) {
  if (ScalarFunction function = getIntegerFunction(op))
    return function;
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
