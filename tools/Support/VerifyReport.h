//===- VerifyReport.h - a result against what is expected -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_VERIFYREPORT_H
#define CONV_TOOLS_SUPPORT_VERIFYREPORT_H

#include "conv/Problem/Problem.h"
#include "conv/Reference/Expected.h"
#include "conv/Runtime/Tensor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace convmlir {

struct VerifyReport {
  std::string mode; ///< "full" or "sample:N".
  double relativeError = 0;
  double maxAbsError = 0;
  std::vector<int64_t> worstIndex; ///< Empty where nothing differs.
  double tolerance = 0;            ///< 0: exact.
  std::string worst;               ///< For people: also why nothing differs.
  int64_t compared = 0; ///< Elements of all results whose reference is no NaN.
  bool passed = false;
};

/// Compares the elements of a result at these positions (none: all) with what
/// is expected there. Where no element has an error, nothing but the expected
/// numbers, rounded once, is right, whatever `tolerance` is. A result of which
/// no element was compared has not passed.
VerifyReport compareResult(const TensorSpec &spec, const Tensor &result,
                           const std::vector<int64_t> &positions,
                           const Expected &expected, double tolerance);

/// "full: passed, relative error …": what the report says, for people.
std::string describe(const VerifyReport &report);

} // namespace convmlir

#endif // CONV_TOOLS_SUPPORT_VERIFYREPORT_H
