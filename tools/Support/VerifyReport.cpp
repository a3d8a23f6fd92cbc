//===- VerifyReport.cpp - a result against what is expected ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/VerifyReport.h"
#include "Support/TextFormat.h"
#include "conv/Reference/Compare.h"

#include <algorithm>

namespace convmlir {

/// Why no element of a result was compared.
static std::string whyNothing(const TensorSpec &spec) {
  return "nothing to compare: " +
         (spec.numElements() != 0
              ? "every expected element of " + spec.name + " is NaN"
              : spec.name + " has no elements");
}

/// Whether nothing but the exact sums, rounded once, is right.
static bool isExact(const Expected &expected) {
  return std::ranges::all_of(expected.errors,
                             [](double error) { return error == 0; });
}

static std::vector<double> elementsAt(const Tensor &result,
                                      const std::vector<int64_t> &positions) {
  if (positions.empty())
    return result.toDoubles();
  std::vector<double> values;
  for (int64_t position : positions)
    values.push_back(result.get(position));
  return values;
}

VerifyReport compareResult(const TensorSpec &spec, const Tensor &result,
                           const std::vector<int64_t> &positions,
                           const Expected &expected, double tolerance) {
  VerifyReport report;
  report.tolerance = isExact(expected) ? 0 : tolerance;
  Comparison found = compareExpected(elementsAt(result, positions), expected,
                                     result.type(), report.tolerance);
  report.relativeError = found.relativeError;
  report.maxAbsError = found.maxAbsError;
  report.compared = found.compared;
  report.passed = found.passed;
  report.mode =
      positions.empty() ? "full" : "sample:" + std::to_string(positions.size());
  if (found.worstIndex >= 0) {
    if (!positions.empty())
      found.worstIndex = positions[static_cast<size_t>(found.worstIndex)];
    report.worstIndex = indexAt(spec.shape, found.worstIndex);
    report.worst = spec.name + " " + describeWorst(found, spec.shape);
  }
  if (found.compared == 0)
    report.worst = whyNothing(spec);
  return report;
}

std::string describe(const VerifyReport &report) {
  std::string text = report.mode + ": " + (report.passed ? "passed" : "FAILED");
  if (report.compared == 0)
    return text + ", " + report.worst;
  text += ", relative error " + formatNumber("%.3g", report.relativeError) +
          " (at most " + formatNumber("%.3g", report.tolerance) +
          "), largest difference " + formatNumber("%.3g", report.maxAbsError) +
          " in " + std::to_string(report.compared) +
          (report.compared == 1 ? " element" : " elements");
  if (!report.worstIndex.empty())
    text += ": " + report.worst;
  return text;
}

} // namespace convmlir
