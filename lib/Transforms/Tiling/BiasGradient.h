//===- BiasGradient.h - dy is summed where it is multiplied -----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient of a bias is the sum of dy over all positions. In F2 it is the
// sum over the rows of the matrix of dy that wgrad reduces (conv-fuse-bias-
// gradient). A kernel of wgrad sums the rows of its tiles of dy as it goes.
// Tiles of the result that differ in their columns only read the same rows of
// dy: they share out the blocks of gemm-k, and leave a part of the sums each.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_TILING_BIASGRADIENT_H
#define CONV_LIB_TRANSFORMS_TILING_BIASGRADIENT_H

#include "TailTiles.h"
#include "conv/Schedule/Shape/RowSumForm.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::conv {

class IndexMath;

/// Makes the sums beside the tiles of the result (F3). Does nothing where there
/// is no sum.
class RowSumTiler {
public:
  /// For tiles of these sizes, which `scatter` writes. There are `parts` parts
  /// of gemm-k; with a `tail`, of the last tiles only.
  RowSumTiler(RewriterBase &rewriter, linalg::LinalgOp contraction,
              ScatterOp scatter, ArrayRef<int64_t> tileSizes, int64_t parts,
              const TailItems *tail);

  /// Adds the place of the sums, a row for each part and tile along gemm-n, to
  /// the destinations of the loop over tiles.
  void addDest(SmallVectorImpl<Value> &dests);
  /// Lets `producers` make the sums of `tile`.
  void open(ProducerTiler &producers, const Tile &tile);
  /// Scatters them into the last destination of the loop, in whose body the
  /// rewriter is, as those of a part of gemm-k (null: 0).
  void scatter(scf::ForallOp forall, const ProducerTiler &producers,
               const Tile &tile, Value part);
  /// Adds all rows that the loop made, in ascending order, and replaces the
  /// sum.
  void finish(scf::ForallOp forall);

private:
  int64_t getNumRows() const { return parts * tilesN; }
  Value isWhole(IndexMath &math, Value channel, Value tile) const;
  Value selectPart(OpBuilder &builder, Location loc, Value sum) const;
  Value sumParts(Value parts);

  RewriterBase &rewriter;
  linalg::GenericOp rowSum; ///< Null: none.
  ScheduleAttr schedule;
  ViewAttr view;                    ///< Of the result.
  int64_t groups = 1, channels = 0; ///< Of each group.
  int64_t parts;
  SmallVector<int64_t> sizes, counts; ///< Of tiles, along gemm-n.
  int64_t tilesN = 1;                 ///< Their number.
  int64_t wholeTiles = 0; ///< In their order, with a tail: those of one part.
  Value number;           ///< Of a tile along gemm-n; null where there is one.
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_TILING_BIASGRADIENT_H
