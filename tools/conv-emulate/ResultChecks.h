//===- ResultChecks.h - what came out of a launch ---------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints and checks the buffers of conv-emulate after a launch.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_EMULATE_RESULTCHECKS_H
#define CONV_TOOLS_CONV_EMULATE_RESULTCHECKS_H

#include "KernelArgument.h"

namespace convmlir {

/// The sum and a weighted sum over each buffer.
void printSums(const std::vector<KernelArgument> &arguments);

/// The elements of one buffer.
Status printElements(const std::vector<KernelArgument> &arguments,
                     unsigned index);

struct GemmProblem {
  size_t m, n, k;
  /// Stored as KxM and KxN.
  bool aMn, bMn;
};

/// Whether argument 2 is argument 0 times the transpose of argument 1; prints
/// the first element that is not.
bool checkGemm(const std::vector<KernelArgument> &arguments,
               const GemmProblem &problem);

struct ForwardProblem {
  int64_t n, h, w, c, k, r, s, padding, stride;
};

/// Whether argument 2 is the convolution of argument 0 with argument 1.
bool checkForward(const std::vector<KernelArgument> &arguments,
                  const ForwardProblem &problem);

} // namespace convmlir

#endif // CONV_TOOLS_CONV_EMULATE_RESULTCHECKS_H
