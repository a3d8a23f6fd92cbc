//===- ParserGuard.h - the parser's own faults ------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's parser and verifier have faults that end the process (docs/Upstream.md
// has the known ones). Text of somebody else's is parsed in a child first.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_COMPILER_PARSERGUARD_H
#define CONV_COMPILER_PARSERGUARD_H

#include "conv/Support/Result.h"

#include <string>
#include <string_view>

namespace convmlir {

/// Parses and verifies `text` (or bytecode) in a child process. Fails where
/// that process dies or does not come to an end; `name` is what the message
/// calls the text. Text that is merely wrong does not fail here: parsing it
/// says what is wrong with it.
Status checkParser(std::string_view text, const std::string &name);

} // namespace convmlir

#endif // CONV_COMPILER_PARSERGUARD_H
