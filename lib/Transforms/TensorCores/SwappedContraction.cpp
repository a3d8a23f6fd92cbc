//===- SwappedContraction.cpp - wgmma with positions as columns -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: `vector.contract` of a tile of positions and one of filters, in a
// kernel whose schedule swaps the operands. Output: one `engine.warpgroup_mma`
// for each 64 filters of the warpgroup, whose columns are the lines of shared
// memory that have the warpgroup's positions.
//
//===----------------------------------------------------------------------===//

#include "ContractionOperand.h"
#include "TileDistribution.h"
#include "conv/Dialect/Engine/IR/EngineOps.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::conv;

/// `number` lines from `first` on of a matrix, or of a slot of a ring, whose
/// other offsets are `slot`.
static Value getLines(IndexMath &math, Value matrix,
                      ArrayRef<OpFoldResult> slot, Value first,
                      int64_t number) {
  OpBuilder &builder = math.getBuilder();
  auto type = cast<MemRefType>(matrix.getType());
  SmallVector<int64_t> shape = {number, type.getShape().back()};
  SmallVector<OpFoldResult> offsets(slot),
      sizes(slot.size(), builder.getIndexAttr(1));
  offsets.append({getAsOpFoldResult(first), builder.getIndexAttr(0)});
  llvm::append_range(sizes,
                     getAsIndexOpFoldResult(builder.getContext(), shape));
  SmallVector<OpFoldResult> strides(offsets.size(), builder.getIndexAttr(1));
  MemRefType lines = memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, sizes, strides);
  return memref::SubViewOp::create(builder, math.getLoc(), lines, matrix,
                                   offsets, sizes, strides);
}

/// The lines of the warpgroup in a part of a window [(1,) rows, columns,
/// channels]. The last ones may be behind the window, in its slot.
static FailureOr<Value> getLinesOfWindow(IndexMath &math,
                                         memref::SubViewOp part, Value distance,
                                         int64_t number) {
  MemRefType window = part.getSourceType();
  Value first = math.constant(0);
  for (int64_t d = 0; d < window.getRank() - 1; ++d)
    first = math.add(math.mul(first, window.getDimSize(d)),
                     math.toValue(part.getMixedOffsets()[d]));
  Value source = part.getSource();
  if (auto positions = source.getDefiningOp<memref::ExpandShapeOp>())
    source = positions.getSrc();
  auto slot = source.getDefiningOp<memref::SubViewOp>();
  if (!slot || slot.getSourceType().getRank() != 3)
    return part.emitOpError("of a window must be in a slot of a ring");
  return getLines(math, slot.getSource(), slot.getMixedOffsets().front(),
                  math.add(first, distance), number);
}

/// All lines and columns of the slot of a ring that holds a tile.
static Value getSlot(IndexMath &math, memref::SubViewOp tile) {
  MemRefType ring = tile.getSourceType();
  return getLines(math, tile.getSource(), tile.getMixedOffsets().front(),
                  math.constant(0), ring.getDimSize(ring.getRank() - 2));
}

/// The lines of the warpgroup in a tile or a window. Of a tile [channel,
/// position] all columns: the instruction says how many it multiplies.
static FailureOr<Value> getPositions(IndexMath &math, Value tile,
                                     bool isTransposed,
                                     TileDistribution &distribution) {
  const FragmentLayout &layout = distribution.layout;
  Value distance =
      math.mul(distribution.getWarpgroupRow(math), layout.getLineDistance());
  auto part = tile.getDefiningOp<memref::SubViewOp>();
  // A slot of a ring has a dimension less than the ring.
  if (part && part.getSourceType().getRank() == part.getType().getRank())
    return getLinesOfWindow(math, part, distance, layout.getLines());
  if (isTransposed && part)
    return getSlot(math, part);
  if (layout.getLines() == layout.getTileM())
    return tile;
  // The last lines may be behind the tile, in its slot.
  if (part && layout.getLines() > layout.getTileM())
    return getLines(math, part.getSource(), part.getMixedOffsets().front(),
                    distance, layout.getLines());
  return getLines(math, tile, /*slot=*/{}, distance, layout.getLines());
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
  FailureOr<Value> lines = getPositions(math, positions->memref,
                                        positions->isTransposed, distribution);
  if (failed(lines))
    return failure();
  Value first = distribution.getPart(math).column;
  SmallVector<int64_t> columns(layout.getBlocksM(), layout.getLines());
  return distributeProducts(
      op, columns, distribution,
      [&](OpBuilder &builder, int64_t i, Value accumulator) {
        IndexMath math(builder, op.getLoc());
        return WarpgroupMmaOp::create(builder, op.getLoc(), filters->memref,
                                      math.add(first, i * kRowsOfWgmma), *lines,
                                      accumulator, filters->isTransposed,
                                      positions->isTransposed);
      });
}
