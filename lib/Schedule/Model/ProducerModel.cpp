//===- ProducerModel.cpp - time of kernels with TMA and mma.sync ----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of gemm-k takes about as long as the slowest of its products, what
// lanes and copies move through shared memory, and its copies from the L2
// cache.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Model/ProducerModel.h"
#include "conv/Dialect/Conv/IR/TailParts.h"
#include "conv/Schedule/Forms/TailSchedule.h"
#include "conv/Schedule/Model/Rates.h"
#include "conv/Schedule/Shape/Rounds.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::conv::h200;

static double combine(std::initializer_list<double> times) {
  double sum = 0;
  for (double time : times)
    sum += std::pow(time, kProducerExponent);
  return std::pow(sum, 1 / kProducerExponent);
}

/// Tiles that the busiest multiprocessor makes one after the other. Workgroups
/// that it holds together share what the model counts; one alone does not make
/// full use of it (an estimate).
static double countTurns(int64_t tiles, int64_t resident,
                         int64_t multiprocessors) {
  int64_t places = multiprocessors * resident, rest = tiles % places;
  double turns = tiles / places * resident;
  if (rest == 0)
    return turns;
  bool isAlone = resident > 1 && rest <= multiprocessors;
  return turns + (isAlone ? kTurnsOfOneAlone : resident);
}

double conv::getProducerCycles(ScheduleAttr schedule, const GemmShape &gemm,
                               const ChipInfo &chip, TimeParts *parts) {
  ArrayRef<int64_t> tile = schedule.getTile(), warps = schedule.getWarps();
  int64_t resident = schedule.getResident(), split = schedule.getSplit();
  double lineBytes = tile[2] * gemm.elementBytes;
  double copied = (tile[0] + tile[1]) * lineBytes;
  double read = (tile[0] * warps[1] + tile[1] * warps[0]) * lineBytes;
  double block =
      combine({note(parts, TimePart::Products,
                    tile[0] * tile[1] * tile[2] / kProductsPerCycle),
               note(parts, TimePart::Shared,
                    (read + copied) / kSharedBytesPerCycle),
               note(parts, TimePart::Copies, copied / kCopyBytesPerCycle)}) +
      note(parts, TimePart::Fixed, kCyclesPerProducerBlock / resident);
  int64_t blocks = llvm::divideCeil(gemm.channels, tile[2]);
  double end = kCyclesPerTile +
               tile[0] * tile[1] * kPartBytes / kStoreBytesPerCycle / resident;
  auto getRounds = [&](int64_t tiles, int64_t parts) {
    return countTurns(tiles * parts, resident, chip.multiprocessors) *
           (llvm::divideCeil(blocks, parts) * block + end);
  };
  int64_t tiles = countTiles(schedule, gemm);
  Rounds rounds = {tiles, 0};
  if (hasTail(schedule))
    rounds = divideIntoRounds(schedule, tiles, gemm.chip);
  double kernel = getRounds(rounds.whole, split);
  kernel += hasEvenTail(schedule)
                ? getEvenTailCycles(schedule, gemm, block, end)
                : getRounds(rounds.rest, schedule.getTail());
  if (parts) {
    double mine = llvm::divideCeil(blocks, split);
    parts->spread(mine, end, mine * block + end, kernel);
  }
  double memory = note(parts, TimePart::Memory,
                       (gemm.memory.readBytes + gemm.memory.writtenBytes) /
                           kMemoryBytesPerCycle);
  double time =
      combine({kernel + note(parts, TimePart::Launch, kCyclesPerProducerLaunch),
               memory});
  if (split > 1)
    time += note(parts, TimePart::Sums,
                 getSumCycles(double(gemm.getResults()) * split, chip));
  return time +
         note(parts, TimePart::Sums, getTailSumCycles(schedule, gemm, chip));
}
