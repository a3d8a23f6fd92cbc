//===- Criteria.h - which convolutions a script means -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: what a script names of convolutions. Output: why no convolution has
// it, or why an operation has it not.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_SCRIPT_CRITERIA_H
#define CONV_LIB_SCRIPT_CRITERIA_H

#include "mlir/IR/BuiltinAttributes.h"
#include <optional>
#include <string>

namespace mlir::conv {

/// All that are there must hold.
struct Criteria {
  std::optional<StringRef> kind;
  std::optional<ArrayRef<int64_t>> filter, stride;
  DictionaryAttr extents; ///< Null for none.
  std::optional<Type> elementType;
};

/// Why no convolution can have them; empty if one can.
std::string whyNever(const Criteria &criteria);

/// Why `op` is no convolution that has them; empty if it is one.
std::string whyNoMatch(Operation *op, const Criteria &criteria);

} // namespace mlir::conv

#endif // CONV_LIB_SCRIPT_CRITERIA_H
