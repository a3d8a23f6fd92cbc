//===- LineDiff.h - which lines of two texts are the same -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: two texts. Output: their lines side by side. What is the same stands
// in one row, what is in one of them only beside nothing.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_LINEDIFF_H
#define CONV_TOOLS_SUPPORT_LINEDIFF_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convmlir {

/// Lines of both texts, or of one.
struct DiffRow {
  std::optional<size_t> left, right; ///< Places in the lists of lines.

  bool isSame() const { return left && right; }
  bool operator==(const DiffRow &) const = default;
};

std::vector<std::string_view> splitLines(std::string_view text);

/// A line of IR without what changes with its place: its indentation, and the
/// numbers of its values.
///
///   "  %12 = arith.addi %c0, %3#1 : index"  →  "% = arith.addi %, % : index"
std::string withoutNames(std::string_view line);

/// The rows, in order: each line of either text is in one of them. Lines are
/// the same where their keys are.
std::vector<DiffRow> diffLines(const std::vector<std::string> &left,
                               const std::vector<std::string> &right);

} // namespace convmlir

#endif // CONV_TOOLS_SUPPORT_LINEDIFF_H
