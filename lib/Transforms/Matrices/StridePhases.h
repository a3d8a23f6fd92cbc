//===- StridePhases.h - contractions that run as one kernel -----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The strided dgrad is several contractions in F2, one for each stride phase,
// which differ in nothing but the views of their matrices and, with these, in
// rows and taps. Here they are put side by side, so that one body of code can
// stand for all.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_MATRICES_STRIDEPHASES_H
#define CONV_LIB_TRANSFORMS_MATRICES_STRIDEPHASES_H

#include "conv/Dialect/Conv/IR/ScatterChain.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::conv {

/// The phases of one result. Where an operation has no stride there is one.
struct StridePhases {
  /// Those with most taps first: long work starts first.
  SmallVector<ScatterOp> scatters;
  /// The scheduled contraction of the first phase. The operations between it
  /// and its scatter stand for those of all phases.
  linalg::LinalgOp contraction;

  size_t size() const { return scatters.size(); }
  ScatterOp front() const { return scatters.front(); }
  /// The views of all phases for a matrix that the first phase reads.
  ArrayRef<ViewAttr> getViews(Im2colOp matrix) const {
    return views.find(matrix)->second;
  }
  SmallVector<ViewAttr> getScatterViews() const;
  /// Extents of a loop of the contraction in all phases; 0 taps where no tap
  /// reaches a phase.
  SmallVector<int64_t> getLoopExtents(unsigned loop) const;

private:
  friend FailureOr<StridePhases> collectStridePhases(ArrayRef<ScatterOp>);
  LogicalResult match(Value first, Value other);
  LogicalResult matchContraction(Value other);
  void addPhaseWithoutTaps();

  llvm::DenseMap<Operation *, SmallVector<ViewAttr>> views;
  /// Extents of all loops of the contraction, by phase.
  SmallVector<SmallVector<int64_t>> extents;
};

/// The scheduled contraction behind `value`, through elementwise operations;
/// null where there is none.
linalg::LinalgOp findContraction(Value value);

/// Extents of what the contraction behind a scatter reduces; none where there
/// is none.
std::optional<SmallVector<int64_t>> getReductionExtents(ScatterOp scatter);

/// The phases of the result that a chain of scatters writes. One of them must
/// have a scheduled contraction. An error on the operation that makes a phase
/// unlike the others.
FailureOr<StridePhases> collectStridePhases(ArrayRef<ScatterOp> chain);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_MATRICES_STRIDEPHASES_H
