//===- SwappedRanking.h - candidates with swapped operands ------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_RANKING_SWAPPEDRANKING_H
#define CONV_SCHEDULE_RANKING_SWAPPEDRANKING_H

#include "conv/Schedule/KernelRules.h"

namespace mlir::conv {

/// Appends the legal schedules whose windows' positions are the columns of
/// wgmma (SwappedOperands.h), in no order.
void addSwappedWindows(const CandidateRequest &request,
                       SmallVectorImpl<RankedSchedule> &ranked);

/// The same without windows, with tiles of whole images, for results with their
/// channels first whose images end within sectors.
void addSwappedImages(const CandidateRequest &request,
                      SmallVectorImpl<RankedSchedule> &ranked);

/// The same without windows, with tiles of equal size in one to three rounds:
/// for problems that leave multiprocessors idle with tiles of 64 or 128 rows.
void addSwappedTiles(const CandidateRequest &request,
                     SmallVectorImpl<RankedSchedule> &ranked);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_RANKING_SWAPPEDRANKING_H
