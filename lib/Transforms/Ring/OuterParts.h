//===- OuterParts.h - parts of a tile past its matrix -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last tile along gemm-m or gemm-n reaches past the matrix. TMA would fill
// with zeros what lies there, at a fraction of the rate at which it copies
// where many workgroups do so (docs/Performance.md), but no store takes what is
// multiplied by it. So panels that begin past the columns, and rows past those
// of the right operand, are left as they are, and a barrier does not count
// their bytes.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_RING_OUTERPARTS_H
#define CONV_LIB_TRANSFORMS_RING_OUTERPARTS_H

#include "GemmKNest.h"
#include "Support/IndexMath.h"

namespace convmlir {
class PanelTile;
}

namespace mlir::conv {

/// Whether tiles may have such panels, and such rows.
struct OuterParts {
  bool panels = false, rows = false;
};

/// Of those that `copy` fills.
OuterParts findOuterParts(GemmKNest &nest, Im2colOp copy);

/// Bytes that are copied of the tile at `offsets`, without these parts.
Value emitInnerBytes(IndexMath &math, Im2colOp copy, ValueRange offsets,
                     OuterParts outer);

/// Whether a panel of a tile is copied, whose columns begin at `column` of
/// `columns`; null for the first one, which is always.
Value emitIsInside(IndexMath &math, const convmlir::PanelTile &tile,
                   int64_t panel, Value column, int64_t columns);

/// Whether all `size` rows of a tile from `row` on are among `rows`, which are
/// no fewer than one tile has; of the last tile rows % size are.
Value emitHasAllRows(IndexMath &math, Value row, int64_t size, int64_t rows);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_RING_OUTERPARTS_H
