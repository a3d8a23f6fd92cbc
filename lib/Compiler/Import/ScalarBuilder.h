//===- ScalarBuilder.h - arithmetic of one element --------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Short names for the scalar operations that epilogues are made of, on floats
// or signed integers.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_COMPILER_IMPORT_SCALARBUILDER_H
#define CONV_LIB_COMPILER_IMPORT_SCALARBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace mlir::conv {

/// Builds operations on scalars of equal types. With `fastMath`, functions and
/// quotients may be approximate.
class ScalarBuilder {
public:
  ScalarBuilder(OpBuilder &builder, Location loc, arith::FastMathFlags fastMath)
      : builder(builder), loc(loc), fastMath(fastMath) {}

  static bool isFloat(Value value) { return isa<FloatType>(value.getType()); }
  bool mayApproximate() const { return fastMath != arith::FastMathFlags::none; }

  Value number(Type type, double value);
  Value add(Value a, Value b);
  Value subtract(Value a, Value b);
  Value multiply(Value a, Value b);
  Value times(Value x, double factor) {
    return multiply(x, number(x.getType(), factor));
  }
  Value divide(Value a, Value b);
  Value fma(Value a, Value b, Value c);
  Value negate(Value x);
  Value absolute(Value x);
  Value floor(Value x);
  Value exp(Value x);
  /// Never approximate: an instruction.
  Value exp2(Value x);
  Value tanh(Value x);

  /// A NaN stays one.
  Value maximum(Value a, Value b);
  Value minimum(Value a, Value b);
  Value atLeast(Value x, double low) {
    return maximum(x, number(x.getType(), low));
  }
  Value atMost(Value x, double high) {
    return minimum(x, number(x.getType(), high));
  }
  /// Of floats; false for NaN.
  Value isGreater(Value a, Value b);
  Value isNegative(Value x) { return isGreater(number(x.getType(), 0), x); }
  Value select(Value condition, Value a, Value b);

  OpBuilder &builder;
  Location loc;

private:
  arith::FastMathFlags fastMath;
};

} // namespace mlir::conv

#endif // CONV_LIB_COMPILER_IMPORT_SCALARBUILDER_H
