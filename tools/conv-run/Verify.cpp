//===- Verify.cpp - results against the definition ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"
#include "conv/Reference/Compare.h"
#include "conv/Reference/Reference.h"

#include <algorithm>
#include <cmath>

namespace convmlir {

namespace {
/// Elements of one result as they should be.
struct Expected {
  std::vector<int64_t> positions; ///< Empty: all.
  std::vector<double> values;
};
} // namespace

/// Above so many operations, a sample is verified unless all is asked for.
static constexpr int64_t fullLimit = int64_t(4) << 30;
static constexpr int64_t defaultSamples = 4096;

/// How many elements are compared; 0: all.
static int64_t sampleCount(const Workload &workload,
                           const VerifyRequest &request) {
  if (request.mode == VerifyRequest::Mode::Sample)
    return request.samples;
  bool isLarge =
      workload.problem && workload.problem->geometry.flops() > fullLimit;
  return request.mode == VerifyRequest::Mode::Auto && isLarge ? defaultSamples
                                                              : 0;
}

ReferenceUse referenceUse(const Workload &workload,
                          const VerifyRequest &request) {
  int64_t samples = sampleCount(workload, request);
  bool isSample = workload.problem && samples > 0 &&
                  samples < workload.results.front().numElements();
  return isSample ? ReferenceUse::Sample : ReferenceUse::Full;
}

Status checkReference(const Workload &workload) {
  if (workload.problem)
    return {};
  if (!workload.source)
    return Error{"--verify: the plan was made of '" + workload.plan->problem +
                 "', which is no problem line that this version reads: verify "
                 "what it was made of"};
  if (Status status = workload.source->checkReference(); !status)
    return Error{"--verify: " + status.error() +
                 "; its kernel runs without --verify"};
  return {};
}

//===----------------------------------------------------------------------===//
// References
//===----------------------------------------------------------------------===//

/// T holds the elements of every argument exactly.
template <typename T>
static Result<std::vector<double>>
referenceOf(const Problem &problem, const std::vector<Tensor> &inputs,
            const std::vector<int64_t> &positions,
            const ReferenceOptions &options) {
  std::vector<std::vector<T>> values;
  for (const Tensor &input : inputs) {
    std::vector<double> doubles = input.toDoubles();
    values.emplace_back(doubles.begin(), doubles.end());
  }
  ReferenceArguments<T> arguments(values.begin(), values.end());
  if (positions.empty())
    return computeReference<T>(problem, arguments, options);
  return sampleReference<T>(problem, arguments, positions, options);
}

static Result<std::vector<double>>
referenceOf(const Problem &problem, const std::vector<Tensor> &inputs,
            const std::vector<int64_t> &positions,
            const ReferenceOptions &options, bool needsDouble) {
  return needsDouble ? referenceOf<double>(problem, inputs, positions, options)
                     : referenceOf<float>(problem, inputs, positions, options);
}

static std::vector<int64_t> positionsOf(int64_t elements, int64_t samples) {
  if (samples == 0 || samples >= elements)
    return {};
  return samplePositions(elements, samples, /*seed=*/0);
}

/// Takes the values at the positions.
static void select(Expected &expected, std::vector<double> all) {
  for (int64_t position : expected.positions)
    expected.values.push_back(all[static_cast<size_t>(position)]);
  if (expected.positions.empty())
    expected.values = std::move(all);
}

static Result<std::vector<Expected>>
expect(const Workload &workload, int64_t samples,
       const std::function<void(double)> &onShare) {
  std::vector<Expected> expected(workload.results.size());
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i].positions =
        positionsOf(workload.results[i].numElements(), samples);
  if (workload.problem) {
    const Problem &problem = *workload.problem;
    bool needsDouble = problem.type == "f64" || problem.type == "s8";
    Result<std::vector<double>> values =
        referenceOf(problem, workload.inputs, expected[0].positions,
                    {0, onShare}, needsDouble);
    if (!values)
      return values.takeError();
    expected[0].values = std::move(*values);
    if (problem.epilogue.biasGradient)
      select(expected[1], computeBiasGradient<double>(
                              problem, workload.inputs[1].toDoubles()));
    return expected;
  }
  std::vector<std::vector<double>> arguments;
  for (const Tensor &input : workload.inputs)
    arguments.push_back(input.toDoubles());
  Result<std::vector<std::vector<double>>> values =
      workload.source->evaluate(std::move(arguments), onShare);
  if (!values)
    return values.takeError();
  for (size_t i = 0; i < expected.size(); ++i) {
    select(expected[i], std::move((*values)[i]));
  }
  return expected;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// The largest magnitude, or nothing where an element is no whole number.
static std::optional<double> largestInteger(const Tensor &tensor) {
  double largest = 0;
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    double value = tensor.get(i);
    if (value != std::trunc(value))
      return std::nullopt;
    largest = std::max(largest, std::fabs(value));
  }
  return largest;
}

/// Whether every partial sum is an integer that the accumulation type holds, so
/// that the order of additions does not matter and what an activation is
/// applied to is known to the bit.
static bool isExact(const Workload &workload) {
  if (!workload.problem)
    return false;
  const Problem &problem = *workload.problem;
  std::vector<double> largest;
  for (const Tensor &input : workload.inputs) {
    std::optional<double> magnitude = largestInteger(input);
    if (!magnitude)
      return false;
    largest.push_back(*magnitude);
  }
  double terms = static_cast<double>(problem.geometry.gemmK(problem.kind));
  double bound = largest[0] * largest[1] * terms;
  size_t next = 2;
  if (problem.epilogue.scale)
    bound *= std::max(largest[next++], 1.0);
  for (; next < largest.size(); ++next)
    bound += largest[next];
  // Tensor cores of Hopper sum the products of a block of gemm-k, at most 256,
  // with 14 significant bits.
  constexpr double termsOfBlock = 256, largestOfBlock = 1 << 14;
  if ((problem.type == "e4m3" || problem.type == "e5m2") &&
      largest[0] * largest[1] * std::min(terms, termsOfBlock) > largestOfBlock)
    return false;
  return bound <= largestExactInteger(problem.epilogueType());
}

/// Of a module: that of its least precise step. A rounding to 16 bits on the
/// way may go either way where a sum is close to a tie.
static double toleranceOf(const SourceModule &source,
                          const TensorSpec &result) {
  double most = 0;
  for (const Problem &problem : source.convolutions())
    most = std::max(most, tolerance(problem));
  for (ElementType type : source.computedTypes())
    most = std::max(most, tolerance("f64", toString(type)));
  return std::max(most, tolerance("f64", result.type));
}

static double toleranceOf(const Workload &workload, const TensorSpec &result) {
  if (workload.problem)
    return tolerance(*workload.problem);
  return toleranceOf(*workload.source, result);
}

/// How results are compared: an exact sum is rounded once, by both; a function
/// of one, or one that is its factor, is computed in f32, element by element;
/// all else is measured as a whole.
enum class Comparing { Exactly, Functions, Factors, Norms };

static Comparing comparingOf(const Workload &workload) {
  if (!isExact(workload))
    return Comparing::Norms;
  const Epilogue &epilogue = workload.problem->epilogue;
  if (!epilogue.isRounded())
    return Comparing::Exactly;
  // Ties of what is rounded to integers may go either way.
  if (isInteger(*parseElementType(workload.problem->outType)))
    return Comparing::Norms;
  return epilogue.derivative ? Comparing::Factors : Comparing::Functions;
}

static std::vector<int64_t> coordinates(const TensorSpec &spec,
                                        int64_t position) {
  return indexAt(spec.shape, position);
}

static bool isNotEmpty(const TensorSpec &spec) {
  return spec.numElements() != 0;
}

/// Why no element of a result was compared.
static std::string whyNothing(const TensorSpec &spec) {
  return "nothing to compare: " +
         (isNotEmpty(spec)
              ? "every expected element of " + spec.name + " is NaN"
              : spec.name + " has no elements");
}

static VerifyReport compareResult(const TensorSpec &spec, const Tensor &result,
                                  Expected &expected, Comparing comparing,
                                  double tolerance) {
  std::vector<double> values;
  for (int64_t position : expected.positions)
    values.push_back(result.get(position));
  if (expected.positions.empty())
    values = result.toDoubles();
  // What is rounded to integers has no error of its own below a half.
  if (comparing != Comparing::Norms || isInteger(result.type()))
    for (double &value : expected.values) {
      uint8_t bytes[8] = {};
      storeElement(result.type(), bytes, 0, value);
      value = loadElement(result.type(), bytes, 0);
    }
  if (comparing == Comparing::Exactly)
    tolerance = 0;
  bool isFactor = comparing == Comparing::Factors;
  bool isFunction = comparing == Comparing::Functions || isFactor;
  Comparison found = isFunction ? compareFunctions(values, expected.values,
                                                   spec.type, isFactor)
                                : compare(values, expected.values, tolerance);
  VerifyReport report;
  report.relativeError = found.relativeError;
  report.maxAbsError = found.maxAbsError;
  report.tolerance = tolerance;
  report.compared = found.compared;
  report.passed = found.passed;
  report.mode = expected.positions.empty()
                    ? "full"
                    : "sample:" + std::to_string(expected.positions.size());
  if (found.worstIndex >= 0) {
    if (!expected.positions.empty())
      found.worstIndex =
          expected.positions[static_cast<size_t>(found.worstIndex)];
    report.worstIndex = coordinates(spec, found.worstIndex);
    report.worst = spec.name + " " + describeWorst(found, spec.shape);
  }
  if (found.compared == 0)
    report.worst = whyNothing(spec);
  return report;
}

Result<VerifyReport> verify(const Workload &workload,
                            const std::vector<Tensor> &results,
                            const VerifyRequest &request,
                            const std::function<void(double)> &onShare) {
  Result<std::vector<Expected>> expected =
      expect(workload, sampleCount(workload, request), onShare);
  if (!expected)
    return expected.takeError();
  Comparing comparing = comparingOf(workload);
  std::optional<VerifyReport> worst;
  int64_t compared = 0;
  bool hasElements = std::ranges::any_of(workload.results, isNotEmpty);
  for (size_t i = 0; i < results.size(); ++i) {
    const TensorSpec &spec = workload.results[i];
    // An empty result is as it should be where there are others.
    if (hasElements && !isNotEmpty(spec))
      continue;
    VerifyReport report = compareResult(spec, results[i], (*expected)[i],
                                        comparing, toleranceOf(workload, spec));
    compared += report.compared;
    bool isWorse = !worst || (worst->passed && !report.passed) ||
                   (worst->passed == report.passed &&
                    report.relativeError > worst->relativeError);
    if (isWorse)
      worst = std::move(report);
  }
  if (!worst)
    return Error{"--verify: there is no result to compare"};
  worst->compared = compared;
  return *worst;
}

} // namespace convmlir
