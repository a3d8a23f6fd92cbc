//===- Precision.h - whose precision floats have ----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products and sums of floats in an imported text: docs/ConvRun.md says what
// each choice means. Integers are always what the text says.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SUPPORT_PRECISION_H
#define CONV_SUPPORT_PRECISION_H

#include <optional>
#include <string_view>

namespace convmlir {

enum class Precision {
  More, ///< At least that of the text: what tensor cores have.
  Text, ///< That of the text; what convolutions have not stays as written.
};

/// "more" or "text"; nothing for another name.
inline std::optional<Precision> parsePrecision(std::string_view name) {
  if (name == "more")
    return Precision::More;
  if (name == "text")
    return Precision::Text;
  return std::nullopt;
}

} // namespace convmlir

#endif // CONV_SUPPORT_PRECISION_H
