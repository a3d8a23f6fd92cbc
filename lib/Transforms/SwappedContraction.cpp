//===- SwappedContraction.cpp - wgmma with positions as columns -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: `vector.contract` of a tile of positions and one of filters, in a
// kernel whose schedule swaps the operands. Output: one `conv.warpgroup_mma`
// for each 64 filters of the warpgroup, whose columns are the lines of shared
// memory that have the warpgroup's positions.
//
//===----------------------------------------------------------------------===//

#include "ContractionOperand.h"
#include "TileDistribution.h"
#include "Warpgroups.h"
#include "conv/Dialect/Conv/IR/ConvHopperOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::conv;

/// `number` lines of a matrix, from `first` on.
static Value getLines(IndexMath &math, Value matrix, Value first,
                      int64_t number) {
  OpBuilder &builder = math.getBuilder();
  int64_t columns = cast<MemRefType>(matrix.getType()).getDimSize(1);
  SmallVector<OpFoldResult> offsets = {getAsOpFoldResult(first),
                                       builder.getIndexAttr(0)};
  SmallVector<OpFoldResult> sizes = {builder.getIndexAttr(number),
                                     builder.getIndexAttr(columns)};
  SmallVector<OpFoldResult> strides(2, builder.getIndexAttr(1));
  return memref::SubViewOp::create(builder, math.getLoc(), matrix, offsets,
                                   sizes, strides);
}

/// The lines of the warpgroup, in a tile or in a part of a window
/// [(1,) rows, columns, channels]. Its last instruction may read past the
/// window, within the slot.
static Value getPositions(IndexMath &math, Value tile,
                          TileDistribution &distribution) {
  const FragmentLayout &layout = distribution.layout;
  auto part = tile.getDefiningOp<memref::SubViewOp>();
  Value first = math.constant(0);
  // A slot of a ring has a dimension less than the ring.
  if (part && part.getSourceType().getRank() == part.getType().getRank()) {
    MemRefType window = part.getSourceType();
    int64_t rank = window.getRank();
    for (int64_t d = 0; d < rank - 1; ++d)
      first = math.add(math.mul(first, window.getDimSize(d)),
                       math.toValue(part.getMixedOffsets()[d]));
    tile = part.getSource();
    if (rank > 2)
      tile = memref::CollapseShapeOp::create(
          math.getBuilder(), math.getLoc(), tile,
          ArrayRef<ReassociationIndices>{
              llvm::to_vector(llvm::seq<int64_t>(rank - 1)), {rank - 1}});
  } else if (layout.getLines() == layout.getTileM()) {
    return tile;
  }
  Value row =
      math.div(distribution.getWarpgroupOfTile(math), layout.getWarpgroupsN());
  first = math.add(first, math.mul(row, layout.getLineDistance()));
  return getLines(math, tile, first, layout.getLines());
}

LogicalResult mlir::conv::distributeSwapped(vector::ContractionOp op,
                                            TileDistribution &distribution) {
  FailureOr<ContractionOperand> positions =
      getContractionOperand(op, /*isA=*/true);
  if (failed(positions))
    return failure();
  FailureOr<ContractionOperand> filters =
      getContractionOperand(op, /*isA=*/false);
  if (failed(filters))
    return failure();
  const FragmentLayout &layout = distribution.layout;
  OpBuilder builder(op);
  IndexMath math(builder, op.getLoc());
  Value lines = getPositions(math, positions->memref, distribution);
  Value first = distribution.getPart(math).column;
  SmallVector<int64_t> columns(layout.getBlocksM(), layout.getLines());
  return distributeProducts(
      op, columns, distribution,
      [&](OpBuilder &builder, int64_t i, Value accumulator) {
        IndexMath math(builder, op.getLoc());
        return WarpgroupMmaOp::create(builder, op.getLoc(), filters->memref,
                                      math.add(first, i * kRowsOfWgmma), lines,
                                      accumulator, filters->isTransposed,
                                      positions->isTransposed);
      });
}
