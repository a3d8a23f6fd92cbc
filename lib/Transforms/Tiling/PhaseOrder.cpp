//===- PhaseOrder.cpp - the order of tiles of stride phases ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PhaseOrder.h"

#include "Support/IndexMath.h"
#include "Support/Intervals.h"
#include "conv/Chip/Chip.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

/// Rounds of all phases from which on the order of memory counts for more than
/// the balance of the last round.
static constexpr int64_t kLeastRounds = 2;

/// By how much the turn of phases moves on from one round to the next, so that
/// a workgroup, whose next position is `positions` away, meets all of them.
static int64_t getTurnOfRound(int64_t positions, int64_t phases) {
  int64_t turn = 0;
  while (std::gcd(positions + turn, phases) != 1)
    ++turn;
  return turn;
}

/// Position i of the first ones is tile i / P of a phase, P phases in turn.
/// Positions that are left, where some phases have more tiles, follow.
Value mlir::conv::emitPhaseOrder(OpBuilder &builder, Location loc,
                                 Value position, ArrayRef<int64_t> firstTiles,
                                 int64_t columns, int64_t multiprocessors) {
  int64_t phases = int64_t(firstTiles.size()) - 1;
  if (firstTiles.back() * columns < kLeastRounds * phases * multiprocessors)
    return position;
  SmallVector<int64_t> counts;
  for (int64_t p = 0; p < phases; ++p)
    counts.push_back(firstTiles[p + 1] - firstTiles[p]);
  int64_t common = *llvm::min_element(counts);

  IndexMath math(builder, loc);
  Value tile = math.div(position, phases);
  int64_t positions = std::max<int64_t>(multiprocessors / columns, 1);
  Value round = math.div(tile, std::max<int64_t>(positions / phases, 1));
  Value turn = math.add(math.rem(position, phases),
                        math.mul(round, getTurnOfRound(positions, phases)));
  Value number = math.add(
      lookUpEntry(math, math.rem(turn, phases), firstTiles.drop_back()), tile);
  if (common * phases == firstTiles.back())
    return number;

  // Those left of phase p begin where those of the phases before it end.
  Value left = math.sub(position, math.constant(common * phases));
  if (counts.size() > kMostChoices) {
    SmallVector<int64_t> firstLeft = {0};
    for (int64_t count : counts)
      firstLeft.push_back(firstLeft.back() + count - common);
    Value phase = findInterval(math, left, firstLeft);
    Value ofLeft = math.add(math.add(left, math.mul(phase, common)),
                            firstTiles[0] + common);
    return math.select(math.isBelow(position, common * phases), number, ofLeft);
  }
  Value ofLeft = math.add(left, firstTiles[0] + common);
  int64_t before = 0;
  for (int64_t p = 1; p < phases; ++p) {
    before += counts[p - 1] - common;
    Value ofPhase = math.add(left, firstTiles[p] + common - before);
    ofLeft = math.select(math.isBelow(left, before), ofLeft, ofPhase);
  }
  return math.select(math.isBelow(position, common * phases), number, ofLeft);
}
