//===- Verify.cpp - results against the definition ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"
#include "conv/Reference/Compare.h"
#include "conv/Reference/Expected.h"

#include <algorithm>
#include <optional>

namespace convmlir {

namespace {
/// Elements of one result as they should be.
struct Sample {
  std::vector<int64_t> positions; ///< Empty: all.
  Expected expected;
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
static Result<Expected> expectedOf(const Problem &problem,
                                   const std::vector<Tensor> &inputs,
                                   const std::vector<int64_t> &positions,
                                   const ReferenceOptions &options) {
  std::vector<std::vector<T>> values;
  for (const Tensor &input : inputs) {
    std::vector<double> doubles = input.toDoubles();
    values.emplace_back(doubles.begin(), doubles.end());
  }
  ReferenceArguments<T> arguments(values.begin(), values.end());
  return computeExpected<T>(problem, arguments, positions, options);
}

static Result<Expected> expectedOf(const Problem &problem,
                                   const std::vector<Tensor> &inputs,
                                   const std::vector<int64_t> &positions,
                                   const ReferenceOptions &options) {
  bool needsDouble = problem.type == "f64" || problem.type == "s8";
  return needsDouble ? expectedOf<double>(problem, inputs, positions, options)
                     : expectedOf<float>(problem, inputs, positions, options);
}

static std::vector<int64_t> positionsOf(int64_t elements, int64_t samples) {
  if (samples == 0 || samples >= elements)
    return {};
  return samplePositions(elements, samples, /*seed=*/0);
}

static void keep(std::vector<double> &values,
                 const std::vector<int64_t> &positions) {
  std::vector<double> kept;
  for (int64_t position : positions)
    kept.push_back(values[static_cast<size_t>(position)]);
  values = std::move(kept);
}

/// Takes the elements at the positions.
static void select(Sample &sample, Expected all) {
  if (!sample.positions.empty()) {
    keep(all.values, sample.positions);
    keep(all.errors, sample.positions);
    if (!all.magnitudes.empty())
      keep(all.magnitudes, sample.positions);
  }
  sample.expected = std::move(all);
}

static Status expectProblem(const Workload &workload,
                            std::vector<Sample> &samples,
                            const std::function<void(double)> &onShare) {
  const Problem &problem = *workload.problem;
  Result<Expected> expected =
      expectedOf(problem, workload.inputs, samples[0].positions, {0, onShare});
  if (!expected)
    return expected.takeError();
  samples[0].expected = std::move(*expected);
  if (problem.epilogue.biasGradient)
    select(samples[1], computeExpectedBiasGradient<double>(
                           problem, workload.inputs[1].toDoubles()));
  return {};
}

/// Of a module: that of its least precise step, none where it has no floats. A
/// rounding to 16 bits on the way may go either way where a sum is close to a tie.
static double toleranceOf(const SourceModule &source,
                          const TensorSpec &result) {
  if (!source.hasFloats())
    return 0;
  double most = 0;
  for (const Problem &problem : source.convolutions())
    most = std::max(most, tolerance(problem));
  for (ElementType type : source.computedTypes())
    most = std::max(most, tolerance("f64", toString(type)));
  return std::max(most, tolerance("f64", result.type));
}

static double toleranceOf(const Workload &workload, const TensorSpec &result) {
  if (!workload.problem)
    return toleranceOf(*workload.source, result);
  return result == workload.results.front()
             ? tolerance(*workload.problem)
             : biasGradientTolerance(*workload.problem);
}

static Status expectModule(const Workload &workload,
                           std::vector<Sample> &samples,
                           const std::function<void(double)> &onShare) {
  std::vector<std::vector<double>> arguments;
  for (const Tensor &input : workload.inputs)
    arguments.push_back(input.toDoubles());
  Result<std::vector<ReferenceTensor>> results =
      workload.source->evaluate(std::move(arguments), onShare);
  if (!results)
    return results.takeError();
  for (size_t i = 0; i < samples.size(); ++i) {
    double tolerance = toleranceOf(workload, workload.results[i]);
    auto &[values, magnitudes] = (*results)[i];
    Expected expected{
        std::move(values), {}, std::move(magnitudes), tolerance == 0};
    expected.errors =
        boundsOfTolerance(expected.values, expected.magnitudes, tolerance);
    select(samples[i], std::move(expected));
  }
  return {};
}

static Result<std::vector<Sample>>
expect(const Workload &workload, int64_t samples,
       const std::function<void(double)> &onShare) {
  std::vector<Sample> expected(workload.results.size());
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i].positions =
        positionsOf(workload.results[i].numElements(), samples);
  Status status = workload.problem ? expectProblem(workload, expected, onShare)
                                   : expectModule(workload, expected, onShare);
  if (!status)
    return status.takeError();
  return expected;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

static bool isNotEmpty(const TensorSpec &spec) {
  return spec.numElements() != 0;
}

Result<VerifyReport> verify(const Workload &workload,
                            const std::vector<Tensor> &results,
                            const VerifyRequest &request,
                            const std::function<void(double)> &onShare) {
  Result<std::vector<Sample>> samples =
      expect(workload, sampleCount(workload, request), onShare);
  if (!samples)
    return samples.takeError();
  std::optional<VerifyReport> worst;
  int64_t compared = 0;
  bool hasElements = std::ranges::any_of(workload.results, isNotEmpty);
  for (size_t i = 0; i < results.size(); ++i) {
    // An empty result is as it should be where there are others.
    if (hasElements && !isNotEmpty(workload.results[i]))
      continue;
    const TensorSpec &spec = workload.results[i];
    VerifyReport report =
        compareResult(spec, results[i], (*samples)[i].positions,
                      (*samples)[i].expected, toleranceOf(workload, spec));
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
