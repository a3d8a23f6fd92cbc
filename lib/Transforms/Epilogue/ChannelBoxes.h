//===- ChannelBoxes.h - channels first by TMA -------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `conv.scatter` with channels_first of a kernel that multiplies by warpgroups,
// where 64 rows of the tile are of one image: they are staged transposed, and
// are a box of [image, channel, position], which TMA stores. Where an image
// ended among them, the rest would be a box that begins in front of the next
// one's first position: an illegal instruction on an H200.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_EPILOGUE_CHANNELBOXES_H
#define CONV_LIB_TRANSFORMS_EPILOGUE_CHANNELBOXES_H

#include "ChannelRows.h"
#include "TensorCores/TileDistribution.h"

namespace mlir::conv {

class ChannelBoxes {
public:
  ChannelBoxes(ScatterOp op, TileDistribution &distribution);

  /// Whether TMA stores the positions that an instruction has of an image.
  static bool isPossible(ScatterOp op, const KernelTiles &tiles);
  /// Creates the stores before the operation.
  void write();

private:
  void store(Value row);

  ScatterOp op;
  TileDistribution &distribution;
  OpBuilder builder;
  Location loc;
  IndexMath math;
  MemRefType destType;
  int64_t positions; ///< Of an image.
  Value staging, images;
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_EPILOGUE_CHANNELBOXES_H
