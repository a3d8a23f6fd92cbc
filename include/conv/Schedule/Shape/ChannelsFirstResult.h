//===- ChannelsFirstResult.h - transpositions of results --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What conv-fuse-transposition and the model of time must agree on: which
// transpositions of a result the kernel that makes it takes over, and how many
// positions it stores at a time.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_SHAPE_CHANNELSFIRSTRESULT_H
#define CONV_SCHEDULE_SHAPE_CHANNELSFIRSTRESULT_H

#include "conv/Geometry/MatrixView.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::conv {

class ScatterOp;

/// Whether the last dimension becomes the second one.
bool makesChannelsFirst(linalg::TransposeOp op);

/// Rows of the matrix that are neighbours in memory once channels are first,
/// from multiples of their number on: a power of two.
int64_t getNeighbouringRows(const convmlir::MatrixView &view);

/// Whether rows of the matrix are all positions of all images, in their order.
bool namesAllPositions(const convmlir::MatrixView &view);

/// Positions of an image of a result that is written with its channels first,
/// where rows are all of them in their order, of one phase and group; else 0.
int64_t getImagePositions(ScatterOp op);

/// How a kernel could store its result with channels first.
struct ChannelsFirstStores {
  int64_t neighbours; ///< See getNeighbouringRows().
  int64_t distance; ///< Of two positions of a phase, along the last dimension.
  int64_t elementBytes;
  /// Of a multiprocessor, for the products of an element. Stores run beside
  /// them.
  double productCycles;
  /// Sectors that are written in part, of an element, where whole lines are
  /// stored (PhasePairs.h).
  std::optional<double> partialSectors = std::nullopt;
};

/// What an element that is at a distance takes longer to store than its
/// products: cycles of a multiprocessor.
double getExposedCycles(const ChannelsFirstStores &stores);

/// Whether such stores take less time than a kernel that transposes the result.
bool isWorthStoring(const ChannelsFirstStores &stores);

/// What the products take that make one element on average: of `products`, with
/// factors of so many bytes.
double getProductCycles(double products, int64_t factorBytes);

/// The most elements of a phase's position and the zeros up to the next one
/// that a kernel stores together (zero_fill).
inline constexpr int64_t kMostOfCell = 16;

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SHAPE_CHANNELSFIRSTRESULT_H
