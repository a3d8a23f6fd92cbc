//===- TileLegality.h - limits of tiles and parts ---------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernels of all engines share: HopperSchedule.h has the limits of those
// with TMA and wgmma.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_TILELEGALITY_H
#define CONV_SCHEDULE_TILELEGALITY_H

#include "conv/Schedule/Schedule.h"

namespace mlir::conv {

/// Bytes of shared memory of a kernel whose threads copy: the ring, or what
/// takes its place behind the last product.
int64_t getTileBytes(ScheduleAttr schedule, const GemmShape &gemm);

/// What whyIllegal() says of the tile and the ring of a kernel whose threads
/// copy, for operands of so many bytes.
std::string whyIllegalTile(ScheduleAttr schedule, const GemmShape &gemm,
                           const ChipInfo &chip);

/// Why gemm-k cannot be divided as the schedule says; empty if it can.
std::string whyTooManyParts(ScheduleAttr schedule, const GemmShape &gemm);

/// Which rule of mma.sync and fma for tiles and sums the schedule breaks.
std::string whyIllegalMmaSyncShape(ScheduleAttr schedule,
                                   const GemmShape &gemm);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_TILELEGALITY_H
