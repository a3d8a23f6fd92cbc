//===- ParserTrial.h - the parser's own faults ------------------*- C++ -*-===//
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

#ifndef CONV_SUPPORT_PARSERTRIAL_H
#define CONV_SUPPORT_PARSERTRIAL_H

#include "conv/Support/Result.h"

#include <functional>
#include <string>
#include <string_view>

namespace convmlir {

/// Runs `parse`, which parses `text` (or bytecode), in a child process. Fails
/// where that process dies or does not come to an end, and where the text is
/// nested too deeply to be tried; `name` is what the message calls the text.
/// Text that is merely wrong does not fail here: parsing it says what is wrong
/// with it.
Status tryParser(std::string_view text, const std::string &name,
                 const std::function<void()> &parse);

} // namespace convmlir

#endif // CONV_SUPPORT_PARSERTRIAL_H
