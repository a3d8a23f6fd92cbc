//===- ResultChecks.cpp - what came out of a launch -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ResultChecks.h.
//
//===----------------------------------------------------------------------===//

#include "ResultChecks.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace convmlir {

void printSums(const std::vector<KernelArgument> &arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const KernelArgument &argument = arguments[i];
    if (!argument.isBuffer())
      continue;
    double sum = 0, weighted = 0;
    size_t nans = 0;
    for (size_t e = 0; e < argument.count(); ++e) {
      double value = argument.element(e);
      if (value != value) {
        ++nans;
        continue;
      }
      sum += value;
      weighted += value * double(e % 97 + 1);
    }
    llvm::outs() << llvm::formatv(
        "arg {0}: sum {1:f0} weighted {2:f0} nans {3}\n", i, sum, weighted,
        nans);
  }
}

Status printElements(const std::vector<KernelArgument> &arguments,
                     unsigned index) {
  if (index >= arguments.size() || !arguments[index].isBuffer())
    return Error{"--print=" + std::to_string(index) + ": no such buffer"};
  llvm::outs() << "arg " << index << ':';
  for (size_t e = 0; e < arguments[index].count(); ++e)
    llvm::outs() << ' ' << llvm::format("%.10g", arguments[index].element(e));
  llvm::outs() << '\n';
  return {};
}

static bool isElement(const char *check, const KernelArgument &result,
                      size_t index, double expected) {
  double actual = result.element(index);
  if (actual == expected)
    return true;
  llvm::outs() << llvm::formatv("{0}: element {1} is {2}, expected {3}\n",
                                check, index, actual, expected);
  return false;
}

bool checkGemm(const std::vector<KernelArgument> &arguments,
               const GemmProblem &problem) {
  auto [m, n, k, aMn, bMn] = problem;
  const KernelArgument &a = arguments[0], &b = arguments[1];
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) {
      double expected = 0;
      for (size_t l = 0; l < k; ++l)
        expected += a.element(aMn ? l * m + i : i * k + l) *
                    b.element(bMn ? l * n + j : j * k + l);
      if (!isElement("gemm", arguments[2], i * n + j, expected))
        return false;
    }
  llvm::outs() << "gemm: exact\n";
  return true;
}

/// One output element: pixel (n, p, q), channel k.
static double convolve(const KernelArgument &x, const KernelArgument &w,
                       const ForwardProblem &problem, int64_t n, int64_t p,
                       int64_t q, int64_t k) {
  double sum = 0;
  for (int64_t r = 0; r < problem.r; ++r)
    for (int64_t s = 0; s < problem.s; ++s) {
      int64_t h = p * problem.stride - problem.padding + r;
      int64_t v = q * problem.stride - problem.padding + s;
      if (h < 0 || h >= problem.h || v < 0 || v >= problem.w)
        continue;
      int64_t pixel = ((n * problem.h + h) * problem.w + v) * problem.c;
      int64_t tap = ((k * problem.r + r) * problem.s + s) * problem.c;
      for (int64_t c = 0; c < problem.c; ++c)
        sum += x.element(pixel + c) * w.element(tap + c);
    }
  return sum;
}

bool checkForward(const std::vector<KernelArgument> &arguments,
                  const ForwardProblem &problem) {
  auto extent = [&](int64_t in, int64_t taps) {
    return (in + 2 * problem.padding - taps) / problem.stride + 1;
  };
  size_t index = 0;
  for (int64_t n = 0; n < problem.n; ++n)
    for (int64_t p = 0; p < extent(problem.h, problem.r); ++p)
      for (int64_t q = 0; q < extent(problem.w, problem.s); ++q)
        for (int64_t k = 0; k < problem.k; ++k, ++index)
          if (!isElement(
                  "forward", arguments[2], index,
                  convolve(arguments[0], arguments[1], problem, n, p, q, k)))
            return false;
  llvm::outs() << "forward: exact\n";
  return true;
}

} // namespace convmlir
