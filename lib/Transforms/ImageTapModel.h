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

#ifndef CONV_LIB_TRANSFORMS_IMAGETAPMODEL_H
#define CONV_LIB_TRANSFORMS_IMAGETAPMODEL_H

#include "conv/Transforms/Schedule.h"

namespace mlir::conv {

/// Cycles as in WgradWindowModel.h.
double getImageTapCycles(ScheduleAttr schedule, const GemmShape &gemm,
                         const ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_IMAGETAPMODEL_H
