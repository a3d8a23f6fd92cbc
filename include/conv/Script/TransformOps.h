//===- TransformOps.h - operations of scripts -------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations of the transform dialect, with which a script picks convolutions
// and decides how they run.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCRIPT_TRANSFORMOPS_H
#define CONV_SCRIPT_TRANSFORMOPS_H

#include "conv/Dialect/Conv/IR/ConvDialect.h"

#include "mlir/Dialect/Transform/Interfaces/MatchInterfaces.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/IR/OpImplementation.h"

#define GET_OP_CLASSES
#include "conv/Script/TransformOps.h.inc"

namespace mlir {
class DialectRegistry;
namespace conv {

/// Adds `transform.conv.*` to the transform dialect.
void registerTransformDialectExtension(DialectRegistry &registry);

} // namespace conv
} // namespace mlir

#endif // CONV_SCRIPT_TRANSFORMOPS_H
