//===- OuterPanels.h - panels of a tile past its matrix ---------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last tile along gemm-m or gemm-n may have panels that begin past the
// matrix, where these dimensions are its columns. TMA would fill them with
// zeros, at a third of the rate at which it copies (docs/Performance.md), but
// no store takes what is multiplied by them. So they are left as they are, and
// a barrier does not count their bytes.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_OUTERPANELS_H
#define CONV_LIB_TRANSFORMS_OUTERPANELS_H

#include "GemmKNest.h"
#include "IndexMath.h"

namespace convmlir {
class PanelTile;
}

namespace mlir::conv {

/// Whether a tile that `copy` fills may have such panels.
bool hasOuterPanels(GemmKNest &nest, Im2colOp copy);

/// Bytes of the panels that are copied of the tile at `offsets`.
Value emitCopiedBytes(IndexMath &math, Im2colOp copy, ValueRange offsets);

/// Whether a panel of a tile is copied, whose columns begin at `column` of
/// `columns`; null for the first one, which is always.
Value emitIsCopied(IndexMath &math, const convmlir::PanelTile &tile,
                   int64_t panel, Value column, int64_t columns);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_OUTERPANELS_H
