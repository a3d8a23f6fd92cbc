//===- TextFormat.h - numbers and rows of reports ---------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_TEXTFORMAT_H
#define CONV_TOOLS_SUPPORT_TEXTFORMAT_H

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

namespace convmlir {

/// A number as printf has it; the format has one conversion of a double.
inline std::string formatNumber(const char *format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// A line of a report: its name in a column, then the text.
inline std::string formatRow(std::string_view name, std::string_view text) {
  constexpr size_t columns = 11;
  std::string row(name);
  row.resize(std::max(row.size() + 1, columns), ' ');
  return row.append(text) + '\n';
}

} // namespace convmlir

#endif // CONV_TOOLS_SUPPORT_TEXTFORMAT_H
