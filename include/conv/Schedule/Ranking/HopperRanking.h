//===- HopperRanking.h - candidates with TMA and wgmma ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of all forms of kernels with wgmma.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_RANKING_HOPPERRANKING_H
#define CONV_SCHEDULE_RANKING_HOPPERRANKING_H

#include "conv/Schedule/Ranking/RankedSchedule.h"

namespace mlir::conv {

/// The candidates with wgmma and TMA that are legal for operands that TMA can
/// copy, best first.
SmallVector<RankedSchedule> rankHopperSchedules(MLIRContext *context,
                                                const GemmShape &gemm,
                                                const ChipInfo &chip,
                                                Algorithm algorithm);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_RANKING_HOPPERRANKING_H
