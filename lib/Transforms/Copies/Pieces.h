//===- Pieces.h - tiles in the order of memory ------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of channels and positions is copied in *pieces*: as many neighbouring
// positions of a channel as are neighbours in memory everywhere, 4 to 16 bytes.
// No register holds data, and the threads of the producer go on while pieces
// are on their way (docs/forms/gathered.md).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_COPIES_PIECES_H
#define CONV_LIB_TRANSFORMS_COPIES_PIECES_H

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"

namespace mlir::conv {

/// Lowers a `conv.im2col` with `transposed` to asynchronous copies of a thread.
/// Fails, with an error on the operation, where it does not copy into a tile of
/// panels, or where positions are no neighbours.
LogicalResult lowerPieces(Im2colOp op);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_COPIES_PIECES_H
