//===- BufferizableMatrixOps.h - buffers for matrices -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_TRANSFORMS_BUFFERIZABLEMATRIXOPS_H
#define CONV_DIALECT_CONV_TRANSFORMS_BUFFERIZABLEMATRIXOPS_H

namespace mlir {
class DialectRegistry;
namespace conv {

/// Attaches BufferizableOpInterface to conv.im2col and conv.scatter.
void registerBufferizableMatrixOps(DialectRegistry &registry);

} // namespace conv
} // namespace mlir

#endif // CONV_DIALECT_CONV_TRANSFORMS_BUFFERIZABLEMATRIXOPS_H
