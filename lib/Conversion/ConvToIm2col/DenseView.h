//===- DenseView.h - matrices that are their tensor -------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_CONVTOIM2COL_DENSEVIEW_H
#define CONV_LIB_CONVERSION_CONVTOIM2COL_DENSEVIEW_H

#include "conv/Geometry/MatrixView.h"

namespace mlir::conv {

/// Whether the matrix is the tensor in another shape: every dimension is wholly
/// rows or wholly taps, and no row lies inside of a tap.
bool isTensorItself(const convmlir::MatrixView &view);

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_CONVTOIM2COL_DENSEVIEW_H
