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
// dy: the first of them is the one whose sums are stored.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_BIASGRADIENT_H
#define CONV_LIB_TRANSFORMS_BIASGRADIENT_H

#include "TailTiles.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::conv {

/// The left operand of a scheduled contraction that reduces its positions: the
/// rows of a matrix [position, channel]; or, of images with channels first,
/// images and columns of [image, channel, position]. Null for any other.
Im2colOp getReducedRows(linalg::LinalgOp contraction);

/// Whether a contraction reduces the columns of its left operand.
bool reducesColumns(linalg::LinalgOp contraction);

/// The sum over these positions; null if there is none.
linalg::GenericOp findRowSum(linalg::LinalgOp contraction);

/// Why the kernel of `contraction`, a wgrad whose left operand is `dy`, cannot
/// sum the rows of dy; empty if it can.
std::string whyApart(linalg::LinalgOp contraction, Im2colOp dy);

/// Makes the sums beside the tiles of the result (F3). Does nothing where there
/// is no sum.
class RowSumTiler {
public:
  /// `view` is that of the result, of whose gemm-k there are `parts` parts;
  /// with a `tail`, of the last tiles only.
  RowSumTiler(RewriterBase &rewriter, linalg::LinalgOp contraction,
              ViewAttr view, int64_t parts, const TailItems *tail);

  /// Adds the place of the sums, a row for each part, to the destinations of
  /// the loop over tiles.
  void addDest(SmallVectorImpl<Value> &dests);
  /// Lets `producers` make the sums of `tile`.
  void open(ProducerTiler &producers, const Tile &tile);
  /// Scatters them into the last destination of the loop, in whose body the
  /// rewriter is, as those of a part (null: 0), if the tile is the first one of
  /// its rows.
  void scatter(scf::ForallOp forall, const ProducerTiler &producers,
               const Tile &tile, Value part);
  /// Adds the parts that the loop made, in ascending order, and replaces the
  /// sum.
  void finish(scf::ForallOp forall);

private:
  int64_t countWholeChannels(const TailItems &tail) const;
  Value selectPart(OpBuilder &builder, Location loc, Value sum) const;
  Value sumParts(Value parts);

  RewriterBase &rewriter;
  linalg::GenericOp rowSum; ///< Null: none.
  ScheduleAttr schedule;
  ViewAttr view;
  int64_t groups = 1, channels = 0; ///< Of each group.
  int64_t parts;
  int64_t whole = 0; ///< Channels, the first ones, that have part 0 only.
  Value isFirst;     ///< Whether a tile is the first of its rows; null: always.
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_BIASGRADIENT_H
