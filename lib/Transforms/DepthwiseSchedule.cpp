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

static ScheduleAttr getSchedule(MLIRContext *context, int64_t positions,
                                int64_t channels) {
  return ScheduleAttr::get(context, Algorithm::Loops, {positions, channels, 1},
                           /*warps=*/{1, 1}, /*stages=*/1, CopyKind::CpAsync,
                           MmaKind::Fma, /*split=*/1);
}

static int64_t getElementBytes(ConvOpInterface op) {
  return op.getSourceElementType().getIntOrFloatBitWidth() / 8;
}

static std::string whyIllegal(ConvOpInterface op, const MatrixView &view,
                              ScheduleAttr schedule) {
  int64_t positions = schedule.getTile()[0], channels = schedule.getTile()[1];
  int last = view.spatialRank - 1;
  if (schedule != getSchedule(op->getContext(), positions, channels))
    return "algorithm loops has a tile with gemm-k of 1, warps=1x1 stages=1 "
           "copy=cp_async mma=fma, and no other keys";
  if (view.rows[last] % positions != 0)
    return formatv("tile gemm-m ({0}) of algorithm loops must divide the {1} "
                   "positions of a line",
                   positions, view.rows[last]);
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

/// Instructions of a thread: multiply-adds, what widens elements or makes zeros
/// of them, loads with their addresses, and stores.
static double countInstructions(ConvOpInterface op, const MatrixView &view,
                                ScheduleAttr schedule) {
  double positions = double(schedule.getTile()[0]),
         channels = double(schedule.getTile()[1]);
  int last = view.spatialRank - 1;
  double taps = double(view.taps[last]);
  double lines = double(view.numTaps()) / taps;
  // Of neighbouring taps and positions many read the same columns.
  double columns = std::min(
      positions * taps, (positions - 1) * double(view.stride[last]) +
                            (taps - 1) * double(std::abs(view.step[last])) + 1);
  double words = double(getElementBytes(op)) / 4;
  double perElement = getElementBytes(op) < 4 ? 1 : 0;
  constexpr double perLoad = 2.5, perStore = 4, start = 60;
  return lines * (taps * positions * channels +
                  (columns + taps) * (channels * perElement + perLoad) +
                  columns * channels * words) +
         positions * (perStore + channels * words) + start;
}

/// What takes longer: instructions, of which fewer are under way the more
/// registers a thread has, or what memory moves; the latency of a thread; and
/// two launches, since the filter is transposed in front. Fitted to 119 times
/// of 18 problems (docs/Performance.md).
static double getCycles(ConvOpInterface op, const MatrixView &view,
                        ScheduleAttr schedule, const ChipInfo &chip) {
  constexpr double schedulers = 4, lanes = 32, bytesPerCycle = 1700,
                   ofLaunches = 8800, ofThread = 1.7;
  double results = double(view.numRows()) * double(view.channels);
  double sums = double(schedule.getTile()[0] * schedule.getTile()[1]);
  double perScheduler =
      results / (sums * lanes * schedulers * double(chip.multiprocessors));
  double instructions = countInstructions(op, view, schedule);
  double stalls = 1.35 + sums / 110;
  double bytes =
      (double(view.tensorElements()) + results) * double(getElementBytes(op));
  return std::max(perScheduler * instructions * stalls, bytes / bytesPerCycle) +
         ofThread * instructions + ofLaunches;
}

SmallVector<RankedSchedule> conv::rankDepthwiseSchedules(ConvOpInterface op,
                                                         const ChipInfo &chip) {
  SmallVector<RankedSchedule> ranked;
  convmlir::Result<MatrixView> view = getDepthwiseView(op);
  if (!view)
    return ranked;
  int64_t widest = kPlainAccessBytes / getElementBytes(op);
  while (view->channels % widest != 0)
    widest /= 2;
  auto add = [&](int64_t fewest, int64_t most) {
    for (int64_t channels : {widest, widest / 2})
      for (int64_t positions = most; channels > 0 && positions >= fewest;
           --positions) {
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
