//===- ReferenceTensor.h - what a tensor should be --------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_INTERPRETER_REFERENCETENSOR_H
#define CONV_INTERPRETER_REFERENCETENSOR_H

#include <vector>

namespace convmlir {

/// A dense tensor, row-major.
struct ReferenceTensor {
  std::vector<double> values;
  /// How large what made up each element was, at least its absolute value: what
  /// cancels in a value does not cancel in its error (docs/ConvRun.md, "What
  /// may differ").
  std::vector<double> magnitudes;
};

} // namespace convmlir

#endif // CONV_INTERPRETER_REFERENCETENSOR_H
