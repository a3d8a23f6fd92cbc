//===- Epilogue.cpp - what follows the sums of a convolution --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Problem/Epilogue.h"
#include "Names.h"

#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>

using namespace convmlir;

const std::vector<Activation> &convmlir::allActivations() {
  static const std::vector<Activation> list{
      Activation::Relu,     Activation::Clip, Activation::Gelu,
      Activation::GeluTanh, Activation::Silu, Activation::Sigmoid,
      Activation::Tanh};
  return list;
}

const char *convmlir::toString(Activation activation) {
  switch (activation) {
  case Activation::None:
    return "";
  case Activation::Relu:
    return "relu";
  case Activation::Clip:
    return "clip";
  case Activation::Gelu:
    return "gelu";
  case Activation::GeluTanh:
    return "gelu-tanh";
  case Activation::Silu:
    return "silu";
  case Activation::Sigmoid:
    return "sigmoid";
  case Activation::Tanh:
    return "tanh";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Meaning
//===----------------------------------------------------------------------===//

bool Epilogue::isRounded() const {
  switch (activation) {
  case Activation::None:
  case Activation::Relu:
  case Activation::Clip:
    return false;
  default:
    return true;
  }
}

bool Epilogue::needsFloat() const {
  auto isWhole = [](double bound) {
    return bound == std::trunc(bound) && std::abs(bound) < 0x1p31;
  };
  // A derivative of clip compares with its bounds, and changes no sum.
  bool isWholeClip = derivative || (isWhole(low) && isWhole(high));
  return scale || isRounded() || !isWholeClip;
}

/// The normal distribution and its density.
static double distribution(double x) {
  return std::erfc(-x / std::numbers::sqrt2) / 2;
}
static double density(double x) {
  return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
}

double Epilogue::activate(double x) const {
  switch (activation) {
  case Activation::None:
    return x;
  case Activation::Relu:
    // Written so that a NaN stays one.
    return x < 0 ? 0.0 : x;
  case Activation::Clip:
    return x < low ? low : x > high ? high : x;
  case Activation::Gelu:
    return x * distribution(x);
  case Activation::GeluTanh: {
    double u = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
    // 1 + tanh(u), without its cancellation.
    return x / (1 + std::exp(-2 * u));
  }
  case Activation::Silu:
    return x / (1 + std::exp(-x));
  case Activation::Sigmoid:
    return 1 / (1 + std::exp(-x));
  case Activation::Tanh:
    return std::tanh(x);
  }
  return x;
}

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

namespace {
/// A derivative as the sum of two terms; where they cancel, its error is that
/// of the larger.
struct Terms {
  double first, second = 0;
};
} // namespace

/// Of the activations that are smooth, without 1 - s(x) for s(-x), whose digits
/// it loses. Beyond 1000 a derivative is 0 or 1.
static Terms derivativeOf(Activation activation, double x) {
  x = x < -1000 ? -1000 : x > 1000 ? 1000 : x;
  switch (activation) {
  case Activation::Gelu:
    return {distribution(x), x * density(x)};
  case Activation::GeluTanh: {
    // Of x s(v) with the sigmoid s and v = 2u.
    double root = std::sqrt(8 / std::numbers::pi);
    double v = root * (x + 0.044715 * x * x * x);
    double slope = root * (1 + 3 * 0.044715 * x * x);
    return {sigmoid(v), sigmoid(v) * sigmoid(-v) * x * slope};
  }
  case Activation::Silu:
    return {sigmoid(x), sigmoid(x) * sigmoid(-x) * x};
  case Activation::Sigmoid:
    return {sigmoid(x) * sigmoid(-x)};
  case Activation::Tanh:
    return {4 * sigmoid(2 * x) * sigmoid(-2 * x)};
  default:
    return {1};
  }
}

double Epilogue::differentiate(double value, double x) const {
  if (activation == Activation::Relu)
    return x > 0 ? value : 0;
  if (activation == Activation::Clip)
    return x > low && x < high ? value : 0;
  Terms terms = derivativeOf(activation, x);
  return (terms.first + terms.second) * value;
}

double Epilogue::largestTerm(double x) const {
  if (!derivative)
    return std::abs(activate(x));
  if (!isRounded())
    return 1;
  Terms terms = derivativeOf(activation, x);
  double sum = terms.first + terms.second;
  return std::fmax(std::abs(sum),
                   std::fmax(std::abs(terms.first), std::abs(terms.second)));
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// The shortest text that reads as the number.
static std::string printNumber(double value) {
  char text[32];
  auto [end, code] = std::to_chars(text, text + sizeof text, value);
  return std::string(text, end);
}

static std::string printActivation(const Epilogue &epilogue) {
  std::string text = epilogue.derivative ? "d" : "";
  text += toString(epilogue.activation);
  if (epilogue.activation != Activation::Clip)
    return text;
  for (double bound : {epilogue.low, epilogue.high})
    text.append(":").append(printNumber(bound));
  return text;
}

std::string convmlir::toString(const Epilogue &epilogue) {
  std::string text;
  auto add = [&](bool present, const std::string &name) {
    if (present)
      text.append(text.empty() ? "" : ",").append(name);
  };
  add(epilogue.scale, "scale");
  add(epilogue.bias, "bias");
  add(epilogue.residual, "residual");
  add(epilogue.biasGradient, "dbias");
  add(epilogue.activation != Activation::None, printActivation(epilogue));
  return text;
}

static std::optional<double> parseNumber(std::string_view text) {
  double value = 0;
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() ||
      !std::isfinite(value))
    return std::nullopt;
  return value;
}

/// "LOW:HIGH", of the step that is written as `step`.
static Status parseBounds(std::string_view text, std::string_view step,
                          Epilogue &epilogue) {
  size_t colon = text.find(':');
  std::optional<double> low = parseNumber(text.substr(0, colon)), high;
  if (colon != text.npos)
    high = parseNumber(text.substr(colon + 1));
  if (!low || !high || *low > *high)
    return Error{std::string(epilogue.derivative ? "d" : "") +
                 "clip:LOW:HIGH with two numbers, LOW not above HIGH, got '" +
                 std::string(step) + "'"};
  epilogue.low = *low;
  epilogue.high = *high;
  return {};
}

static std::string expectedSteps() {
  std::string names = "a list of scale, bias, residual and one of ";
  for (Activation activation : allActivations())
    names += (activation == allActivations().front() ? "" : ", ") +
             std::string(activation == Activation::Clip ? "clip:LOW:HIGH"
                                                        : toString(activation));
  return names + ", each at most once, or of dgrad the derivative of one, such "
                 "as drelu, or of wgrad dbias";
}

/// The activation of that name; None where there is none.
static Activation activationOf(std::string_view name) {
  for (Activation activation : allActivations())
    if (name == toString(activation))
      return activation;
  return Activation::None;
}

static Status parseStep(std::string_view text, Epilogue &epilogue) {
  auto unexpected = [&](const char *why) {
    return Error{expectedSteps() + ", got '" + std::string(text) + "'" + why};
  };
  bool *flag = text == "scale"      ? &epilogue.scale
               : text == "bias"     ? &epilogue.bias
               : text == "residual" ? &epilogue.residual
               : text == "dbias"    ? &epilogue.biasGradient
                                    : nullptr;
  if (flag) {
    if (*flag)
      return unexpected(" twice");
    *flag = true;
    return {};
  }
  size_t colon = text.find(':');
  Activation activation = activationOf(text.substr(0, colon));
  bool derivative = activation == Activation::None && text.starts_with("d");
  if (derivative)
    activation = activationOf(text.substr(1, colon - 1));
  bool isClip = activation == Activation::Clip;
  if (activation == Activation::None || (!isClip && colon != text.npos))
    return unexpected("");
  if (epilogue.activation == activation && epilogue.derivative == derivative)
    return unexpected(" twice");
  if (epilogue.activation != Activation::None)
    return unexpected(
        (std::string(" after ") + toString(epilogue.activation)).c_str());
  epilogue.activation = activation;
  epilogue.derivative = derivative;
  if (!isClip)
    return {};
  return parseBounds(colon == text.npos ? "" : text.substr(colon + 1), text,
                     epilogue);
}

Result<Epilogue> convmlir::parseEpilogue(std::string_view text) {
  Epilogue epilogue;
  for (;;) {
    size_t comma = text.find(',');
    if (Status status = parseStep(text.substr(0, comma), epilogue); !status)
      return status.takeError();
    if (comma == text.npos)
      return epilogue;
    text.remove_prefix(comma + 1);
  }
}
