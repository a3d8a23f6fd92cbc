//===- PhaseOrder.h - the order of tiles of stride phases -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles of stride phases are numbered one phase after the other, the one with
// most taps first. Executed in that order, long tiles come first, which
// balances a few rounds best. Where there are many rounds it is better that
// neighbours in time are neighbours in memory: phases read the same gradient
// and write pixels beside each other, and those without taps, which only store
// zeros, leave the tensor cores to the others.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_TILING_PHASEORDER_H
#define CONV_LIB_TRANSFORMS_TILING_PHASEORDER_H

#include "mlir/IR/Builders.h"

namespace mlir::conv {

/// The number of the tile that is the `position`th in order, a permutation.
/// `firstTiles` has the first number of each phase, and the one after the last;
/// `columns` tiles of the result are at each number. About as many tiles as
/// there are `multiprocessors` are made at the same time.
Value emitPhaseOrder(OpBuilder &builder, Location loc, Value position,
                     ArrayRef<int64_t> firstTiles, int64_t columns,
                     int64_t multiprocessors);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_TILING_PHASEORDER_H
