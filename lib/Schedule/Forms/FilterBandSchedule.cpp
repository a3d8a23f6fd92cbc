//===- FilterBandSchedule.cpp - images in bands ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legality and candidates of kernels that have a depthwise forward or dgrad on
// tensor cores (Shape/FilterBands.h).
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Forms/FilterBandSchedule.h"

#include "conv/Chip/Chip.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Geometry/SharedTile.h"
#include "conv/Schedule/Model/DepthwiseModel.h"
#include "conv/Schedule/Shape/FilterBands.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::MatrixView;
using llvm::formatv;

static constexpr char kForm[] = "algorithm=loops with mma=mma_sync";

/// Registers of a thread that ptxas wants where there are many.
static constexpr int64_t kSpareRegisters = 32;

static ScheduleAttr getSchedule(MLIRContext *context, int64_t lines,
                                int64_t channels, int64_t columns,
                                int64_t warps, int64_t stages) {
  return ScheduleAttr::get(context, {.algorithm = Algorithm::Loops,
                                     .tile = {lines, channels, columns},
                                     .warps = {1, warps},
                                     .stages = stages,
                                     .mma = MmaKind::MmaSync});
}

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

/// Which sums have no such kernel, whatever the schedule.
static std::string whyNoBands(const DepthwiseSum &form, Type element) {
  const MatrixView &view = form.view;
  if (!element.isF16() && !element.isBF16())
    return formatv("{0} multiplies f16 and bf16, not {1}", kForm, element);
  if (view.spatialRank != 2)
    return formatv("{0} is for images of 2 dimensions, not {1}", kForm,
                   view.spatialRank);
  for (int dim = 0; dim < 2; ++dim)
    if (view.stride[dim] != 1 || std::abs(view.step[dim]) != 1 ||
        form.dilation[dim] != 1)
      return formatv("{0} has strides and dilations of 1", kForm);
  constexpr int64_t chunk = convmlir::kChunkBytes / 2;
  if (view.channels % chunk != 0)
    return formatv("{0} copies {1} channels at a time, which do not divide {2}",
                   kForm, chunk, view.channels);
  constexpr int64_t mostTaps = FilterBands::kColumnsOfX;
  if (view.taps[1] > mostTaps)
    return formatv("{0} is for lines of up to {1} taps, not {2}", kForm,
                   mostTaps, view.taps[1]);
  return "";
}

/// The same of an operation.
static std::string whyNoBands(ConvOpInterface op, const DepthwiseSum &form) {
  if (op.getLayout() == Layout::NCHW && op.getGroups() > 1)
    return formatv("{0} reads images with their channels last", kForm);
  return whyNoBands(form, op.getSourceElementType());
}

/// How a workgroup divides its channels.
static std::string whyWrongChannels(const FilterBands &bands) {
  constexpr int64_t chunk = convmlir::kChunkBytes / 2;
  if (bands.channels < chunk || bands.channels > 64 ||
      !llvm::isPowerOf2_64(bands.channels))
    return formatv("tile gemm-n ({0}) of {1} must be 8, 16, 32 or 64 channels",
                   bands.channels, kForm);
  if (bands.view.channels % bands.channels != 0)
    return formatv("tile gemm-n ({0}) of {1} must divide the {2} channels",
                   bands.channels, kForm, bands.view.channels);
  if (bands.channels % bands.warps != 0 || bands.getWarpChannels() < 2 ||
      bands.getWarpChannels() > chunk)
    return formatv("warps of {0} have 2, 4 or 8 channels each, but {1} warps "
                   "along gemm-n share {2}",
                   kForm, bands.warps, bands.channels);
  return "";
}

static std::string whyWrongColumns(const FilterBands &bands) {
  int64_t most = std::min(FilterBands::kColumnsOfY,
                          FilterBands::kColumnsOfX + 1 - bands.getLineTaps());
  if (bands.columns > most)
    return formatv("tile gemm-k ({0}) of {1} is up to {2} columns of the "
                   "result, where lines have {3} taps",
                   bands.columns, kForm, most, bands.getLineTaps());
  if (bands.lines > bands.view.rows[0])
    return formatv("tile gemm-m ({0}) of {1} is up to the {2} lines of the "
                   "result",
                   bands.lines, kForm, bands.view.rows[0]);
  return "";
}

static std::string whyNoRoom(const FilterBands &bands, const ChipInfo &chip) {
  if (bands.stages < 2)
    return formatv("{0} needs 2 stages or more", kForm);
  int64_t most = std::min(convmlir::kMostThreadRegisters - kSpareRegisters,
                          chip.registersPerSM / bands.getThreads());
  if (bands.countRegisters() > most)
    return formatv("a thread of {0} has up to {1} registers, but {2} lines of "
                   "the filter and {3} channels need about {4}",
                   kForm, most, bands.getFilterLines(), bands.getWarpChannels(),
                   bands.countRegisters());
  constexpr int64_t elementBytes = 2;
  if (int64_t bytes = bands.getSharedBytes(elementBytes);
      bytes > chip.sharedPerBlock)
    return formatv("{0} needs {1} bytes of shared memory, but a workgroup has "
                   "{2}",
                   kForm, bytes, chip.sharedPerBlock);
  return "";
}

static std::string whyIllegal(const DepthwiseSum &form, ScheduleAttr schedule,
                              const ChipInfo &chip) {
  ArrayRef<int64_t> tile = schedule.getTile();
  if (schedule != getSchedule(schedule.getContext(), tile[0], tile[1], tile[2],
                              schedule.getWarps()[1], schedule.getStages()))
    return formatv("{0} has warps along gemm-n, copy=cp_async and no other "
                   "keys (split-k is for wgrad)",
                   kForm);
  FilterBands bands(form, schedule);
  for (std::string why : {whyWrongChannels(bands), whyWrongColumns(bands)})
    if (!why.empty())
      return why;
  return whyNoRoom(bands, chip);
}

std::string conv::whyIllegalFilterBands(ConvOpInterface op,
                                        const DepthwiseSum &form,
                                        ScheduleAttr schedule,
                                        const ChipInfo &chip) {
  std::string why = whyNoBands(op, form);
  return why.empty() ? ::whyIllegal(form, schedule, chip) : why;
}

std::string conv::whyIllegalFilterBands(DepthwiseOp op, const ChipInfo &chip) {
  if (op.getChannelsFirst())
    return formatv("{0} reads images with their channels last", kForm);
  if (Type sum = op.getResultType().getElementType(); !sum.isF32())
    return formatv("{0} has sums in f32, not {1}", kForm, sum);
  DepthwiseSum form = getDepthwiseSum(op);
  std::string why = whyNoBands(form, op.getSourceType().getElementType());
  return why.empty() ? ::whyIllegal(form, op.getScheduleAttr(), chip) : why;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// Bands of equal heights, the last one perhaps lower.
static SmallVector<int64_t> getLines(int64_t lines) {
  SmallVector<int64_t> all;
  for (int64_t bands : {1, 2, 4})
    if (int64_t height = llvm::divideCeil(lines, bands);
        !llvm::is_contained(all, height))
      all.push_back(height);
  return all;
}

static int64_t getImages(int64_t tiles) {
  return std::max<int64_t>(FilterBands::kPairs / tiles, 1);
}

/// Columns of a pair: as many as there can be, evenly. Where it costs no image
/// they are odd, for lanes that are an even number of columns apart read the
/// same banks.
static int64_t getColumns(const MatrixView &view) {
  int64_t most = std::min(FilterBands::kColumnsOfY,
                          FilterBands::kColumnsOfX + 1 - view.taps[1]);
  int64_t tiles = llvm::divideCeil(view.rows[1], most);
  int64_t columns = llvm::divideCeil(view.rows[1], tiles);
  if (columns % 2 == 0 &&
      getImages(llvm::divideCeil(view.rows[1], columns - 1)) ==
          getImages(tiles))
    --columns;
  return columns;
}

/// Filters of fewer lines have too few products for what a step waits for: with
/// three, loops were faster in all layers that were timed.
static constexpr int64_t kFewestLines = 5;

void conv::addFilterBandSchedules(ConvOpInterface op, const DepthwiseSum &form,
                                  const ChipInfo &chip,
                                  SmallVector<RankedSchedule> &ranked) {
  if (!whyNoBands(op, form).empty() || form.view.taps[0] < kFewestLines)
    return;
  MLIRContext *context = op->getContext();
  int64_t columns = getColumns(form.view);
  // Of 8 channels a line is 16 bytes of each column: half of a sector.
  for (int64_t channels : {32, 16}) {
    if (form.view.channels % channels != 0)
      continue;
    for (int64_t ofWarp : {4, 2})
      for (int64_t lines : getLines(form.view.rows[0]))
        for (int64_t stages : {8, 4}) {
          ScheduleAttr schedule =
              getSchedule(context, lines, channels, columns, channels / ofWarp,
                          stages);
          FilterBands bands(form, schedule);
          // Lines that are copied ahead are not yet multiplied.
          bool isEarly = stages > 4 && 2 * stages > bands.countSteps();
          if (!isEarly &&
              whyIllegalFilterBands(op, form, schedule, chip).empty())
            ranked.push_back(
                {schedule, getDepthwiseCycles(op, form, schedule, chip)});
        }
  }
}
