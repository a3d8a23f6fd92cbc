//===- FilterBandModel.cpp - what depthwise images in bands take ----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  the shape of a kernel of bands, and a chip.
// Output: its time: steps of rounds of workgroups. A step copies a line of x
//         and stores one of y. Products take no time of their own: they are
//         hidden behind both, whatever the filter.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Model/FilterBandModel.h"

#include "conv/Chip/Chip.h"
#include "conv/Schedule/Model/Rates.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::conv::h200;

int64_t conv::countResidentBands(const FilterBands &bands,
                                 const ChipInfo &chip) {
  int64_t registers = bands.countRegisters() + int64_t(kRegistersBesideBands);
  int64_t byRegisters = chip.registersPerSM / (bands.getThreads() * registers);
  int64_t byMemory = chip.sharedPerSM / bands.getSharedBytes();
  return std::max<int64_t>(1, std::min(byRegisters, byMemory));
}

double conv::getFilterBandCycles(const FilterBands &bands, const ChipInfo &chip,
                                 TimeParts *parts) {
  int64_t resident = countResidentBands(bands, chip);
  int64_t workgroups = bands.countWorkgroups();
  int64_t perRound = resident * chip.multiprocessors;
  // Of a round: workgroups of a multiprocessor slow each other down.
  auto getTime = [](int64_t together) {
    return together == 0 ? 0.0 : 1 + kShareOfNextBand * double(together - 1);
  };
  int64_t rest = llvm::divideCeil(workgroups % perRound, chip.multiprocessors);
  double rounds =
      double(workgroups / perRound) * getTime(resident) + getTime(rest);
  double steps = rounds * double(bands.lines + bands.getFilterLines() - 1);
  double bytes = double((bands.getStageElements() + bands.getLineElements()) *
                        Bands::kElementBytes);
  return note(parts, TimePart::Copies,
              steps * bytes / kFilterBandBytesPerCycle) +
         note(parts, TimePart::Fixed, steps * kCyclesPerFilterBandStep) +
         note(parts, TimePart::Launch, kCyclesPerFilterBandLaunch);
}
