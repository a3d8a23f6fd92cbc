//===- Windows.h - tiles whose taps share one window ------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What schedules with `window` decide (conv/Geometry/WindowTile.h): shared
// memory is divided among a ring of windows, a ring of filter tiles with as
// many slots as the schedule has stages, and what is staged of the result.
// There are three windows where they fit, two otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_FORMS_WINDOWS_H
#define CONV_SCHEDULE_FORMS_WINDOWS_H

#include "conv/Geometry/WindowTile.h"
#include "conv/Schedule/Schedule.h"

namespace mlir::conv {

/// Which limit a schedule with a window breaks; empty if it is legal. Shared
/// memory is not counted.
std::string whyNoWindow(ScheduleAttr schedule, const GemmShape &gemm);

/// Slots of the ring of windows: three or two. Elements of the operands and of
/// the result have so many bytes, and windows as they lie in a tensor with
/// channels first `rawBytes` (conv/Geometry/RawWindow.h).
int64_t getWindowSlots(ScheduleAttr schedule,
                       const convmlir::WindowTile &window, int64_t elementBytes,
                       int64_t resultBytes, int64_t rawBytes);

/// The same of the schedule for an operation, 0 where it has none.
int64_t getRawWindowBytes(ScheduleAttr schedule, const GemmShape &gemm);

/// Bytes of all rings.
int64_t getWindowRingBytes(ScheduleAttr schedule, const GemmShape &gemm);

/// What the model counts of a schedule with a window.
struct WindowTraffic {
  int64_t rows; ///< Of the result in whole tiles, padding included.
  /// Lines that a block of gemm-k copies: of the window for each tap, on
  /// average, and of the filter, where it is not resident.
  double copiedRows;
};
WindowTraffic getWindowTraffic(ScheduleAttr schedule, const GemmShape &gemm);

/// Neighbouring positions that the kernel stores at a time of a result with
/// channels first, where windows are packed: a tile has more columns than the
/// result. 0 where they are not.
int64_t getPackedNeighbours(ScheduleAttr schedule, const GemmShape &gemm);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_FORMS_WINDOWS_H
