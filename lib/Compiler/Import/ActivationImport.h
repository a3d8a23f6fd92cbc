//===- ActivationImport.h - activations as scalar arithmetic ----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The activations of a problem and their derivatives, as operations on one
// element. Those of exact numbers are for floats and integers, the others for
// f32.
//
// Errors, with the device's exp2 (2 units in the last place): at most 8 units
// of f32, over all finite numbers; beside a zero of a derivative, of the larger
// of its two terms. Where functions may be approximate, the error is at most
// 2^-12 of the result, and 2^-119 where that is smaller than any normal number
// of f32 should be.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_COMPILER_IMPORT_ACTIVATIONIMPORT_H
#define CONV_LIB_COMPILER_IMPORT_ACTIVATIONIMPORT_H

#include "ScalarBuilder.h"
#include "conv/Problem/Epilogue.h"

namespace mlir::conv {

/// activation(x).
Value buildActivation(ScalarBuilder &build, const convmlir::Epilogue &epilogue,
                      Value x);

/// The derivative of an activation that is smooth, at x of f32.
Value buildDerivative(ScalarBuilder &build, convmlir::Activation activation,
                      Value x);

} // namespace mlir::conv

#endif // CONV_LIB_COMPILER_IMPORT_ACTIVATIONIMPORT_H
