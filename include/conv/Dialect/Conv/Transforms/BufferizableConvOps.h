//===- BufferizableConvOps.h - convolutions on buffers ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_TRANSFORMS_BUFFERIZABLECONVOPS_H
#define CONV_DIALECT_CONV_TRANSFORMS_BUFFERIZABLECONVOPS_H

namespace mlir {
class DialectRegistry;
namespace conv {

/// Lets one-shot bufferisation turn conv.forward, conv.dgrad and conv.wgrad
/// into the same operations on memrefs.
void registerBufferizableConvOps(DialectRegistry &registry);

} // namespace conv
} // namespace mlir

#endif // CONV_DIALECT_CONV_TRANSFORMS_BUFFERIZABLECONVOPS_H
