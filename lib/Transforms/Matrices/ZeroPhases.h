//===- ZeroPhases.h - phases that no tap reaches ----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of the stride phases of a dgrad whose filter is narrower than the stride,
// some are all zeros. Where all but one are, that one can be stored together
// with the zeros between its positions: a `conv.scatter` with zero_fill.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_MATRICES_ZEROPHASES_H
#define CONV_LIB_TRANSFORMS_MATRICES_ZEROPHASES_H

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::conv {

/// Of a chain of scatters, the one that is not of zeros, if all else that the
/// chain writes is between its positions; null where there is none.
ScatterOp findAmongZeros(ArrayRef<ScatterOp> chain);

/// Whether a kernel makes what the chain scatters, and not parts of it: phases
/// that no tap reaches are filled.
bool isMadeByOneKernel(ArrayRef<ScatterOp> chain);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_MATRICES_ZEROPHASES_H
