//===- Epilogue.h - what follows the sums of a convolution ------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations on each sum before it is stored, their text form, which is the
// value of the key `epilogue` in docs/Problem.md, and their definition in f64.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PROBLEM_EPILOGUE_H
#define CONV_PROBLEM_EPILOGUE_H

#include "conv/Support/Result.h"

#include <string>
#include <string_view>
#include <vector>

namespace convmlir {

/// The last step, a function of one number.
enum class Activation {
  None,
  Relu,     ///< max(x, 0)
  Clip,     ///< min(max(x, low), high)
  Gelu,     ///< x/2 (1 + erf(x / sqrt(2)))
  GeluTanh, ///< x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
  Silu,     ///< x / (1 + exp(-x))
  Sigmoid,  ///< 1 / (1 + exp(-x))
  Tanh,
};

/// All activations but None, in the order of the enumeration.
const std::vector<Activation> &allActivations();
/// "relu", "clip", "gelu", "gelu-tanh", "silu", "sigmoid", "tanh"; empty for
/// none.
const char *toString(Activation activation);

/// y = activation(scale[k] * conv(x, w) + bias[k] + residual), as far as it has
/// these steps; of dgrad the same of dx and its channels, or, where the
/// activation is a derivative, dx = activation'(act) * dgrad(dy, w).
struct Epilogue {
  bool scale = false; ///< One factor for each channel of the result.
  bool bias = false;  ///< One addend for each channel of the result.
  bool residual = false;
  Activation activation = Activation::None;
  double low = 0, high = 0; ///< Bounds of Clip; else 0.
  /// The activation's derivative is a factor, instead of the activation.
  bool derivative = false;
  /// Of wgrad: the gradient of a bias, the sum of dy over all positions, is a
  /// second result.
  bool biasGradient = false;

  bool any() const { return changesResult() || biasGradient; }
  /// Whether there is a tensor of one number for each channel.
  bool hasChannels() const { return scale || bias || biasGradient; }
  /// Whether there is a step on the sums of the convolution.
  bool changesResult() const {
    return scale || bias || residual || activation != Activation::None;
  }
  /// Whether the activation is more than a choice among exact numbers: its
  /// results are rounded, and depend on how it is computed.
  bool isRounded() const;
  /// Whether sums of integers must become floats for a step other than the
  /// addition of a residual of floats.
  bool needsFloat() const;
  /// The activation of one number. NaN stays NaN.
  double activate(double value) const;
  /// The product of a number and the activation's derivative at x. Where that is
  /// 0 for relu and clip, the result is, whatever the number.
  double differentiate(double value, double x) const;
  /// The magnitude by which errors of the function at x are measured: its own,
  /// or, beside a zero of a derivative, that of the larger of its two terms.
  double largestTerm(double x) const;

  bool operator==(const Epilogue &) const = default;
};

/// "scale,bias,residual,clip:0:6" or "drelu": the steps in their order; empty
/// where there are none.
std::string toString(const Epilogue &epilogue);

/// Parses a list of steps in any order. The error says what was expected and
/// got, without the name of the key.
Result<Epilogue> parseEpilogue(std::string_view text);

} // namespace convmlir

#endif // CONV_PROBLEM_EPILOGUE_H
