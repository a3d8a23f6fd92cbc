//===- Rates.cpp - rates that models of time share ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Model/Rates.h"

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::conv::h200;

double conv::getStoreCycles(ScheduleAttr schedule, double resultBytes) {
  return schedule.getTile()[0] * schedule.getTile()[1] * resultBytes /
             kStoreBytesPerCycle +
         kCyclesPerTile;
}

double conv::getSumCycles(double sums, const ChipInfo &chip) {
  return kCyclesPerSum +
         sums * kPartBytes / (kSumBytesPerCycle * chip.multiprocessors);
}
