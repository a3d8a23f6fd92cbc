//===- ExpandMath.h - math in terms of instructions -------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What of the math dialect has no instruction becomes arithmetic.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_KERNELTONVVM_EXPANDMATH_H
#define CONV_LIB_CONVERSION_KERNELTONVVM_EXPANDMATH_H

#include "mlir/IR/Operation.h"

namespace mlir::conv {

/// Functions that the instruction set lacks, as polynomials of f32 arithmetic:
/// the same on every target, on the emulator too, and without CUDA's libdevice.
/// Functions of f64 stay.
LogicalResult expandMath(Operation *module);

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_KERNELTONVVM_EXPANDMATH_H
