//===- TileOrder.h - tiles as they lie in memory ----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the gemm-k nest of F5, whose tiles are [row, channel], and the plan of
// its kernel. Output: the same nest, where what is copied in the order of
// images with their channels first has tiles [channel, position].
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_RING_TILEORDER_H
#define CONV_LIB_TRANSFORMS_RING_TILEORDER_H

#include "GemmKNest.h"

namespace mlir::conv {

/// Transposes the tiles that the plan's copies fill in the order of memory,
/// and what reads them. An error on the copy that cannot fill such a tile.
LogicalResult orderTiles(GemmKNest &nest);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_RING_TILEORDER_H
