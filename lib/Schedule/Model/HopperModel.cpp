//===- HopperModel.cpp - time of kernels with TMA and wgmma ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of gemm-k takes as long as the slowest of its products, what they and
// the copies move through shared memory, its copies from the L2 cache, and the
// time from a slot's release to its next block. Bytes that are copied while
// products are made take power from them: the clock is lower. A tile's end is
// hidden in part where teams take turns. All together takes about as long as
// the slower of this and the traffic of memory.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Model/HopperModel.h"

#include "conv/Dialect/Conv/IR/SwappedOperands.h"
#include "conv/Dialect/Conv/IR/TailParts.h"
#include "conv/Geometry/SharedTile.h"
#include "conv/Schedule/Forms/GatherSchedule.h"
#include "conv/Schedule/Forms/Kn2rowSchedule.h"
#include "conv/Schedule/Forms/PhasePairs.h"
#include "conv/Schedule/Forms/TailSchedule.h"
#include "conv/Schedule/Forms/Windows.h"
#include "conv/Schedule/Forms/ZeroFill.h"
#include "conv/Schedule/HopperSchedule.h"
#include "conv/Schedule/KeptOperands.h"
#include "conv/Schedule/Model/GatherModel.h"
#include "conv/Schedule/Model/Rates.h"
#include "conv/Schedule/Resources.h"
#include "conv/Schedule/Shape/Accesses.h"
#include "conv/Schedule/Shape/ChannelsFirstResult.h"
#include "conv/Schedule/Shape/ClusterShape.h"
#include "conv/Schedule/Shape/FragmentShape.h"
#include "conv/Schedule/Shape/KernelThreads.h"
#include "conv/Schedule/Shape/Rounds.h"
#include "conv/Schedule/Shape/RowSumLayout.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::conv::h200;
using convmlir::PanelTile;

/// Rows that a block of gemm-k copies, and rows of the result in tiles.
static WindowTraffic getTraffic(ScheduleAttr schedule, const GemmShape &gemm,
                                GemmShape::Phase phase) {
  if (!schedule.getWindow())
    return {phase.m,
            double(schedule.getTile()[0]) / getClusterN(schedule) +
                (getKeptOperand(schedule, gemm) == KeptOperand::Right
                     ? 0
                     : double(schedule.getTile()[1]) / getClusterM(schedule))};
  return getWindowTraffic(schedule, gemm);
}

namespace {
/// What TMA copies of one operand for a block of gemm-k.
struct CopiedTile {
  PanelTile tile;
  int64_t columns; ///< Of the operand, along the tile's rows.

  /// Of all panels: TMA writes one of these at a time, however short.
  double countRows() const {
    return double(tile.getRows()) * tile.getNumPanels();
  }
  bool isNarrow() const {
    return tile.getSpanBytes() < PanelTile::kMaxSpanBytes;
  }
  /// One panel of the last tile of a row sticks out of the operand.
  double getClippedCycles() const {
    if (columns % tile.getPanelColumns() == 0)
      return 0;
    return kCyclesPerClippedRow * tile.getRows() /
           llvm::divideCeil(columns, tile.getColumns());
  }
};
} // namespace

/// Of a tile with `mn` rows or columns, of `all` that the operand has.
static CopiedTile getCopiedTile(ScheduleAttr schedule, const GemmShape &gemm,
                                int64_t mn, int64_t all, bool isMnMajor) {
  int64_t k = schedule.getTile()[2];
  if (isMnMajor)
    return {PanelTile(k, mn, gemm.elementBytes), all};
  return {PanelTile(mn, k, gemm.elementBytes), gemm.channels};
}

static CopiedTile getCopiedB(ScheduleAttr schedule, const GemmShape &gemm) {
  return getCopiedTile(schedule, gemm, schedule.getTile()[1], gemm.n,
                       gemm.b.isMnMajor);
}

/// Of a matrix that is gathered, the part that is padding. Of many taps some
/// are looked at.
static double getPaddingShare(const convmlir::MatrixView &view) {
  constexpr int64_t mostTaps = 64;
  double inside = 1;
  for (int d = 0; d < view.spatialRank; ++d) {
    double positions = 0, all = 0;
    int64_t next = llvm::divideCeil(view.taps[d], mostTaps);
    for (int64_t tap = next / 2; tap < view.taps[d]; tap += next) {
      int64_t first = view.offset[d] + tap * view.step[d];
      auto countBelow = [&](int64_t end) {
        return std::clamp<int64_t>(
            llvm::divideCeilSigned(end - first, view.stride[d]), 0,
            view.rows[d]);
      };
      positions += countBelow(view.extent[d]) - countBelow(0);
      all += view.rows[d];
    }
    inside *= all > 0 ? positions / all : 0;
  }
  return 1 - inside;
}

/// Whether the operand is a filter with narrow panels that many workgroups read
/// at the same time.
static bool isSharedByMany(ScheduleAttr schedule, const GemmShape &gemm,
                           const CopiedTile &b) {
  double tiles = llvm::divideCeil(gemm.n, schedule.getTile()[1]);
  return b.isNarrow() && gemm.b.isMnMajor && !gemm.wgrad.reducesRows &&
         getPersistentWorkgroups(schedule, gemm.chip) / tiles >=
             kWorkgroupsThatShare;
}

/// Of an operand of a block, of whose tiles `sharers` workgroups of a cluster
/// load one together: its bytes, or its rows.
static double getOperandCycles(const CopiedTile &copied, double cyclesPerRow,
                               int64_t sharers) {
  double bytes = copied.tile.getBytes() / (kCopyBytesPerCycle * sharers);
  return std::max(bytes, copied.countRows() * cyclesPerRow) +
         copied.getClippedCycles() / sharers;
}

/// Cycles of the copies of a block.
static double getCopyCycles(ScheduleAttr schedule, const GemmShape &gemm,
                            double copiedRows) {
  ArrayRef<int64_t> tile = schedule.getTile();
  double rowBytes = tile[2] * gemm.elementBytes;
  if (schedule.getWindow())
    return copiedRows * rowBytes / kCopyBytesPerCycle;
  int64_t clusterM = getClusterM(schedule), clusterN = getClusterN(schedule);
  double padding = gemm.views.window ? kCyclesPerPaddingRow *
                                           getPaddingShare(*gemm.views.window)
                                     : 0;
  CopiedTile a = getCopiedTile(schedule, gemm, tile[0], gemm.phases.front().m,
                               gemm.a.isMnMajor);
  CopiedTile b = getCopiedB(schedule, gemm);
  double rowOfA = kCyclesPerPanelRow;
  double rowOfB = isSharedByMany(schedule, gemm, b)
                      ? kCyclesPerSharedRow / clusterM
                      : kCyclesPerPanelRow;
  (gemm.wgrad.reducesRows ? rowOfB : rowOfA) += padding;
  double cycles = getOperandCycles(a, rowOfA, clusterN);
  if (getKeptOperand(schedule, gemm) != KeptOperand::Right)
    cycles += getOperandCycles(b, rowOfB, clusterM);
  if (gemm.wgrad.reducesRows)
    cycles =
        std::max(cycles, kCyclesPerWgradSlot +
                             kCyclesPerWgradPanel * (a.tile.getNumPanels() +
                                                     b.tile.getNumPanels()));
  if (!gemm.gathered.hasVolumes)
    return cycles;
  double rows = gemm.wgrad.reducesRows ? double(tile[1]) / clusterM
                                       : double(tile[0]) / clusterN;
  return std::max(cycles, rows * rowBytes / kVolumeBytesPerCycle);
}

namespace {
/// The instructions that multiply a block, each of 64 rows and so many columns.
struct BlockProducts {
  double instructions;
  double columns;

  double getCycles() const { return instructions * columns / 2; }
  /// Of 32 bytes of gemm-k.
  double getReadBytes() const {
    return instructions * (kRowsOfWgmma + columns) * 32;
  }
};
} // namespace

/// Where operands are swapped, positions between two rows of a window are
/// multiplied as well.
static BlockProducts getBlockProducts(ScheduleAttr schedule,
                                      const GemmShape &gemm) {
  ArrayRef<int64_t> tile = schedule.getTile();
  double steps = tile[2] * gemm.elementBytes / 32.0;
  double blocks = swapsOperands(schedule)
                      ? double(schedule.getWarps()[0] * tile[1]) / kRowsOfWgmma
                      : double(tile[0]) / kRowsOfWgmma;
  return {blocks * steps, double(getInstructionColumns(schedule, gemm))};
}

/// Slots that products hold: of a block of each team. With 4 slots two teams
/// took 1.15 to 1.27 times as long as with 6 (128x128), and 1.2 times as long
/// as with 8 (64x256, 13 problems of 16 bits). Others, rings beside windows and
/// those of filters as rows were fitted without.
static double getHeldSlots(ScheduleAttr schedule, const GemmShape &gemm) {
  bool isMeasured =
      gemm.isPlain() && !schedule.getWindow() && !swapsOperands(schedule);
  return kHeldSlots * (isMeasured ? schedule.getTeams() : 1);
}

/// Of taps that have sums of their own.
static double getTapBlockCycles(ScheduleAttr schedule, const GemmShape &gemm,
                                TimeParts *parts) {
  constexpr int64_t alignedLine = 16, panel = 64;
  ArrayRef<int64_t> tile = schedule.getTile();
  double channels = double(tile[2]) / panel; // In units of 64.
  double positions = getKn2rowColumns(schedule);
  bool keeps = getKeptOperand(schedule, gemm) == KeptOperand::Left;
  BlockProducts block = getBlockProducts(schedule, gemm);
  block.instructions *= gemm.kn2row.tapSums;
  double products =
      kTapProducts * block.getCycles() +
      channels * (kCyclesPerTapBlock + kCyclesPerTapPanel * positions / panel -
                  (keeps ? kCyclesOfTapFilters : 0));
  double rows = positions;
  if (!keeps)
    rows += double(gemm.kn2row.tapSums * tile[0]) / getClusterN(schedule);
  double copies = rows * tile[2] * gemm.elementBytes / kTapCopyBytesPerCycle;
  if (gemm.kn2row.line % alignedLine != 0 && !keeps &&
      getClusterN(schedule) == 1)
    copies += channels * kCyclesPerShiftedBlock;
  double slots =
      countKn2rowSlots(schedule, gemm) - kHeldSlots * schedule.getTeams();
  return std::max({note(parts, TimePart::Products, products),
                   note(parts, TimePart::Copies, copies),
                   note(parts, TimePart::Latency, kSlotCycles / slots)});
}

/// `sumsRows`: other warps read the tile of A as well, and add its rows.
static double getBlockCycles(ScheduleAttr schedule, const GemmShape &gemm,
                             double copiedRows, bool sumsRows = false,
                             TimeParts *parts = nullptr) {
  if (gemm.kn2row.tapSums > 1)
    return getTapBlockCycles(schedule, gemm, parts);
  ArrayRef<int64_t> tile = schedule.getTile();
  double rowBytes = tile[2] * gemm.elementBytes;
  BlockProducts block = getBlockProducts(schedule, gemm);
  double products = block.getCycles();
  if (getRegistersPerSum(gemm) > 1)
    products += kExposedAdditions * tile[0] * tile[1] / kAdditionsPerCycle;
  double shared = (kShareOfReads * block.getReadBytes() +
                   kShareOfWrites * copiedRows * rowBytes) /
                  kSharedBytesPerCycle;
  double gatheredRows = getGatheredRows(schedule, gemm, copiedRows);
  double copies = getCopyCycles(schedule, gemm, copiedRows);
  if (schedule.getWindow())
    shared += kTransposedWindowFactor * gatheredRows * rowBytes /
              kSharedBytesPerCycle;
  double gathers = getGatherCycles(schedule, gemm, gatheredRows * rowBytes,
                                   block.getReadBytes());
  if (getImageSlots(schedule, gemm)) {
    double others = (copiedRows - gatheredRows) * rowBytes;
    shared = gathers + kBesideImages * (block.getReadBytes() + others) /
                           kSharedBytesPerCycle;
  }
  double sums = 0;
  if (sumsRows) {
    double bytes = tile[0] * rowBytes;
    shared += bytes / kSharedBytesPerCycle;
    int64_t warps = 0;
    if (gemm.wgrad.isKMajor) {
      if (auto lines = LineSumLayout::get(tile[0], tile[2], gemm.elementBytes))
        warps = lines->warps;
    } else if (auto rows =
                   RowSumLayout::get(tile[2], tile[0], gemm.elementBytes)) {
      warps = rows->warps;
    }
    if (warps > 0)
      sums = bytes / (convmlir::kChunkBytes * kWarpSize * warps) *
             kCyclesPerSummedChunk;
  }
  double cycles =
      std::max({products, shared, copies, schedule.getWindow() ? 0 : gathers,
                sums, kLeastCyclesOfBlock});
  bool keepsFilter = getKeptOperand(schedule, gemm) == KeptOperand::Right;
  if (!schedule.getWindow() || !keepsFilter) {
    double slot =
        kSlotCycles / (schedule.getStages() - getHeldSlots(schedule, gemm));
    cycles = std::max(cycles, note(parts, TimePart::Latency, slot));
    if (schedule.getWindow()) {
      double least = gemm.elementBytes == 2 ? kLeastCyclesOfWindowBlock : 0;
      double filter = kFilterRowFactor * kCyclesPerPanelRow *
                      getCopiedB(schedule, gemm).countRows();
      cycles = kWindowFactor * std::max({cycles, least, filter});
    }
  }
  // Products do not stop for what transposes windows, but are slower beside it.
  if (schedule.getWindow())
    cycles += gathers;
  if (products <= kShortBlock && schedule.getTeams() > 1 && gemm.n > tile[1] &&
      keepsFilter)
    cycles += note(parts, TimePart::Fixed, kCyclesPerShortBlock);
  note(parts, TimePart::Products, products);
  note(parts, TimePart::Shared, shared);
  note(parts, TimePart::Copies, copies);
  note(parts, TimePart::Gathers, gathers);
  return cycles + kPowerOfCopies * copies +
         note(parts, TimePart::Fixed, kCyclesPerBlock);
}

/// Of the tensors like the result that the epilogue reads, those that are
/// loaded ahead: one, where a warpgroup stages all of its part
/// (LoadsAhead.cpp).
static int64_t countReadAhead(ScheduleAttr schedule, const GemmShape &gemm) {
  return gemm.epilogue.readResults > 0 && schedule.getSplit() == 1 &&
                 schedule.getStaging() == 0
             ? 1
             : 0;
}

static double getReadBytes(ScheduleAttr schedule, const GemmShape &gemm) {
  return double(schedule.getTile()[0]) * schedule.getTile()[1] *
         gemm.epilogue.resultBytes;
}

/// Of what the epilogue reads, but for what a team waits for.
static double getReadCycles(ScheduleAttr schedule, const GemmShape &gemm) {
  if (gemm.epilogue.readResults == 0 || schedule.getSplit() > 1)
    return 0;
  double bytes = getReadBytes(schedule, gemm);
  int64_t ahead = countReadAhead(schedule, gemm);
  double sums = double(schedule.getTile()[0]) * schedule.getTile()[1];
  double rate = !swapsOperands(schedule) &&
                        sums > kMostSumsBesideReads * schedule.getThreads()
                    ? kAheadOneByOneBytesPerCycle
                    : kAheadBytesPerCycle;
  double waited =
      schedule.getTeams() > 1
          ? 0
          : (gemm.epilogue.readResults - ahead) / kWaitedBytesPerCycle;
  return bytes * (ahead / rate + waited);
}

/// Of what a team waits for.
static double getWaitedCyclesOfTeam(ScheduleAttr schedule,
                                    const GemmShape &gemm) {
  if (schedule.getTeams() == 1 || schedule.getSplit() > 1)
    return 0;
  return (gemm.epilogue.readResults - countReadAhead(schedule, gemm)) *
         getReadBytes(schedule, gemm) / kWaitedBytesPerCycleOfTeam;
}

/// Of that, and of the room that what is loaded ahead takes, beside products of
/// so many cycles of each of two teams.
static double getReadCyclesOfTeam(ScheduleAttr schedule, const GemmShape &gemm,
                                  double products) {
  double waited = getWaitedCyclesOfTeam(schedule, gemm);
  double cycles = kShareOfWait * waited + std::max(waited - products, 0.0) / 2;
  if (schedule.getTeams() > 1 && !swapsOperands(schedule))
    cycles += kShareOfReadAhead * countReadAhead(schedule, gemm) * products;
  return cycles;
}

/// Sectors that a kernel writes in part where its threads store a tile with
/// channels first (ChannelRows.h).
static double countPartialSectors(ScheduleAttr schedule,
                                  const GemmShape &gemm) {
  double bytes = gemm.epilogue.resultBytes, rows = getStagedRows(schedule);
  double runs;
  if (gemm.stored.distance > 1) {
    runs =
        rows * std::min(1.0, gemm.stored.distance * bytes / kSectorBytes) / 2;
  } else if (gemm.stored.positions == 1 && gemm.stored.imagePositions > 0 &&
             gemm.stored.imagePositions <= rows) {
    // The images that lie in the part but for some positions.
    runs = 1 + (gemm.stored.imagePositions - 1) / kLanes;
  } else {
    double piece =
        std::min<double>(gemm.stored.positions, convmlir::kChunkBytes / bytes);
    runs = std::ceil(rows / (kLanes * piece));
  }
  return 2 * runs * schedule.getTile()[1] * (schedule.getTile()[0] / rows);
}

/// Of the words that warps store where zeros lie between the values. Most have
/// two elements.
static double getCellsCycles(ScheduleAttr schedule, const GemmShape &gemm) {
  constexpr double elements = 2;
  double rows = 0;
  for (GemmShape::Phase phase : gemm.phases)
    rows += phase.m;
  double cell = rows / std::max<double>(gemm.phases.front().m, 1);
  return kCyclesPerWarpStore * schedule.getTile()[0] * schedule.getTile()[1] *
         cell / (kLanes * elements);
}

/// Whether threads store rows of the result one element at a time: short ones,
/// of an odd number of elements (UnalignedRows.h).
static bool storesElements(const GemmShape &gemm) {
  return gemm.stored.positions == 0 && gemm.n % FragmentShape::kHeldN != 0 &&
         gemm.n * gemm.epilogue.resultBytes < kLeastUnalignedBytes;
}

/// What stores of a tile take besides their bytes: rows of panels by TMA, or,
/// where channels become first and images are no boxes (ChannelBoxes.h), pieces
/// by threads.
static double getStoredPiecesCycles(ScheduleAttr schedule,
                                    const GemmShape &gemm) {
  ArrayRef<int64_t> tile = schedule.getTile();
  constexpr int64_t boxBytes = 2, lanes = 32, sectorBytes = 32;
  if (storesCells(gemm))
    return getCellsCycles(schedule, gemm);
  if (storesElements(gemm))
    return kCyclesPerElementStore * tile[0] * tile[1] / lanes;
  bool isBox = gemm.epilogue.resultBytes == boxBytes &&
               gemm.stored.positions % kRowsOfWgmma == 0 &&
               gemm.stored.distance == 1 && !swapsOperands(schedule);
  if (gemm.stored.positions == 0 || isBox)
    return kCyclesPerStoredRow * tile[0] *
           PanelTile(1, tile[1], gemm.epilogue.resultBytes).getNumPanels();
  bool isImages = countWholeImages(schedule, gemm) > 0;
  int64_t most = isImages ? int64_t(FragmentShape::kHeldN)
                          : convmlir::kChunkBytes / gemm.epilogue.resultBytes;
  int64_t piece = std::min(gemm.stored.positions, most);
  double cycles = kCyclesPerWarpStore * tile[0] * tile[1] / (lanes * piece);
  // Threads stage them, and runs of whole images leave by TMA.
  if (isImages)
    return cycles;
  if (gemm.stored.pairedLine > 0)
    return cycles + getExposedCyclesOfLines(gemm) * tile[0] * tile[1];
  if (gemm.stored.positions * gemm.epilogue.resultBytes % sectorBytes != 0)
    cycles += kCyclesPerPartialSector * countPartialSectors(schedule, gemm);
  return cycles;
}

/// What parts of a tile of dw wait for until those before them have left.
static double getLeavingCycles(ScheduleAttr schedule, const GemmShape &gemm) {
  double parts = countStagedParts(schedule);
  double bytes =
      schedule.getTile()[0] * schedule.getTile()[1] * gemm.epilogue.resultBytes;
  return (parts - 1) / parts * bytes / kLeavingBytesPerCycle;
}

/// Between the products of one tile and those of the next.
static double getEndCycles(ScheduleAttr schedule, const GemmShape &gemm) {
  double resultBytes =
      schedule.getSplit() > 1 ? kPartBytes : gemm.epilogue.resultBytes;
  if (countWholeImages(schedule, gemm) > 0 && getImageSlots(schedule, gemm))
    return kCyclesPerTile +
           kStagedImages * getStoredPiecesCycles(schedule, gemm);
  double cycles = getStoreCycles(schedule, resultBytes);
  if (schedule.getSplit() == 1)
    cycles += gemm.wgrad.reducesRows ? getLeavingCycles(schedule, gemm)
                                     : getStoredPiecesCycles(schedule, gemm);
  cycles += getReadCycles(schedule, gemm);
  return schedule.getWindow() ? cycles + kCyclesPerWindowTile : cycles;
}

/// Cycles of equal tiles in rounds, the last of which may be in parts.
static double getCyclesOfRounds(ScheduleAttr schedule, const GemmShape &gemm,
                                int64_t tiles, int64_t workgroups, double tile,
                                double block, double hidden) {
  if (!hasTail(schedule))
    return llvm::divideCeil(tiles, workgroups) * tile;
  GemmShape::Phase phase = gemm.phases.front();
  double storing = hidden * getStoreCycles(schedule, kPartBytes);
  Rounds rounds = divideIntoRounds(schedule, tiles, gemm.chip);
  double whole = rounds.whole / workgroups * tile;
  if (hasEvenTail(schedule))
    return whole +
           kEvenFactor *
               getEvenTailCycles(schedule, gemm,
                                 gemm.hasImages() ? block : phase.taps * block,
                                 storing + kCyclesPerEvenPart);
  int64_t parts = schedule.getTail(), taps = phase.taps;
  int64_t blocks = llvm::divideCeil(gemm.channels, schedule.getTile()[2]);
  int64_t longest =
      !gemm.hasImages() && parts > blocks
          ? llvm::divideCeil(taps, parts) * blocks
          : gemm.getLongestPart(phase, parts, schedule.getTile()[2]);
  return whole + llvm::divideCeil(rounds.rest * parts, workgroups) *
                     (longest * block + storing);
}

/// Whether warps sum rows of tiles of dy. What sums of lines take where these
/// have their channels first is not modelled.
static bool sumsTiles(const GemmShape &gemm) {
  return gemm.wgrad.sumsRows && !gemm.isChannelsFirst;
}

/// Tiles of one row of tiles, in a part of gemm-k.
static double countTilesThatSum(ScheduleAttr schedule, const GemmShape &gemm) {
  return llvm::divideCeil(gemm.n, schedule.getTile()[1]) *
         gemm.wgrad.resultTaps;
}

namespace {
/// Tiles of a stride phase: how many there are, and the cycles of one, of a
/// block of it, and of the sums beside it.
struct TilesOfPhase {
  int64_t number = 0;
  double cycles = 0, block = 0, sums = 0;
};
} // namespace

static TilesOfPhase getTilesOfPhase(ScheduleAttr schedule,
                                    const GemmShape &gemm,
                                    GemmShape::Phase phase, double end,
                                    TimeParts *parts) {
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t split = schedule.getSplit();
  TilesOfPhase tiles;
  WindowTraffic traffic = getTraffic(schedule, gemm, phase);
  int64_t blocks = gemm.getLongestPart(phase, split, tile[2]);
  tiles.block = getBlockCycles(schedule, gemm, traffic.copiedRows,
                               /*sumsRows=*/false, parts);
  double allProducts = std::max<double>(blocks, 1) * tiles.block;
  tiles.cycles =
      allProducts + end + getReadCyclesOfTeam(schedule, gemm, allProducts);
  if (parts)
    parts->spread(std::max<double>(blocks, 1), tiles.cycles - allProducts,
                  tiles.cycles, /*kernel=*/1);
  // Tiles along gemm-n share out the blocks that are summed.
  if (sumsTiles(gemm) && !schedule.getGather())
    tiles.sums = blocks / countTilesThatSum(schedule, gemm) *
                 (getBlockCycles(schedule, gemm, traffic.copiedRows,
                                 /*sumsRows=*/true) -
                  tiles.block);
  tiles.number =
      llvm::alignTo(llvm::divideCeil(traffic.rows, tile[0]),
                    getClusterM(schedule)) *
      llvm::alignTo(llvm::divideCeil(gemm.n, tile[1]), getClusterN(schedule)) *
      gemm.wgrad.resultTaps * gemm.groups * split;
  return tiles;
}

/// Cycles of the workgroup with the most work. The parts are those of a tile of
/// the first phase, the longest, as shares of its time.
static double getKernelCycles(ScheduleAttr schedule, const GemmShape &gemm,
                              const ChipInfo &chip, TimeParts *parts) {
  double end = getEndCycles(schedule, gemm);
  double lastWait = kShareOfLastWait * getWaitedCyclesOfTeam(schedule, gemm);
  double hidden = 1, last = 1;
  if (schedule.getTeams() > 1) {
    hidden = gemm.wgrad.reducesRows ? kTeamFactorOfWgrad : kTeamFactor;
    last = gemm.wgrad.reducesRows ? kLastEndOfTeam : 1;
  }
  double all = 0, longest = 0;
  int64_t count = 0;
  TilesOfPhase tiles;
  ArrayRef<GemmShape::Phase> phases = getPhasesOfTiles(schedule, gemm);
  const GemmShape::Phase *before = nullptr;
  for (const GemmShape::Phase &phase : phases) {
    // Of many phases most are like the one before.
    if (!before || phase.m != before->m || phase.taps != before->taps)
      tiles = getTilesOfPhase(schedule, gemm, phase, hidden * end,
                              before ? nullptr : parts);
    before = &phase;
    all += tiles.number * tiles.cycles;
    count += tiles.number;
    longest = std::max(longest, tiles.cycles);
  }
  int64_t workgroups =
      getResidentWorkgroups(chip.multiprocessors, schedule.getClusterSize());
  double ofCluster =
      gemm.kn2row.tapSums > 1 ? kTapClusterFactor : kClusterFactor;
  double factor = schedule.getClusterSize() > 1 ? ofCluster : 1;
  // Equal tiles take whole rounds, and nothing hides the last one's end; short
  // ones fill what long ones leave. Zeros beside a tile leave while it is
  // multiplied: they are traffic of memory.
  if (phases.size() == 1)
    return factor * (getCyclesOfRounds(schedule, gemm, count, workgroups,
                                       longest, tiles.block, hidden) +
                     (last - hidden) * end + lastWait + tiles.sums);
  if (gemm.stored.pairedLine > 0)
    all *= 2.0 * countPairRounds(schedule, count / 2, gemm.chip) * workgroups *
           schedule.getTeams() / count;
  return factor * std::max(all / workgroups, longest);
}

/// Of a kernel that transposes the result. What adds parts does it on the way.
static double getResultTranspositionCycles(const GemmShape &gemm) {
  return kCyclesPerTmaLaunch +
         gemm.memory.writtenBytes / kMemoryReadBytesPerCycle +
         gemm.memory.writtenBytes / kMemoryWrittenBytesPerCycle;
}

static double getCycles(ScheduleAttr schedule, const GemmShape &gemm,
                        const ChipInfo &chip, TimeParts *parts);

double conv::getModelledCycles(ScheduleAttr schedule, const GemmShape &gemm,
                               const ChipInfo &chip, TimeParts *parts) {
  if (gemm.stored.pairedLine > 0)
    return getCycles(schedule, getPairedShape(schedule, gemm), chip, parts);
  int64_t neighbours = getPackedNeighbours(schedule, gemm);
  if (neighbours == 0 || gemm.stored.positions == 0)
    return getCycles(schedule, gemm, chip, parts);
  GemmShape packed = gemm;
  packed.stored.positions = neighbours;
  packed.stored.imagePositions = 0;
  return getCycles(schedule, packed, chip, parts);
}

static double getCycles(ScheduleAttr schedule, const GemmShape &gemm,
                        const ChipInfo &chip, TimeParts *parts) {
  double kernel = getKernelCycles(schedule, gemm, chip, parts);
  if (parts)
    parts->scale(kernel);
  kernel += note(parts, TimePart::Launch, kCyclesPerTmaLaunch);
  double readBytes = gemm.memory.readBytes + getFilledBytes(schedule, gemm) +
                     double(gemm.epilogue.readResults) * gemm.getResults() *
                         gemm.epilogue.resultBytes;
  double memory = readBytes / kMemoryReadBytesPerCycle +
                  gemm.memory.writtenBytes / kMemoryWrittenBytesPerCycle;
  note(parts, TimePart::Memory, memory);
  double time = std::pow(
      std::pow(kernel, kExponent) + std::pow(memory, kExponent), 1 / kExponent);
  if (schedule.getSplit() > 1)
    time += note(
        parts, TimePart::Sums,
        getSumCycles(double(gemm.getResults()) * schedule.getSplit(), chip));
  else if (gemm.stored.isTransposed && gemm.stored.positions == 0)
    time += note(parts, TimePart::Transpositions,
                 getResultTranspositionCycles(gemm));
  else if (sumsTiles(gemm) && !hasTail(schedule) &&
           countTilesThatSum(schedule, gemm) > 1)
    time += note(parts, TimePart::Sums, kCyclesPerSum);
  // Two kernels of their own, which read dy again.
  if (sumsTiles(gemm) && schedule.getGather())
    time +=
        note(parts, TimePart::Sums,
             2 * kCyclesPerSum + double(gemm.phases.front().m) * gemm.channels *
                                     gemm.groups * gemm.elementBytes /
                                     kMemoryReadBytesPerCycle);
  if (gemm.kn2row.tapSums > 1) {
    if (parts)
      parts->scale(kTapFactor);
    time = kTapFactor * time +
           note(parts, TimePart::Transpositions,
                double(gemm.kn2row.tapSums * gemm.phases.front().m) *
                    gemm.phases.front().taps * gemm.channels *
                    gemm.elementBytes / kTapFilterBytesPerCycle);
  }
  return time +
         note(parts, TimePart::Sums, getTailSumCycles(schedule, gemm, chip));
}
