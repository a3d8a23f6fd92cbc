//===- MmaSyncRanking.h - candidates with mma.sync --------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Those whose operands threads copy.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_RANKING_MMASYNCRANKING_H
#define CONV_SCHEDULE_RANKING_MMASYNCRANKING_H

#include "conv/Schedule/KernelRules.h"

namespace mlir::conv {

/// The legal candidates with mma.sync (f32: fma) and cp.async, in no order.
void addMmaSyncTiles(const CandidateRequest &request,
                     SmallVectorImpl<RankedSchedule> &ranked);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_RANKING_MMASYNCRANKING_H
