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

#include "conv/Schedule/KernelRules.h"

namespace mlir::conv {

/// The candidates with TMA and wgmma of three forms, in no order. Whether TMA
/// can copy their operands is not asked.
void addPanels(const CandidateRequest &request,
               SmallVectorImpl<RankedSchedule> &ranked);
void addWindows(const CandidateRequest &request,
                SmallVectorImpl<RankedSchedule> &ranked);
/// Of a shape whose taps along a line have sums of their own (Kn2row.h).
void addTapSums(const CandidateRequest &request,
                SmallVectorImpl<RankedSchedule> &ranked);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_RANKING_HOPPERRANKING_H
