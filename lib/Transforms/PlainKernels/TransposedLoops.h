//===- TransposedLoops.h - transpositions in whole sectors ------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain kernels whose operand has its neighbours along another dimension than
// the result: the "Transpositions" of docs/forms/plain.md.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_PLAINKERNELS_TRANSPOSEDLOOPS_H
#define CONV_LIB_TRANSFORMS_PLAINKERNELS_TRANSPOSEDLOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace mlir::conv {

/// The loop along which an operand has its neighbours, where that is not the
/// last one, along which the result has them: a transposition. It is divided
/// into blocks that a thread reads along the one and writes along the other.
std::optional<unsigned> getTransposedLoop(linalg::LinalgOp op);

/// Divides an index of a loop: its last values, `inner` of them, become an
/// index of their own.
struct SplitIndex {
  unsigned index;
  int64_t inner; ///< Divides the number of the index's values.
  /// In front of which index of the loop it comes; the last one by default.
  std::optional<unsigned> place = std::nullopt;
};

/// Divides indices of a loop over threads, each at most once. What replaces it
/// has the new indices in their places, those of one place in their order. A
/// loop with too many indices stays as it is.
scf::ForallOp splitIndices(RewriterBase &rewriter, scf::ForallOp loop,
                           ArrayRef<SplitIndex> splits);

/// Lets a warp read and write whole sectors: about `lanesAcross` of its lanes
/// are along the index `across`, the others along the last index. `loop` has
/// one index for each block; what replaces it has two more, the last ones, for
/// the place of a block among those of a warp. A loop with too many indices
/// stays as it is.
scf::ForallOp interleaveLanes(RewriterBase &rewriter, scf::ForallOp loop,
                              unsigned across, int64_t lanesAcross);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_PLAINKERNELS_TRANSPOSEDLOOPS_H
