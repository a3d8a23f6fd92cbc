//===- DepthwiseTiles.h - workgroups of depthwise sums ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_TILING_DEPTHWISETILES_H
#define CONV_LIB_TRANSFORMS_TILING_DEPTHWISETILES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::conv {

class DepthwiseOp;

/// F2 to F3: a loop over workgroups, each with a part of the sums of some
/// channels.
LogicalResult tileDepthwise(RewriterBase &rewriter, DepthwiseOp op);

/// F3 to F4: these sums as a vector that is written in their place.
LogicalResult vectorizeDepthwise(RewriterBase &rewriter, scf::ForallOp block);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_TILING_DEPTHWISETILES_H
