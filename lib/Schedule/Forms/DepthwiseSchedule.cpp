//===- DepthwiseSchedule.cpp - schedules without matrices -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legality and candidates of kernels in which every thread has a few
// neighbouring positions of a line, as gemm-m of its tile, and neighbouring
// channels, as gemm-n (DepthwiseLoops.cpp). Those that gather read images as
// they lie, with their channels first; a thread has one channel.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Forms/DepthwiseSchedule.h"

#include "conv/Dialect/Conv/IR/ScheduleLimits.h"
#include "conv/Schedule/Forms/DepthwiseBandSchedule.h"
#include "conv/Schedule/Forms/GatherSchedule.h"
#include "conv/Schedule/Model/DepthwiseModel.h"
#include "conv/Schedule/Ranking/RankedSchedule.h"
#include "conv/Schedule/Shape/Accesses.h"
#include "conv/Schedule/Shape/Transpositions.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::MatrixView;
using llvm::formatv;

/// Sums of a thread: what registers have room for beside its factors.
static constexpr int64_t kMostSums = 128;

/// Products of a thread with one line of the filter: code that is written out.
static constexpr int64_t kMostLineProducts = 4096;

/// `block` and `split` are 1 but for wgrad.
static ScheduleAttr getSchedule(MLIRContext *context, bool gather,
                                int64_t positions, int64_t channels,
                                int64_t block = 1, int64_t split = 1) {
  return ScheduleAttr::get(context, {.algorithm = Algorithm::Loops,
                                     .tile = {positions, channels, block},
                                     .warps = {1, 1},
                                     .mma = MmaKind::Fma,
                                     .split = split,
                                     .gather = gather});
}

/// Why images are not read as if their channels came first: a single channel
/// comes first and last.
static std::string whyNoGather(ConvOpInterface op) {
  if (op.getGroups() == 1)
    return "";
  return whyChannelsLast(op, "gather with algorithm loops");
}

/// Of wgrad: positions of y that a thread sums products of.
static std::string whyIllegalParts(const DepthwiseSum &form,
                                   ScheduleAttr schedule) {
  const MatrixView &view = form.view;
  int64_t block = schedule.getTile()[2];
  int64_t line = view.taps[view.spatialRank - 1];
  if (line % block != 0 || (block == 1 && line > 1))
    return formatv("tile gemm-k ({0}) of algorithm loops must be more than 1 "
                   "and divide the {1} positions of a line of dy",
                   block, line);
  if (!form.getBlockStep(block))
    return formatv("tile gemm-k ({0}) of algorithm loops must be the {1} "
                   "positions of a line of dy, or end where an element of a "
                   "dilated x does",
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

static std::string whyIllegal(ConvOpInterface op, const DepthwiseSum &form,
                              ScheduleAttr schedule) {
  const MatrixView &view = form.view;
  int64_t positions = schedule.getTile()[0], channels = schedule.getTile()[1];
  int last = view.spatialRank - 1;
  bool isWgrad = op.getConvKind() == convmlir::ConvKind::Wgrad;
  int64_t block = isWgrad ? schedule.getTile()[2] : 1;
  int64_t split = isWgrad ? schedule.getSplit() : 1;
  if (schedule != getSchedule(op->getContext(), schedule.getGather(), positions,
                              channels, block, split))
    return formatv("algorithm loops has {0}warps=1x1 stages=1 copy=cp_async "
                   "mma=fma, perhaps gather, and no other keys",
                   isWgrad ? "" : "a tile with gemm-k of 1, split-k=1 ");
  if (schedule.getGather()) {
    if (std::string why = whyNoGather(op); !why.empty())
      return why;
    if (channels != 1)
      return formatv("tile gemm-n ({0}) of algorithm loops must be 1 where it "
                     "gathers: neighbours are positions of one channel",
                     channels);
  }
  if (view.rows[last] % positions != 0)
    return formatv("tile gemm-m ({0}) of algorithm loops must divide the {1} "
                   "{2} of a line",
                   positions, view.rows[last], isWgrad ? "taps" : "positions");
  if (!form.getTileStep(positions))
    return formatv(
        "tile gemm-m ({0}) of algorithm loops must be the {1} {2} of "
        "a line, or end where an element of a dilated operand (of dy, "
        "by the stride) does",
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
    return whyIllegalParts(form, schedule);
  int64_t products = view.taps[last] * positions * channels;
  if (products > kMostLineProducts)
    return formatv("a thread of algorithm loops has up to {0} products of one "
                   "line of the filter, but {1} taps and a tile of {2}x{3} "
                   "make {4}",
                   kMostLineProducts, view.taps[last], positions, channels,
                   products);
  return "";
}

std::string conv::whyIllegalDepthwise(ConvOpInterface op, ScheduleAttr schedule,
                                      const ChipInfo &chip) {
  convmlir::Result<DepthwiseSum> form = getDepthwiseSum(op);
  if (form && multipliesBands(schedule))
    return whyIllegalBands(op, *form, schedule, chip);
  return form ? ::whyIllegal(op, *form, schedule) : form.error();
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// The divisors of a number that a schedule can have, in ascending order.
static SmallVector<int64_t> getDivisors(int64_t number) {
  SmallVector<int64_t> small, large;
  for (int64_t divisor = 1;
       isScheduleNumber(divisor) && divisor * divisor <= number; ++divisor)
    if (number % divisor == 0) {
      small.push_back(divisor);
      if (int64_t other = number / divisor;
          other > divisor && isScheduleNumber(other))
        large.push_back(other);
    }
  llvm::append_range(small, llvm::reverse(large));
  return small;
}

/// Whether images are read as they lie: where they may be, and always where
/// there is nothing to transpose.
static SmallVector<bool> getGathers(ConvOpInterface op) {
  if (op.getGroups() == 1)
    return {true};
  if (whyNoGather(op).empty())
    return {true, false};
  return {false};
}

/// Channels that a thread may have, most first: of 16 to 4 bytes, where they
/// divide all.
static SmallVector<int64_t> getWidths(ConvOpInterface op,
                                      const MatrixView &view, bool gather) {
  if (gather)
    return {1};
  constexpr int64_t fewestBytes = 4;
  int64_t widest = kPlainAccessBytes / getElementBytes(op);
  while (view.channels % widest != 0)
    widest /= 2;
  SmallVector<int64_t> widths = {widest};
  while (widths.back() * getElementBytes(op) > fewestBytes)
    widths.push_back(widths.back() / 2);
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

static void addWgradSchedules(ConvOpInterface op, const DepthwiseSum &form,
                              bool gather, const ChipInfo &chip,
                              SmallVector<RankedSchedule> &ranked) {
  const MatrixView &view = form.view;
  int last = view.spatialRank - 1;
  int64_t lines = view.numRows() / view.rows[last];
  constexpr int64_t fewest = 4, most = 64;
  SmallVector<int64_t> blocks = getDivisors(view.taps[last]);
  bool hasMedium = llvm::any_of(
      blocks, [](int64_t block) { return block >= fewest && block <= most; });
  for (int64_t channels : getWidths(op, view, gather))
    for (int64_t positions : getDivisors(view.rows[last]))
      for (int64_t block : blocks) {
        if (hasMedium && (block < fewest || block > most))
          continue;
        int64_t threads =
            lines * (view.rows[last] / positions) * (view.channels / channels);
        for (int64_t split : getSplits(view.numTaps() / block, threads, chip)) {
          auto schedule = getSchedule(op->getContext(), gather, positions,
                                      channels, block, split);
          if (::whyIllegal(op, form, schedule).empty())
            ranked.push_back(
                {schedule, getDepthwiseCycles(op, form, schedule, chip)});
        }
      }
}

/// Few positions read each column often, and more sums than these are slow. But
/// few images want many threads.
static void addSchedules(ConvOpInterface op, const DepthwiseSum &form,
                         bool gather, const ChipInfo &chip,
                         SmallVector<RankedSchedule> &ranked) {
  constexpr int64_t fewest = 4, mostSums = 64;
  size_t before = ranked.size();
  auto add = [&](int64_t fewest, int64_t most) {
    for (int64_t channels : getWidths(op, form.view, gather))
      for (int64_t positions = std::min(most, mostSums / channels);
           positions >= fewest; --positions) {
        auto schedule =
            getSchedule(op->getContext(), gather, positions, channels);
        if (::whyIllegal(op, form, schedule).empty())
          ranked.push_back(
              {schedule, getDepthwiseCycles(op, form, schedule, chip)});
      }
  };
  add(fewest, mostSums);
  constexpr int64_t fewThreads = 1024;
  int64_t results = form.view.numRows() * form.view.channels;
  if (ranked.size() == before ||
      results < fewest * fewThreads * chip.multiprocessors)
    add(1, fewest - 1);
}

SmallVector<RankedSchedule> conv::rankDepthwiseSchedules(ConvOpInterface op,
                                                         const ChipInfo &chip) {
  SmallVector<RankedSchedule> ranked;
  convmlir::Result<DepthwiseSum> form = getDepthwiseSum(op);
  if (!form)
    return ranked;
  bool isWgrad = op.getConvKind() == convmlir::ConvKind::Wgrad;
  for (bool gather : getGathers(op))
    if (isWgrad)
      addWgradSchedules(op, *form, gather, chip, ranked);
    else
      addSchedules(op, *form, gather, chip, ranked);
  addBandSchedules(op, *form, chip, ranked);
  llvm::stable_sort(ranked, isFaster);
  return ranked;
}
