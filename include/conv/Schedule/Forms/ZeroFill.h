//===- ZeroFill.h - results with zeros, channels last -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What conv-fill-zero-phases and the model of time must agree on: which kernels
// store the zeros between the rows of their result besides the rows. They do so
// by TMA, from a panel of zeros in shared memory that nothing overwrites.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_FORMS_ZEROFILL_H
#define CONV_SCHEDULE_FORMS_ZEROFILL_H

#include "conv/Geometry/ConvGeometry.h"
#include "conv/Schedule/Schedule.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::conv {

/// A result, and the operands that it is made of.
struct ResultWithZeros {
  convmlir::MatrixView values; ///< Its view.
  int64_t groups, resultBytes, factorBytes;
};

/// The most that a panel of zeros takes of shared memory: more make fewer
/// copies, but have no other use.
inline constexpr int64_t kMostZeroBytes = 8192;

/// Rows of the panel of zeros, which has the columns of a panel of the staged
/// tile; 0 where `room` bytes of shared memory are too few.
int64_t getZeroPanelRows(ScheduleAttr schedule, int64_t resultBytes,
                         int64_t room);

/// Whether a kernel of this schedule stores all zeros between the values. They
/// have no tiles then.
bool storesZeros(ScheduleAttr schedule, const ResultWithZeros &result);
bool storesZeros(ScheduleAttr schedule, const GemmShape &gemm);

/// Whether an elementwise operation is one cast: what is zero stays zero.
bool isCast(linalg::LinalgOp op);

/// The phase of what is computed as `geometry` that alone is reached by taps,
/// if all others stay zeros behind the epilogue and lie between its rows.
std::optional<convmlir::GemmPhase>
getPhaseAmongZeros(ConvOpInterface op, const convmlir::ConvGeometry &geometry);

/// Whether a kernel stores its result with the channels first and all zeros
/// between the values (ChannelCells.cpp), where rows of the left operand are
/// the positions of images in their order.
bool storesCells(const GemmShape &gemm);

/// The phases that the kernel has tiles of.
ArrayRef<GemmShape::Phase> getPhasesOfTiles(ScheduleAttr schedule,
                                            const GemmShape &gemm);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_FORMS_ZEROFILL_H
