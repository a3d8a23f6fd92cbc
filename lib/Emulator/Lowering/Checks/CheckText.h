//===- CheckText.h - text that MLIR's parser survives -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parser takes the position in an aggregate modulo 2^32 where it checks it
// and whole where it uses it, and calls itself for every bracket within another
// (docs/Upstream.md). What no kernel has is refused in front of it.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_LOWERING_CHECKS_CHECKTEXT_H
#define CONV_LIB_EMULATOR_LOWERING_CHECKS_CHECKTEXT_H

#include "conv/Support/Result.h"

#include <string>
#include <string_view>

namespace convmlir::emu {

/// Refuses text with brackets nested too deeply (BracketNesting.h), and with
/// numbers of more than 31 bits in lists such as positions. The error begins
/// with `name` and names the line.
Status checkText(std::string_view text, const std::string &name);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_LOWERING_CHECKS_CHECKTEXT_H
