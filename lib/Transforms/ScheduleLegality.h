//===- ScheduleLegality.h - which schedules a chip can run ------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of any kernel: HopperSchedule.h has the limits of those with TMA and wgmma.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_SCHEDULELEGALITY_H
#define CONV_LIB_TRANSFORMS_SCHEDULELEGALITY_H

#include "conv/Transforms/Schedule.h"

namespace mlir::conv {

/// What whyIllegal() says of the tile and the ring of a kernel with cp.async,
/// for operands of so many bytes.
std::string whyIllegalTile(ScheduleAttr schedule, const GemmShape &gemm,
                           const ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_SCHEDULELEGALITY_H
