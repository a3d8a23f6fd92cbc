//===- Patterns.h - how an operation becomes simpler ------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Patterns for upstream's reduction-tree pass, which tries them on ranges of
// operations and keeps what is still of interest.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_REDUCE_PATTERNS_H
#define CONV_TOOLS_CONV_REDUCE_PATTERNS_H

namespace mlir {
class DialectRegistry;
}

namespace convmlir::reducer {

/// Adds the patterns to the conv dialect, from which the pass takes them.
void registerReductionPatterns(mlir::DialectRegistry &registry);

} // namespace convmlir::reducer

#endif // CONV_TOOLS_CONV_REDUCE_PATTERNS_H
