//===- DepthwiseModel.cpp - what depthwise sums take ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Model/DepthwiseModel.h"

#include "conv/Schedule/Model/FilterBandModel.h"
#include "conv/Schedule/Model/GatherModel.h"
#include "conv/Schedule/Model/Rates.h"
#include "conv/Schedule/Shape/Accesses.h"
#include "conv/Schedule/Shape/DepthwiseBands.h"
#include "conv/Schedule/Shape/TensorBytes.h"
#include "conv/Schedule/Shape/Transpositions.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::conv::h200;
using convmlir::MatrixView;

/// Of the lines of a filter, what their instructions take: those that meet no
/// element of a dilated tensor multiply zeros, which nothing waits for.
static double getLineShare(const DepthwiseSum &form) {
  double share = 1;
  for (int dim = 0; dim + 1 < form.view.spatialRank; ++dim)
    share /= double(form.dilation[dim]);
  return share + kShareOfZeroLines * (1 - share);
}

namespace {
/// What a thread does of a line of the filter.
struct LineWork {
  double columns;  ///< Of x, that it loads.
  double products; ///< Of a channel.
};
} // namespace

/// Of `taps` taps of a line at so many positions, without what is outside
/// whatever the thread and block: of whole lines with padding that is much.
static LineWork countLine(const DepthwiseSum &form, int64_t positions,
                          int64_t taps) {
  LineWork work = {0, 0};
  for (const auto &[number, column] : form.getColumns(positions, taps)) {
    ++work.columns;
    work.products += double(column.readers.size());
  }
  return work;
}

/// Accesses that so many columns are: with channels last one each, else the
/// aligned pieces of memory that they touch (DepthwiseLoops.cpp).
static double countAccesses(ConvOpInterface op, const DepthwiseSum &form,
                            ScheduleAttr schedule, double columns) {
  if (!schedule.getGather())
    return columns;
  bool isWgrad = op.getConvKind() == convmlir::ConvKind::Wgrad;
  int64_t taps = isWgrad ? schedule.getTile()[2]
                         : form.view.taps[form.view.spatialRank - 1];
  int64_t piece = form.getColumnDivisor(
      schedule.getTile()[0], taps, kPlainAccessBytes / getElementBytes(op));
  double ends = piece > 1 ? 2 : 0; // Of a run that begins anywhere.
  return std::min(columns, columns / double(piece) + ends);
}

/// Instructions of `taps` taps of a line at the thread's positions:
/// multiply-adds, what widens or rounds elements or makes zeros of them, and
/// loads with their addresses.
static double countLineInstructions(ConvOpInterface op,
                                    const DepthwiseSum &form,
                                    ScheduleAttr schedule, int64_t taps,
                                    LineWork work) {
  double channels = double(schedule.getTile()[1]);
  double words = double(getElementBytes(op)) / 4;
  bool isConverted = getElementBytes(op) < 4 || op.getPrecisionType();
  double loads = countAccesses(op, form, schedule, work.columns) + double(taps);
  return work.products * channels + loads * kInstructionsPerLoad +
         (work.columns + double(taps)) * channels *
             (isConverted ? kInstructionsPerConversion : 0) +
         work.columns * channels * words;
}

/// How much longer memory takes for wgrad where neighbouring threads read so
/// many bytes each: with channels last they are neighbours in memory. Of more
/// than a sector an access of a warp has few of each.
static double getSpread(ScheduleAttr schedule, double threadBytes) {
  if (!schedule.getGather() || threadBytes <= kSectorBytes)
    return 1;
  return 1 + kSpreadPerDoubling * std::log2(threadBytes / kSectorBytes);
}

/// Lines of the L1 cache that an access of a warp touches, one after the other,
/// where neighbouring threads are so many bytes apart.
static double countCacheLines(double distance) {
  constexpr double lineBytes = 128;
  return std::clamp(kLanes * distance / lineBytes, 1.0, kLanes);
}

/// What takes longest: instructions, of which fewer are under way the more
/// registers a thread has, what memory moves, or the accesses of the L1 cache
/// (`cached`, cycles), and some of the others; more where a multiprocessor has
/// fewer threads than `fill`. And the latency of a thread.
static double getCycles(double threads, double instructions, double sums,
                        double bytes, double cached, double fill,
                        const ChipInfo &chip, TimeParts *parts) {
  constexpr double schedulers = 4;
  double multiprocessors = double(chip.multiprocessors);
  double stalls = kStallCycles + sums / kSumsPerStallCycle;
  double computed =
      threads / (kLanes * schedulers * multiprocessors) * instructions * stalls;
  double moved = bytes / kDepthwiseBytesPerCycle;
  double longest = std::max({computed, moved, cached});
  double others = computed + moved + cached - longest;
  double starved = std::max(1.0, fill * multiprocessors / threads);
  note(parts, TimePart::Instructions, computed * starved);
  note(parts, TimePart::Memory, moved * starved);
  note(parts, TimePart::Cache, cached * starved);
  return (longest + kShareOfOthers * others) * starved +
         note(parts, TimePart::Latency, kLatencyOfInstruction * instructions);
}

/// What transposes tensors with their channels first around one that has them
/// last.
static double getTranspositions(ConvOpInterface op, ScheduleAttr schedule) {
  if (schedule.getGather())
    return 0;
  double cycles = 0;
  auto addOperand = [&](unsigned number) {
    Value operand = op->getOperand(number);
    if (isTransposition(op, operand))
      cycles += getTranspositionCycles(countBytes(operand));
  };
  addOperand(0);
  if (op.getConvKind() == convmlir::ConvKind::Wgrad)
    addOperand(1);
  else if (endsChannelsFirst(op))
    cycles += getTranspositionCycles(countBytes(op.getDest()));
  return cycles;
}

/// What the L1 cache takes for accesses of threads that read so many columns.
/// With channels last neighbouring threads are neighbours in memory.
static double getCachedCycles(ConvOpInterface op, const DepthwiseSum &form,
                              ScheduleAttr schedule, double lines,
                              double columns, double threads,
                              const ChipInfo &chip) {
  if (!schedule.getGather())
    return 0;
  const MatrixView &view = form.view;
  int last = view.spatialRank - 1;
  int64_t positions = schedule.getTile()[0], bytes = getElementBytes(op);
  int64_t widest = std::gcd(kPlainAccessBytes / bytes, view.rows[last]);
  if (view.rows[last] > positions)
    widest = std::gcd(widest, positions);
  double advance =
      double(std::abs(view.stride[last])) / double(form.dilation[last]);
  double tileBytes = double(positions * bytes);
  double loads = lines * countAccesses(op, form, schedule, columns);
  double stores = double(positions) / double(widest);
  return threads / kLanes / double(chip.multiprocessors) *
         (loads * countCacheLines(tileBytes * advance) +
          stores * countCacheLines(tileBytes));
}

/// Where channels are last the filter is transposed in front.
static double getImageCycles(ConvOpInterface op, const DepthwiseSum &form,
                             ScheduleAttr schedule, const ChipInfo &chip,
                             TimeParts *parts) {
  const MatrixView &view = form.view;
  double positions = double(schedule.getTile()[0]),
         channels = double(schedule.getTile()[1]);
  int64_t taps = view.taps[view.spatialRank - 1];
  LineWork work = countLine(form, schedule.getTile()[0], taps);
  double lines = double(view.numTaps() / taps) * getLineShare(form);
  double words = double(getElementBytes(op)) / 4;
  double instructions =
      lines * countLineInstructions(op, form, schedule, taps, work) +
      countAccesses(op, form, schedule, positions) * kInstructionsPerStore +
      positions * channels * words + kInstructionsPerThread;
  double results = double(view.numRows()) * double(view.channels);
  double bytes =
      (double(view.tensorElements()) + results) * double(getElementBytes(op));
  double sums = positions * channels;
  return getCycles(results / sums, instructions, sums, bytes,
                   getCachedCycles(op, form, schedule, lines, work.columns,
                                   results / sums, chip),
                   kThreadsThatFill, chip, parts) +
         note(parts, TimePart::Launch, kCyclesPerDepthwiseLaunch) +
         note(parts, TimePart::Launch,
              schedule.getGather() ? 0 : kCyclesPerNextLaunch) +
         note(parts, TimePart::Transpositions, getTranspositions(op, schedule));
}

/// Whether parts of dy, whose blocks are counted across lines, begin multiples
/// of 4096 bytes apart: then they read from the same channels of memory at the
/// same time.
static bool collide(ConvOpInterface op, const MatrixView &view,
                    ScheduleAttr schedule) {
  constexpr int64_t period = 4096;
  if (schedule.getGather() || schedule.getSplit() == 1)
    return false;
  int64_t block = schedule.getTile()[2], line = view.taps[view.spatialRank - 1];
  int64_t lines = view.numTaps() / line;
  int64_t blocks = view.numTaps() / block / schedule.getSplit();
  int64_t positions =
      blocks % lines != 0 ? blocks % lines * line : blocks / lines * block;
  return positions * view.channels * getElementBytes(op) % period == 0;
}

/// Of wgrad: sums of parts, which a second launch adds.
static double getWgradCycles(ConvOpInterface op, const DepthwiseSum &form,
                             ScheduleAttr schedule, const ChipInfo &chip,
                             TimeParts *parts) {
  const MatrixView &view = form.view;
  // The number of a block is divided, along lines once more; each part of an
  // image is one step of the sum, for which channels that are last are
  // transposed.
  bool isFirst = schedule.getGather();
  double perBlock = isFirst ? kInstructionsPerFirstBlock
                            : kInstructionsPerDepthwiseBlock,
         perPart = isFirst ? kCyclesPerFirstPart : kCyclesPerDepthwisePart;
  double positions = double(schedule.getTile()[0]),
         channels = double(schedule.getTile()[1]),
         block = double(schedule.getTile()[2]),
         split = double(schedule.getSplit());
  LineWork work = countLine(form, schedule.getTile()[0], schedule.getTile()[2]);
  double blocks = double(view.numTaps()) / block / split;
  double instructions =
      blocks * (countLineInstructions(op, form, schedule, schedule.getTile()[2],
                                      work) +
                perBlock) +
      positions * (kInstructionsPerStore + channels) + kInstructionsPerThread;
  double results = double(view.numRows()) * double(view.channels) * split;
  double sums = positions * channels;
  double partBytes = results * 4;
  double bytes = (double(view.tensorElements()) +
                  double(view.batch * view.numTaps() * view.channels)) *
                     double(getElementBytes(op)) +
                 partBytes;
  int last = view.spatialRank - 1;
  bytes *= getSpread(schedule, block * double(std::abs(view.step[last])) /
                                   double(form.dilation[last]) *
                                   double(getElementBytes(op)));
  // Threads that share lines seldom find them in the L1 cache.
  double loadedBytes = results / sums * blocks * (work.columns + block) *
                       channels * double(getElementBytes(op));
  bytes = std::max(bytes, loadedBytes / kLoadedBytesPerCycle *
                              kDepthwiseBytesPerCycle);
  double factor = collide(op, view, schedule) ? kCollisionFactor : 1;
  double cycles =
      getCycles(results / sums, instructions, sums + block * channels, bytes,
                /*cached=*/0, kWgradThreadsThatFill, chip, parts) *
      factor;
  if (parts)
    parts->scale(factor);
  return cycles +
         note(parts, TimePart::Sums, partBytes / kSummedBytesPerCycle) +
         note(parts, TimePart::Fixed, perPart * double(view.batch) * split) +
         note(parts, TimePart::Launch, kCyclesPerDepthwiseLaunch) +
         note(parts, TimePart::Launch, kCyclesPerNextLaunch) +
         note(parts, TimePart::Transpositions, getTranspositions(op, schedule));
}

/// Rounds of workgroups of the busiest multiprocessor. Two with registers for
/// both hide some of what each waits for.
static double countBandRounds(const DepthwiseBands &bands,
                              const ChipInfo &chip) {
  int64_t workgroups = bands.parts * (bands.view.channels / bands.channels);
  int64_t rounds = llvm::divideCeil(workgroups, chip.multiprocessors);
  if (2 * bands.getThreads() * bands.countRegisters() > chip.registersPerSM)
    return double(rounds);
  return double(rounds / 2) * 2 * kShareOfTwoBands + double(rounds % 2);
}

/// A step is the copies of its lines, its products, and what it waits for
/// whatever their number.
static double getBandCycles(ConvOpInterface op, const DepthwiseSum &form,
                            ScheduleAttr schedule, const ChipInfo &chip,
                            TimeParts *parts) {
  DepthwiseBands bands(form, schedule);
  double stepBytes = double(bands.getStageElements() * getElementBytes(op));
  double products = double(bands.channels * bands.getFilterLines());
  // Few warps do not hide the latency of their reads.
  double speed = std::min(1.0, double(bands.warps) / kWarpsThatFillBands);
  double steps = countBandRounds(bands, chip) *
                 double(llvm::divideCeil(bands.countTasks(), bands.parts)) *
                 double(bands.countSteps());
  double partBytes = double(bands.parts * form.view.numRows() /
                            form.view.batch * form.view.channels) *
                     4;
  return note(parts, TimePart::Copies,
              steps * stepBytes / kBandBytesPerCycle / speed) +
         note(parts, TimePart::Products,
              steps * products * kCyclesPerBandProduct / speed) +
         note(parts, TimePart::Fixed, steps * kCyclesPerBandStep) +
         note(parts, TimePart::Sums, partBytes / kBandSumsPerCycle) +
         note(parts, TimePart::Launch, kCyclesPerBandLaunches) +
         note(parts, TimePart::Transpositions, getTranspositions(op, schedule));
}

double conv::getDepthwiseCycles(ConvOpInterface op, const DepthwiseSum &form,
                                ScheduleAttr schedule, const ChipInfo &chip,
                                TimeParts *parts) {
  bool isWgrad = op.getConvKind() == convmlir::ConvKind::Wgrad;
  if (multipliesBands(schedule))
    return isWgrad ? getBandCycles(op, form, schedule, chip, parts)
                   : getFilterBandCycles(FilterBands(form, schedule), chip, parts);
  if (isWgrad)
    return getWgradCycles(op, form, schedule, chip, parts);
  return getImageCycles(op, form, schedule, chip, parts);
}
