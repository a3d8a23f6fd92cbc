//===- ImportPrecision.h - what an import makes more precise ----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Questions about operations of linalg that convert-linalg-to-conv will see, or
// has left.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CONVERSION_IMPORTPRECISION_H
#define CONV_CONVERSION_IMPORTPRECISION_H

#include "conv/Support/Precision.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <string>

namespace mlir::conv {

/// Whether the operation becomes a convolution whose sums of floats have more
/// precision than the text gives them, unless that is asked to be kept.
bool gainsPrecision(linalg::LinalgOp op);

/// Why the operation, which was not imported with this precision, is no
/// convolution; empty where nobody would expect it to be one.
std::string explainNoConvolution(linalg::LinalgOp op,
                                 convmlir::Precision precision);

} // namespace mlir::conv

#endif // CONV_CONVERSION_IMPORTPRECISION_H
