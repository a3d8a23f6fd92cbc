//===- DepthwiseBandSchedule.cpp - bands on tensor cores ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legality and candidates of kernels that have the gradient of a depthwise
// filter on tensor cores (Shape/DepthwiseBands.h).
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Forms/DepthwiseBandSchedule.h"

#include "conv/Chip/Chip.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Geometry/SharedTile.h"
#include "conv/Schedule/Forms/FilterBandSchedule.h"
#include "conv/Schedule/Model/DepthwiseModel.h"
#include "conv/Schedule/Ranking/RankedSchedule.h"
#include "conv/Schedule/Shape/DepthwiseBands.h"

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
                                int64_t warps, int64_t stages, int64_t parts) {
  return ScheduleAttr::get(context, {.algorithm = Algorithm::Loops,
                                     .tile = {lines, channels, columns},
                                     .warps = {1, warps},
                                     .stages = stages,
                                     .mma = MmaKind::MmaSync,
                                     .split = parts});
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
    if (view.stride[dim] != 1 || view.step[dim] != 1 || form.dilation[dim] != 1)
      return formatv("{0} has strides and dilations of 1, and filters that are "
                     "not flipped",
                     kForm);
  constexpr int64_t chunk = convmlir::kChunkBytes / 2;
  if (view.channels % chunk != 0)
    return formatv("{0} copies {1} channels at a time, which do not divide {2}",
                   kForm, chunk, view.channels);
  constexpr int64_t mostTaps = DepthwiseBands::kColumnsOfX;
  if (view.rows[1] > mostTaps)
    return formatv("{0} is for lines of up to {1} taps, not {2}", kForm,
                   mostTaps, view.rows[1]);
  return "";
}

/// The same of an operation.
static std::string whyNoBands(ConvOpInterface op, const DepthwiseSum &form) {
  if (op.getLayout() == Layout::NCHW && op.getGroups() > 1)
    return formatv("{0} reads images with their channels last", kForm);
  return whyNoBands(form, op.getSourceElementType());
}

/// How a workgroup divides its channels.
static std::string whyWrongChannels(const DepthwiseBands &bands) {
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

static std::string whyWrongColumns(const DepthwiseBands &bands) {
  int64_t most =
      std::min(DepthwiseBands::kColumnsOfDy,
               DepthwiseBands::kColumnsOfX + 1 - bands.getLineTaps());
  if (bands.columns > most)
    return formatv("tile gemm-k ({0}) of {1} is up to {2} columns of dy, where "
                   "lines have {3} taps",
                   bands.columns, kForm, most, bands.getLineTaps());
  if (bands.lines > bands.view.taps[0])
    return formatv("tile gemm-m ({0}) of {1} is up to the {2} lines of dy",
                   bands.lines, kForm, bands.view.taps[0]);
  if (bands.parts > bands.countTasks())
    return formatv("split-k ({0}) of {1} is up to the {2} tasks: strips of "
                   "columns, bands of lines and 16 images",
                   bands.parts, kForm, bands.countTasks());
  return "";
}

static std::string whyNoRoom(const DepthwiseBands &bands,
                             const ChipInfo &chip) {
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
                              schedule.getWarps()[1], schedule.getStages(),
                              schedule.getSplit()))
    return formatv(
        "{0} has warps along gemm-n, copy=cp_async, perhaps split-k, "
        "and no other keys",
        kForm);
  DepthwiseBands bands(form, schedule);
  for (std::string why : {whyWrongChannels(bands), whyWrongColumns(bands)})
    if (!why.empty())
      return why;
  return whyNoRoom(bands, chip);
}

std::string conv::whyIllegalBands(ConvOpInterface op, const DepthwiseSum &form,
                                  ScheduleAttr schedule, const ChipInfo &chip) {
  if (op.getConvKind() != convmlir::ConvKind::Wgrad)
    return whyIllegalFilterBands(op, form, schedule, chip);
  std::string why = whyNoBands(op, form);
  return why.empty() ? ::whyIllegal(form, schedule, chip) : why;
}

std::string conv::whyIllegalBands(DepthwiseOp op, const ChipInfo &chip) {
  if (!op.hasFilterOfImage())
    return whyIllegalFilterBands(op, chip);
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

/// Parts for one to three workgroups of each multiprocessor, and no more than
/// their longest share of the tasks needs.
static SmallVector<int64_t> getParts(const DepthwiseBands &bands,
                                     const ChipInfo &chip) {
  SmallVector<int64_t> all;
  int64_t slabs = bands.view.channels / bands.channels;
  for (int64_t rounds = 1; rounds <= 3; ++rounds) {
    int64_t parts = std::clamp<int64_t>(rounds * chip.multiprocessors / slabs,
                                        1, bands.countTasks());
    int64_t share = llvm::divideCeil(bands.countTasks(), parts);
    parts = llvm::divideCeil(bands.countTasks(), share);
    if (!llvm::is_contained(all, parts))
      all.push_back(parts);
  }
  return all;
}

/// Bands of equal heights, the last one perhaps lower.
static SmallVector<int64_t> getLines(int64_t lines) {
  SmallVector<int64_t> all;
  for (int64_t bands : {1, 2, 4})
    if (int64_t height = llvm::divideCeil(lines, bands);
        !llvm::is_contained(all, height))
      all.push_back(height);
  return all;
}

static int64_t getColumns(const MatrixView &view) {
  int64_t most = std::min(DepthwiseBands::kColumnsOfDy,
                          DepthwiseBands::kColumnsOfX + 1 - view.rows[1]);
  int64_t strips = llvm::divideCeil(view.taps[1], most);
  return llvm::divideCeil(view.taps[1], strips);
}

void conv::addBandSchedules(ConvOpInterface op, const DepthwiseSum &form,
                            const ChipInfo &chip,
                            SmallVector<RankedSchedule> &ranked) {
  if (op.getConvKind() != convmlir::ConvKind::Wgrad)
    return addFilterBandSchedules(op, form, chip, ranked);
  if (!whyNoBands(op, form).empty())
    return;
  MLIRContext *context = op->getContext();
  int64_t columns = getColumns(form.view);
  for (int64_t channels : {32, 16, 8})
    for (int64_t ofWarp : {4, 2})
      for (int64_t lines : getLines(form.view.taps[0]))
        for (int64_t stages : {4, 3}) {
          auto make = [&](int64_t parts) {
            return getSchedule(context, lines, channels, columns,
                               channels / ofWarp, stages, parts);
          };
          if (form.view.channels % channels != 0)
            continue;
          for (int64_t parts : getParts(DepthwiseBands(form, make(1)), chip))
            if (whyIllegalBands(op, form, make(parts), chip).empty())
              ranked.push_back({make(parts), getDepthwiseCycles(
                                                 op, form, make(parts), chip)});
        }
}
