//===- Upstream.h - the part of upstream MLIR that is used ------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream offers `registerAllDialects` and `registerAllPasses`, which link the
// dialects and code generators of every other target and triple the size of the
// shipped tools. Here is what lies between a convolution and an NVIDIA kernel
// or its run on the CPU, whole: all passes and transform operations of each
// dialect that is listed, not only those that our pipelines call.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PIPELINES_UPSTREAM_H
#define CONV_PIPELINES_UPSTREAM_H

namespace mlir {
class DialectRegistry;
namespace conv {

/// The upstream dialects, their interface implementations, their transform
/// dialect extensions and their translations to LLVM IR.
void registerUpstreamDialects(DialectRegistry &registry);

/// The upstream passes and pipelines, on the command line.
void registerUpstreamPasses();

} // namespace conv
} // namespace mlir

#endif // CONV_PIPELINES_UPSTREAM_H
