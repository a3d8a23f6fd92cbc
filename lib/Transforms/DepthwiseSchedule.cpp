//===- DepthwiseSchedule.cpp - schedules without matrices -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legality and model of kernels in which every thread has a few neighbouring
// positions of a line, as gemm-m of its tile, and neighbouring channels, as
// gemm-n (DepthwiseLoops.cpp).
//
//===----------------------------------------------------------------------===//

#include "DepthwiseSchedule.h"

#include "PlainKernels.h"
#include "ScheduleRanking.h"
#include "conv/Dialect/Conv/IR/Depthwise.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::MatrixView;
using llvm::formatv;

/// Sums of a thread: what registers have room for beside its factors.
static constexpr int64_t kMostSums = 128;

/// `block` and `split` are 1 but for wgrad.
static ScheduleAttr getSchedule(MLIRContext *context, int64_t positions,
                                int64_t channels, int64_t block = 1,
                                int64_t split = 1) {
  return ScheduleAttr::get(
      context, Algorithm::Loops, {positions, channels, block},
      /*warps=*/{1, 1}, /*stages=*/1, CopyKind::CpAsync, MmaKind::Fma, split);
}

static int64_t getElementBytes(ConvOpInterface op) {
  return op.getSourceElementType().getIntOrFloatBitWidth() / 8;
}

/// Of wgrad: positions of y that a thread sums products of.
static std::string whyIllegalParts(const MatrixView &view,
                                   ScheduleAttr schedule) {
  int64_t block = schedule.getTile()[2];
  int64_t line = view.taps[view.spatialRank - 1];
  if (line % block != 0 || (block == 1 && line > 1))
    return formatv("tile gemm-k ({0}) of algorithm loops must be more than 1 "
                   "and divide the {1} positions of a line of dy",
                   block, line);
  // More than this spills: a line of 31 taps by 4 channels does.
  constexpr int64_t mostSums = 64;
  if (int64_t sums = schedule.getTile()[0] * schedule.getTile()[1];
      sums > mostSums)
    return formatv("a thread of algorithm loops has up to {0} sums of wgrad, "
                   "but the tile has {1}x{2}",
                   mostSums, schedule.getTile()[0], schedule.getTile()[1]);
  int64_t factors = block * schedule.getTile()[1];
  if (factors > kMostSums)
    return formatv("a thread of algorithm loops has up to {0} elements of dy, "
                   "but the tile has {1}x{2}",
                   kMostSums, schedule.getTile()[1], block);
  if (int64_t blocks = view.numTaps() / block;
      blocks % schedule.getSplit() != 0)
    return formatv("split-k ({0}) of algorithm loops must divide the {1} "
                   "blocks of {2} positions that an image has",
                   schedule.getSplit(), blocks, block);
  return "";
}

static std::string whyIllegal(ConvOpInterface op, const MatrixView &view,
                              ScheduleAttr schedule) {
  int64_t positions = schedule.getTile()[0], channels = schedule.getTile()[1];
  int last = view.spatialRank - 1;
  bool isWgrad = op.getConvKind() == convmlir::ConvKind::Wgrad;
  int64_t block = isWgrad ? schedule.getTile()[2] : 1;
  int64_t split = isWgrad ? schedule.getSplit() : 1;
  if (schedule !=
      getSchedule(op->getContext(), positions, channels, block, split))
    return formatv("algorithm loops has {0}warps=1x1 stages=1 copy=cp_async "
                   "mma=fma, and no other keys",
                   isWgrad ? "" : "a tile with gemm-k of 1, split-k=1 ");
  if (view.rows[last] % positions != 0)
    return formatv("tile gemm-m ({0}) of algorithm loops must divide the {1} "
                   "{2} of a line",
                   positions, view.rows[last], isWgrad ? "taps" : "positions");
  int64_t most = kPlainAccessBytes / getElementBytes(op);
  if (!llvm::isPowerOf2_64(channels) || channels > most ||
      view.channels % channels != 0)
    return formatv(
        "tile gemm-n ({0}) of algorithm loops must be a power of two "
        "up to {1} that divides the {2} channels",
        channels, most, view.channels);
  if (positions * channels > kMostSums)
    return formatv("a thread of algorithm loops has up to {0} sums, but the "
                   "tile has {1}x{2}",
                   kMostSums, positions, channels);
  if (isWgrad)
    return whyIllegalParts(view, schedule);
  int64_t products = view.taps[last] * positions * channels;
  if (products > kMostUnrolledProducts)
    return formatv("a thread of algorithm loops has up to {0} products of one "
                   "line of the filter, but {1} taps and a tile of {2}x{3} "
                   "make {4}",
                   kMostUnrolledProducts, view.taps[last], positions, channels,
                   products);
  return "";
}

std::string conv::whyIllegalDepthwise(ConvOpInterface op,
                                      ScheduleAttr schedule) {
  convmlir::Result<MatrixView> view = getDepthwiseView(op);
  return view ? ::whyIllegal(op, *view, schedule) : view.error();
}

//===----------------------------------------------------------------------===//
// Model
//===----------------------------------------------------------------------===//

/// What memory moves, of operands and of the sums of parts.
static constexpr double kBytesPerCycle = 1700;

/// Columns of x that `taps` taps of a line read at the thread's positions: of
/// neighbouring ones many are the same.
static double countColumns(const MatrixView &view, double positions,
                           double taps) {
  int last = view.spatialRank - 1;
  return std::min(positions * taps,
                  (positions - 1) * double(std::abs(view.stride[last])) +
                      (taps - 1) * double(std::abs(view.step[last])) + 1);
}

/// Instructions of `taps` taps of a line at the thread's positions:
/// multiply-adds, what widens or rounds elements or makes zeros of them, and
/// loads with their addresses.
static double countLineInstructions(ConvOpInterface op, const MatrixView &view,
                                    ScheduleAttr schedule, double taps) {
  double positions = double(schedule.getTile()[0]),
         channels = double(schedule.getTile()[1]);
  double columns = countColumns(view, positions, taps);
  double words = double(getElementBytes(op)) / 4;
  double perElement = getElementBytes(op) < 4 || op.getPrecisionType() ? 1 : 0;
  constexpr double perLoad = 2.5;
  return taps * positions * channels +
         (columns + taps) * (channels * perElement + perLoad) +
         columns * channels * words;
}

/// What takes longer: instructions, of which fewer are under way the more
/// registers a thread has, or what memory moves; and the latency of a thread.
static double getCycles(double threads, double instructions, double sums,
                        double bytes, const ChipInfo &chip) {
  constexpr double schedulers = 4, lanes = 32, ofThread = 1.7;
  double perScheduler =
      threads / (lanes * schedulers * double(chip.multiprocessors));
  double stalls = 1.35 + sums / 110;
  return std::max(perScheduler * instructions * stalls,
                  bytes / kBytesPerCycle) +
         ofThread * instructions;
}

/// With two launches, since the filter is transposed in front. Fitted to 119
/// times of 18 problems (docs/Performance.md).
static double getCycles(ConvOpInterface op, const MatrixView &view,
                        ScheduleAttr schedule, const ChipInfo &chip) {
  constexpr double ofLaunches = 8800, perStore = 4, start = 60;
  double positions = double(schedule.getTile()[0]),
         channels = double(schedule.getTile()[1]);
  double taps = double(view.taps[view.spatialRank - 1]);
  double lines = double(view.numTaps()) / taps;
  double words = double(getElementBytes(op)) / 4;
  double instructions =
      lines * countLineInstructions(op, view, schedule, taps) +
      positions * (perStore + channels * words) + start;
  double results = double(view.numRows()) * double(view.channels);
  double bytes =
      (double(view.tensorElements()) + results) * double(getElementBytes(op));
  double sums = positions * channels;
  return getCycles(results / sums, instructions, sums, bytes, chip) +
         ofLaunches;
}

/// Of wgrad: sums of parts, which a second launch adds.
static double getWgradCycles(ConvOpInterface op, const MatrixView &view,
                             ScheduleAttr schedule, const ChipInfo &chip) {
  constexpr double ofLaunches = 8800, perStore = 4, perBlock = 20, start = 60;
  double positions = double(schedule.getTile()[0]),
         channels = double(schedule.getTile()[1]),
         block = double(schedule.getTile()[2]),
         split = double(schedule.getSplit());
  double blocks = double(view.numTaps()) / block / split;
  double instructions =
      blocks * (countLineInstructions(op, view, schedule, block) + perBlock) +
      positions * (perStore + channels) + start;
  double results = double(view.numRows()) * double(view.channels) * split;
  double sums = positions * channels;
  double partBytes = results * 4;
  double bytes = (double(view.tensorElements()) +
                  double(view.batch * view.numTaps() * view.channels)) *
                     double(getElementBytes(op)) +
                 partBytes;
  // Threads that share lines seldom find them in the L1 cache.
  constexpr double loadedBytesPerCycle = 3300;
  double loadedBytes = results / sums * blocks *
                       (countColumns(view, positions, block) + block) *
                       channels * double(getElementBytes(op));
  bytes = std::max(bytes, loadedBytes / loadedBytesPerCycle * kBytesPerCycle);
  return getCycles(results / sums, instructions, sums + block * channels, bytes,
                   chip) +
         partBytes / kBytesPerCycle + ofLaunches;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// The divisors of a number, in ascending order.
static SmallVector<int64_t> getDivisors(int64_t number) {
  SmallVector<int64_t> small, large;
  for (int64_t divisor = 1; divisor * divisor <= number; ++divisor)
    if (number % divisor == 0) {
      small.push_back(divisor);
      if (divisor * divisor < number)
        large.push_back(number / divisor);
    }
  llvm::append_range(small, llvm::reverse(large));
  return small;
}

/// Channels that a thread may have, most first.
static SmallVector<int64_t> getWidths(ConvOpInterface op,
                                      const MatrixView &view) {
  int64_t widest = kPlainAccessBytes / getElementBytes(op);
  while (view.channels % widest != 0)
    widest /= 2;
  SmallVector<int64_t> widths = {widest};
  if (widest > 1)
    widths.push_back(widest / 2);
  return widths;
}

/// Parts that make about as many threads as a chip has room for: a few times
/// too few to many.
static SmallVector<int64_t> getSplits(int64_t blocks, int64_t threads,
                                      const ChipInfo &chip) {
  SmallVector<int64_t> splits;
  SmallVector<int64_t> divisors = getDivisors(blocks);
  for (int64_t perMultiprocessor : {128, 256, 512, 1024, 2048}) {
    int64_t wanted = perMultiprocessor * chip.multiprocessors;
    const int64_t *found = llvm::find_if(
        divisors, [&](int64_t split) { return split * threads >= wanted; });
    int64_t split = found == divisors.end() ? divisors.back() : *found;
    if (!llvm::is_contained(splits, split))
      splits.push_back(split);
  }
  return splits;
}

static SmallVector<RankedSchedule> rankWgradSchedules(ConvOpInterface op,
                                                      const MatrixView &view,
                                                      const ChipInfo &chip) {
  SmallVector<RankedSchedule> ranked;
  int last = view.spatialRank - 1;
  int64_t lines = view.numRows() / view.rows[last];
  constexpr int64_t fewest = 4, most = 32;
  SmallVector<int64_t> blocks = getDivisors(view.taps[last]);
  bool hasMedium = llvm::any_of(
      blocks, [](int64_t block) { return block >= fewest && block <= most; });
  for (int64_t channels : getWidths(op, view))
    for (int64_t positions : getDivisors(view.rows[last]))
      for (int64_t block : blocks) {
        if (hasMedium && (block < fewest || block > most))
          continue;
        int64_t threads =
            lines * (view.rows[last] / positions) * (view.channels / channels);
        for (int64_t split : getSplits(view.numTaps() / block, threads, chip)) {
          auto schedule =
              getSchedule(op->getContext(), positions, channels, block, split);
          if (::whyIllegal(op, view, schedule).empty())
            ranked.push_back(
                {schedule, getWgradCycles(op, view, schedule, chip)});
        }
      }
  llvm::stable_sort(ranked, isFaster);
  return ranked;
}

SmallVector<RankedSchedule> conv::rankDepthwiseSchedules(ConvOpInterface op,
                                                         const ChipInfo &chip) {
  SmallVector<RankedSchedule> ranked;
  convmlir::Result<MatrixView> view = getDepthwiseView(op);
  if (!view)
    return ranked;
  if (op.getConvKind() == convmlir::ConvKind::Wgrad)
    return rankWgradSchedules(op, *view, chip);
  auto add = [&](int64_t fewest, int64_t most) {
    for (int64_t channels : getWidths(op, *view))
      for (int64_t positions = most; positions >= fewest; --positions) {
        auto schedule = getSchedule(op->getContext(), positions, channels);
        if (::whyIllegal(op, *view, schedule).empty())
          ranked.push_back({schedule, getCycles(op, *view, schedule, chip)});
      }
  };
  // Few positions read each column often, many are long to wait for.
  constexpr int64_t fewest = 4, most = 16;
  add(fewest, most);
  if (ranked.empty())
    add(1, fewest - 1);
  llvm::stable_sort(ranked, isFaster);
  return ranked;
}
