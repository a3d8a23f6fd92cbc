//===- Rounds.h - rounds of tiles -------------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workgroups that stay take tiles in rounds, of which the last may be short.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_SHAPE_ROUNDS_H
#define CONV_SCHEDULE_SHAPE_ROUNDS_H

#include "conv/Chip/Chip.h"
#include "conv/Dialect/Conv/IR/ConvDialect.h"

namespace mlir::conv {

/// What a number of tiles, or of clusters of them, is divided into.
struct Rounds {
  int64_t whole; ///< Of whole rounds; 0 where there is none.
  int64_t rest;  ///< That are left.
};

/// `tiles` is a multiple of the cluster's size, and so is each result.
Rounds divideIntoRounds(ScheduleAttr schedule, int64_t tiles,
                        const convmlir::ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SHAPE_ROUNDS_H
