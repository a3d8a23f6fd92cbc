//===- Rounds.cpp - rounds of tiles ---------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Shape/Rounds.h"

#include "conv/Schedule/Shape/ClusterShape.h"

using namespace mlir;
using namespace mlir::conv;

Rounds conv::divideIntoRounds(ScheduleAttr schedule, int64_t tiles,
                              const convmlir::ChipInfo &chip) {
  int64_t workgroups = getPersistentWorkgroups(schedule, chip);
  return {tiles / workgroups * workgroups, tiles % workgroups};
}
