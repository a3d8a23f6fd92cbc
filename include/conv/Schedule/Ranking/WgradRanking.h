//===- WgradRanking.h - candidates of wgrad with windows --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of windows (WgradWindows.h), and of images in registers (ImageTapSchedule.h).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_RANKING_WGRADRANKING_H
#define CONV_SCHEDULE_RANKING_WGRADRANKING_H

#include "conv/Schedule/KernelRules.h"

namespace mlir::conv {

/// Appends the legal candidates with windows, in no order.
void addWgradWindows(const CandidateRequest &request,
                     SmallVectorImpl<RankedSchedule> &ranked);

/// The same of images in registers.
void addImageTaps(const CandidateRequest &request,
                  SmallVectorImpl<RankedSchedule> &ranked);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_RANKING_WGRADRANKING_H
