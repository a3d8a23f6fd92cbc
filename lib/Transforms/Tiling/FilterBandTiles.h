//===- FilterBandTiles.h - workgroups of images in bands ------ -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_TILING_FILTERBANDTILES_H
#define CONV_LIB_TRANSFORMS_TILING_FILTERBANDTILES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::conv {

class DepthwiseOp;

/// F2 to F3: a loop over workgroups, each with some images, lines, columns and
/// channels of a depthwise forward or dgrad, and of the elementwise operations
/// behind it.
LogicalResult tileFilterBands(RewriterBase &rewriter, DepthwiseOp op);

/// F3 to F4: this tile as a vector that is written in its place.
LogicalResult vectorizeFilterBands(RewriterBase &rewriter, scf::ForallOp block,
                                   DepthwiseOp op);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_TILING_FILTERBANDTILES_H
