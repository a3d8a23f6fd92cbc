//===- WgradWindowModel.h - time of wgrad with windows ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fitted to kernels of an H200 (docs/Performance.md).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_MODEL_WGRADWINDOWMODEL_H
#define CONV_SCHEDULE_MODEL_WGRADWINDOWMODEL_H

#include "conv/Schedule/Forms/GatheredWgradWindow.h"
#include "conv/Schedule/Model/TimeParts.h"

namespace mlir::conv {

/// Slots of boxes that warps transpose; 0 where there are none.
int64_t getBoxSlots(const WgradWindow &window, ScheduleAttr schedule,
                    const GemmShape &gemm);

/// Cycles as in HopperModel.h: all taps of a tile are multiplied for each
/// 16 positions of a block, and the lines of a block are copied once.
double getWgradWindowCycles(ScheduleAttr schedule, const GemmShape &gemm,
                            const ChipInfo &chip, TimeParts *parts = nullptr);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_MODEL_WGRADWINDOWMODEL_H
