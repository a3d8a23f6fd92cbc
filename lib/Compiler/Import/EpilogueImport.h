//===- EpilogueImport.h - the epilogue of a problem as IR -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of the elementwise operation behind a convolution, as scalars.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_COMPILER_IMPORT_EPILOGUEIMPORT_H
#define CONV_LIB_COMPILER_IMPORT_EPILOGUEIMPORT_H

#include "conv/Problem/Problem.h"

#include "mlir/IR/Builders.h"

namespace mlir::conv {

/// activation(scale * sum + bias + residual + old), or
/// activation'(act) * (sum + old), rounded once to the type of the result.
/// Scale and bias are one fused multiply-add, and what is added to integers
/// saturates.
/// `sum` has the accumulation type, `operands` are those of the problem behind
/// its first two. Functions and divisions may be approximate
/// (`afn`) where the result has 16 bits or fewer.
Value buildEpilogue(OpBuilder &builder, Location loc,
                    const convmlir::Problem &problem, Value sum,
                    ValueRange operands, Type resultType);

/// The sum of two numbers, in the type of the first, which the second fits;
/// integers wrap.
Value addConverted(OpBuilder &builder, Location loc, Value sum, Value value);

} // namespace mlir::conv

#endif // CONV_LIB_COMPILER_IMPORT_EPILOGUEIMPORT_H
