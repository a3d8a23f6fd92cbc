//===- StagedShape.h - how much of a result is staged -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warpgroup's part of the result's tile in shared memory: its extents, and
// how it can be copied. A part is all rows and columns of the warpgroup, or as
// many as the schedule stages at a time. Makes no IR.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_EPILOGUE_STAGEDSHAPE_H
#define CONV_LIB_TRANSFORMS_EPILOGUE_STAGEDSHAPE_H

#include "TensorCores/KernelTiles.h"
#include "conv/Geometry/SharedTile.h"

namespace mlir::conv {

class StagedShape {
public:
  StagedShape(ScatterOp op, const KernelTiles &tiles);

  MemRefType getDestType() const { return destType; }
  const convmlir::PanelTile &getPart() const { return part; }
  int64_t getBytes() const;
  /// With the scratch behind a part.
  int64_t getBytesWithScratch() const;
  /// Whether a part is all that the warpgroup has of the tile.
  bool isWhole() const;
  /// Whether TMA can store a part, and all elements of it are the result's.
  bool isCopiedByTma();
  /// Whether a part is a box of positions, that of a window, or one of an
  /// image with its channels first.
  bool isBox();
  /// Whether `stmatrix` and `ldmatrix` move the elements.
  bool hasMatrices() const;
  /// The positions and channels that the warpgroup's rows are, of a box.
  SmallVector<int64_t> getBox();

protected:
  bool isImage();
  int64_t getElementBytes() const {
    return destType.getElementTypeBitWidth() / 8;
  }

  ScatterOp op;
  ScheduleAttr schedule;
  const FragmentLayout &layout;
  MemRefType destType;
  convmlir::PanelTile part;
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_EPILOGUE_STAGEDSHAPE_H
