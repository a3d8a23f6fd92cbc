//===- WindowTaps.h - taps of a window among warpgroups ---------*- C++ -*-===//
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

#ifndef CONV_LIB_TRANSFORMS_WINDOWTAPS_H
#define CONV_LIB_TRANSFORMS_WINDOWTAPS_H

#include "FragmentLayout.h"
#include "conv/Dialect/Conv/IR/ConvHopperOps.h"
#include "conv/Geometry/WindowBlock.h"
#include "conv/Support/Result.h"

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
/// `taps`.
SmallVector<int64_t> getTapLines(const convmlir::MatrixView &view,
                                 const convmlir::Spatial &taps,
                                 const convmlir::WindowBlock &block);

/// Divides a tile's `taps`, with such lines, among `warpgroups`, for
/// instructions that have `tapColumns` columns for each tap. The error says why
/// they cannot be divided.
convmlir::Result<TapRuns> getTapRuns(const convmlir::Spatial &taps,
                                     int spatialRank, ArrayRef<int64_t> lines,
                                     int64_t warpgroups, int64_t tapColumns);

/// The runs of the taps that a kernel's contraction reads; an error on `read`.
FailureOr<TapRuns> getTapRuns(ReadTapsOp read, const FragmentLayout &layout);

/// Lines from the first position of a window to that of a tap, counted from
/// the first.
Value getTapLine(IndexMath &math, ReadTapsOp read, Value tap);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_WINDOWTAPS_H
