//===- RoundToTf32.h - f32 that tensor cores would cut off ------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_SUPPORT_ROUNDTOTF32_H
#define CONV_LIB_TRANSFORMS_SUPPORT_ROUNDTOTF32_H

#include "mlir/IR/Builders.h"

namespace mlir::conv {

/// The elements of a vector of f32, each rounded to tf32, ties away from zero,
/// as TMA rounds what it loads.
Value roundToTf32(OpBuilder &builder, Location loc, Value vector);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_SUPPORT_ROUNDTOTF32_H
