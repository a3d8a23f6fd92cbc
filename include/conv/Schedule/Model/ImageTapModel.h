//===- ImageTapModel.h - time of wgrad with images in registers -*- C++ -*-===//
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

#ifndef CONV_SCHEDULE_MODEL_IMAGETAPMODEL_H
#define CONV_SCHEDULE_MODEL_IMAGETAPMODEL_H

#include "conv/Schedule/Model/TimeParts.h"
#include "conv/Schedule/Schedule.h"

namespace mlir::conv {

/// Cycles as in WgradWindowModel.h.
double getImageTapCycles(ScheduleAttr schedule, const GemmShape &gemm,
                         const ChipInfo &chip, TimeParts *parts = nullptr);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_MODEL_IMAGETAPMODEL_H
