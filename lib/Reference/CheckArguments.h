//===- CheckArguments.h - the arguments a problem needs ---------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests the number of arguments and of their elements.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_REFERENCE_CHECKARGUMENTS_H
#define CONV_LIB_REFERENCE_CHECKARGUMENTS_H

#include "conv/Reference/Reference.h"

namespace convmlir {

/// The problem's rules, then whether every argument has its size.
template <typename T>
Status checkArguments(const Problem &problem,
                      const ReferenceArguments<T> &arguments) {
  if (Status status = problem.check(); !status)
    return status;
  std::vector<TensorSpec> specs = problem.arguments();
  if (arguments.size() != specs.size())
    return Error{"the reference needs " + std::to_string(specs.size()) +
                 " arguments, got " + std::to_string(arguments.size())};
  for (size_t i = 0; i < specs.size(); ++i)
    if (static_cast<int64_t>(arguments[i].size()) != specs[i].numElements())
      return Error{specs[i].name + " needs " +
                   std::to_string(specs[i].numElements()) + " elements, got " +
                   std::to_string(arguments[i].size())};
  return {};
}

} // namespace convmlir

#endif // CONV_LIB_REFERENCE_CHECKARGUMENTS_H
