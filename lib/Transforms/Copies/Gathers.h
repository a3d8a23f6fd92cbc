//===- Gathers.h - tiles that threads transpose -----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies of tensors with channels first into tiles of panels, by the threads
// of the producer (docs/forms/gathered.md).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_COPIES_GATHERS_H
#define CONV_LIB_TRANSFORMS_COPIES_GATHERS_H

#include "TileGather.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Engine/IR/EngineOps.h"

namespace mlir::conv {

/// What a gather writes, who does it, and both ends as one row of elements.
struct GatherEnds {
  convmlir::PanelTile tile;
  GatheringTeam team;
  Value source, dest;
};
/// Fails, with an error on the operation, where it does not copy into a tile of
/// panels, by warps of a producer.
FailureOr<GatherEnds> getGatherEnds(Im2colOp op);

/// Lowers a `conv.im2col` with channels_first, or an `engine.gather_box`, to
/// loads and stores of a thread. Fails, with an error on the operation, where it
/// does not copy into a tile of panels.
LogicalResult lowerGather(Im2colOp op);
LogicalResult lowerGather(GatherBoxOp op);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_COPIES_GATHERS_H
