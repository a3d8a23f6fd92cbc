//===- ProducerRanking.h - candidates with TMA and mma.sync -----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Those of operands that wgmma does not multiply.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_RANKING_PRODUCERRANKING_H
#define CONV_SCHEDULE_RANKING_PRODUCERRANKING_H

#include "conv/Schedule/KernelRules.h"

namespace mlir::conv {

/// The legal candidates with TMA and mma.sync, in no order.
void addProducerTiles(const CandidateRequest &request,
                      SmallVectorImpl<RankedSchedule> &ranked);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_RANKING_PRODUCERRANKING_H
