//===- SwappedOperands.h - gemm-n as the rows of wgmma ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warpgroup multiplies 64 rows by up to 256 columns at a time. Warps that lie
// along gemm-n, four to a warpgroup, divide that as `wgmma` divides its rows:
// then the filters are the instruction's rows, and positions (gemm-m) its
// columns. Of wgrad channels are the rows, and filters the columns.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_SWAPPEDOPERANDS_H
#define CONV_DIALECT_CONV_IR_SWAPPEDOPERANDS_H

#include "conv/Dialect/Conv/IR/KernelForm.h"
#include "conv/Geometry/WindowTile.h"

namespace mlir::conv {

/// Whether gemm-n of a tile, the filters, are the rows of `wgmma`.
inline bool swapsOperands(ScheduleAttr schedule) {
  return swapsOperands(getKernelForm(schedule));
}

/// Whether the taps of a wgrad are read from images as they lie: channels, of
/// each tap, are the rows of `wgmma`, and filters its columns.
inline bool readsImageTaps(ScheduleAttr schedule) {
  return getKernelForm(schedule) == KernelForm::ImageTaps;
}

/// The window that the taps of a tile share, as the schedule has its warps.
/// The error says why there is none.
inline convmlir::Result<convmlir::WindowTile>
getWindowTile(const convmlir::MatrixView &view, ScheduleAttr schedule) {
  int64_t rows = schedule.getTile()[0];
  return swapsOperands(schedule)
             ? convmlir::getDenseWindowTile(view, rows, schedule.getWarps()[0],
                                            schedule.getGather())
             : convmlir::getWindowTile(view, rows, schedule.getGather());
}

/// The same of a view whose rows are padded to whole tiles.
inline convmlir::Result<convmlir::WindowTile>
getPaddedWindowTile(const convmlir::MatrixView &view, ScheduleAttr schedule) {
  return swapsOperands(schedule)
             ? getWindowTile(view, schedule)
             : convmlir::getPaddedWindowTile(view, schedule.getTile()[0],
                                             schedule.getGather());
}

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_SWAPPEDOPERANDS_H
