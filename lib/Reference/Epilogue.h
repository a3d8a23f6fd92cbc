//===- Epilogue.h - what follows the sums -----------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The epilogue of a problem on one element of its result.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_REFERENCE_EPILOGUE_H
#define CONV_LIB_REFERENCE_EPILOGUE_H

#include "Errors.h"
#include "Loops.h"
#include "conv/Reference/Reference.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace convmlir {

/// activation(scale[k] * sum + bias[k] + residual + old), or
/// activation'(act) * (sum + old), as far as the problem has them. A sum of
/// integers wraps, and what is added to it saturates.
template <typename T> class ReferenceEpilogue {
public:
  ReferenceEpilogue(const Problem &problem, const Loops &loops,
                    const ReferenceArguments<T> &arguments)
      : steps(problem.epilogue), channels(loops.k),
        channelStride(TensorIndices(loops, problem.layout).y.channel),
        floatType(problem.type == "f64" ? "f64" : "f32"),
        sumsAreIntegers(accumulationType(problem.type) == "s32"),
        resultIsInteger(problem.outType == "s8" || problem.outType == "s32"),
        resultIsShort(problem.outType != "f32" && problem.outType != "f64" &&
                      problem.outType != "s32") {
    if (problem.kind == ConvKind::Dgrad) {
      channels = loops.c;
      channelStride = TensorIndices(loops, problem.layout).x.channel;
    }
    size_t next = 2;
    if (steps.scale)
      scale = arguments[next++];
    if (steps.bias)
      bias = arguments[next++];
    if (steps.residual)
      residual = arguments[next++];
    if (steps.derivative)
      act = arguments[next];
    if (problem.accumulate)
      old = arguments.back();
  }

  /// `position` is the element's in the memory order of the result.
  Bounded operator()(Bounded sum, int64_t position) const {
    int64_t channel = position / channelStride % channels;
    Number number{sum, sumsAreIntegers};
    if (number.isInteger)
      number.value = wrapToS32(number.value);
    if (!std::isfinite(number.value))
      number.error = 0;
    if (!scale.empty())
      multiply(number, channel);
    else if (!bias.empty())
      add(number, static_cast<double>(bias[channel]), number.isInteger);
    if (!residual.empty())
      add(number, static_cast<double>(residual[position]), resultIsInteger);
    if (!old.empty())
      add(number, static_cast<double>(old[position]), resultIsInteger);
    if (steps.needsFloat())
      makeFloat(number);
    return act.empty()
               ? activate(number)
               : differentiate(number, static_cast<double>(act[position]));
  }

private:
  struct Number : Bounded {
    bool isInteger;
  };

  void makeFloat(Number &number) const {
    if (!std::exchange(number.isInteger, false))
      return;
    addRounding(number, floatType);
  }

  /// Scale and bias are one fused multiply-add.
  void multiply(Number &number, int64_t channel) const {
    makeFloat(number);
    auto factor = static_cast<double>(scale[channel]);
    number.value *= factor;
    number.error *= std::abs(factor);
    number.magnitude *= std::abs(factor);
    if (!bias.empty()) {
      auto addend = static_cast<double>(bias[channel]);
      number.value += addend;
      number.magnitude += std::abs(addend);
    }
    addRounding(number, floatType);
  }

  void add(Number &number, double operand, bool isInteger) const {
    if (!isInteger)
      makeFloat(number);
    number.value += operand;
    number.magnitude += std::abs(operand);
    if (number.isInteger)
      number.value = saturateToS32(number.value);
    else
      addRounding(number, floatType);
  }

  Bounded activate(const Number &x) const {
    Bounded y{steps.activate(x.value)};
    if (!std::isfinite(y.value))
      return y;
    y.magnitude = std::abs(y.value);
    if (x.error > 0) {
      for (double end : {x.value - x.error, x.value + x.error})
        y.error = std::max(y.error, std::abs(steps.activate(end) - y.value));
      y.magnitude = std::max(y.magnitude, y.error / x.error * x.magnitude);
    }
    if (steps.isRounded())
      y.error += errorOfFunction(std::abs(y.value), resultIsShort);
    return y;
  }

  Bounded differentiate(const Number &number, double x) const {
    Bounded y{steps.differentiate(number.value, x)};
    if (!std::isfinite(y.value))
      return y;
    double slope = std::abs(steps.differentiate(1, x));
    y.error = slope * number.error;
    y.magnitude = slope * number.magnitude;
    if (!steps.isRounded())
      return y;
    double magnitude = std::abs(number.value) + number.error;
    y.error += magnitude * errorOfFunction(steps.largestTerm(x), resultIsShort);
    addRounding(y, floatType);
    return y;
  }

  Epilogue steps;
  int64_t channels, channelStride;
  const char *floatType;
  bool sumsAreIntegers, resultIsInteger, resultIsShort;
  std::span<const T> scale, bias, residual, act, old;
};

} // namespace convmlir

#endif // CONV_LIB_REFERENCE_EPILOGUE_H
