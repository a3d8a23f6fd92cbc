//===- Registration.h - everything the tools know ---------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PIPELINES_REGISTRATION_H
#define CONV_PIPELINES_REGISTRATION_H

namespace mlir {
class DialectRegistry;
namespace conv {

/// Adds the dialects conv and engine, the upstream dialects that their
/// pipelines pass through, and interface implementations to `registry`.
void registerDialects(DialectRegistry &registry);

/// Every pass and pipeline of this project on the command line.
void registerPasses();

/// registerDialects, registerPasses and the upstream passes around them.
void registerAll(DialectRegistry &registry);

} // namespace conv
} // namespace mlir

#endif // CONV_PIPELINES_REGISTRATION_H
