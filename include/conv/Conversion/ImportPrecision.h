//===- ImportPrecision.h - what an import makes more precise ----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A question about operations of linalg that convert-linalg-to-conv will see.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CONVERSION_IMPORTPRECISION_H
#define CONV_CONVERSION_IMPORTPRECISION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::conv {

/// Whether the operation becomes a convolution whose sums of floats have more
/// precision than the text gives them, unless that is asked to be kept.
bool gainsPrecision(linalg::LinalgOp op);

} // namespace mlir::conv

#endif // CONV_CONVERSION_IMPORTPRECISION_H
