//===- ImageStores.h - whole images with channels first, by TMA -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `conv.scatter` with channels_first of a kernel whose filters are the rows of
// `wgmma`, where the tile's positions are those of whole images. The 64 filters
// that a warpgroup has of an image are one run of memory, whatever the number
// of positions: they are staged in the order of memory, as lines of 64
// elements, and TMA stores them. No sector is written in part but the first and
// the last one of a run.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_EPILOGUE_IMAGESTORES_H
#define CONV_LIB_TRANSFORMS_EPILOGUE_IMAGESTORES_H

#include "TensorCores/TileDistribution.h"

namespace mlir::conv {

class ImageStores {
public:
  ImageStores(ScatterOp op, TileDistribution &distribution);

  /// Images of a tile; 0 where it has none with all positions.
  static int64_t countImages(ScatterOp op, const KernelTiles &tiles);
  /// Creates the stores before the operation.
  void write();

private:
  void stage(int64_t blockM, int64_t blockN);
  Value getPlace(int64_t firstPosition, Value position);
  void store(int64_t blockM);

  ScatterOp op;
  TileDistribution &distribution;
  const FragmentLayout &layout;
  OpBuilder builder;
  Location loc;
  IndexMath math;
  MemRefType destType;
  int64_t positions; ///< Of an image.
  int64_t images;    ///< Of a tile.
  Value staging, flat;
  Value thread; ///< Within the warpgroup.
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_EPILOGUE_IMAGESTORES_H
