//===- TapRuns.h - taps of a window among warpgroups ------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Taps that share a window are divided among the warpgroups along gemm-n, each
// a box of them. One instruction multiplies a run: taps one after the other
// that are equally far apart in the window, for all warpgroups.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_SHAPE_TAPRUNS_H
#define CONV_SCHEDULE_SHAPE_TAPRUNS_H

#include "conv/Geometry/WindowBlock.h"
#include "conv/Support/Result.h"

#include "mlir/Support/LLVM.h"

namespace mlir::conv {

/// Columns that one instruction can have.
inline constexpr int64_t kMaxInstructionColumns = 256;

/// Taps of one warpgroup that one instruction multiplies, the first of them
/// counted from the warpgroup's first, and the lines from one to the next.
struct TapRun {
  int64_t first, number, distance;
};

/// The runs of a warpgroup, whichever it is.
using TapRuns = SmallVector<TapRun>;

/// Lines from the first position of a window to that of each tap of a box of
/// `taps`, the last dimension fastest. Of a packed window, `stride` positions
/// are neighbours, and phases follow each other with `phaseLines`.
SmallVector<int64_t> getTapLines(ArrayRef<int64_t> taps, ArrayRef<int64_t> step,
                                 ArrayRef<int64_t> stride,
                                 ArrayRef<int64_t> phaseLines,
                                 ArrayRef<int64_t> pitch);
/// The same of a view and a block of its positions.
SmallVector<int64_t> getTapLines(const convmlir::MatrixView &view,
                                 const convmlir::Spatial &taps,
                                 const convmlir::WindowBlock &block);

/// Divides a tile's `taps`, with such lines, among `warpgroups`, for
/// instructions that have `tapColumns` columns for each tap. The error says why
/// they cannot be divided.
convmlir::Result<TapRuns> getTapRuns(const convmlir::Spatial &taps,
                                     int spatialRank, ArrayRef<int64_t> lines,
                                     int64_t warpgroups, int64_t tapColumns);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SHAPE_TAPRUNS_H
