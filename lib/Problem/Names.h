//===- Names.h - lists of names in messages ---------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two things that messages and checks do with lists of names.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PROBLEM_NAMES_H
#define CONV_LIB_PROBLEM_NAMES_H

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace convmlir {

inline bool contains(const std::vector<std::string> &names,
                     std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// "a, b, c".
inline std::string join(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

} // namespace convmlir

#endif // CONV_LIB_PROBLEM_NAMES_H
