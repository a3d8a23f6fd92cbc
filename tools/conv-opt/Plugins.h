//===- Plugins.h - libraries of passes and dialects -------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream ignores a plugin that it cannot load, and ends with status 0. Input:
// the command line. Output: an error for the first plugin that is none.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_OPT_PLUGINS_H
#define CONV_TOOLS_CONV_OPT_PLUGINS_H

#include "conv/Support/Result.h"

#include "llvm/ADT/ArrayRef.h"

namespace convmlir {

/// Loads what --load-pass-plugin and --load-dialect-plugin name. Upstream then
/// finds these libraries loaded, and registers what they have.
Status tryPlugins(llvm::ArrayRef<const char *> arguments);

} // namespace convmlir

#endif // CONV_TOOLS_CONV_OPT_PLUGINS_H
