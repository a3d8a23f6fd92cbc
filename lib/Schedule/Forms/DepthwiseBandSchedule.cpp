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

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Schedule/Forms/BandRules.h"
#include "conv/Schedule/Forms/FilterBandSchedule.h"
#include "conv/Schedule/Model/DepthwiseModel.h"
#include "conv/Schedule/Ranking/RankedSchedule.h"
#include "conv/Schedule/Shape/DepthwiseBands.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

static std::string whyWrongColumns(const DepthwiseBands &bands) {
  int64_t most = Bands::getMostColumns(bands.getLineTaps());
  if (bands.columns > most)
    return formatv("tile gemm-k ({0}) of {1} is up to {2} columns of dy, where "
                   "lines have {3} taps",
                   bands.columns, kBandForm, most, bands.getLineTaps());
  if (bands.lines > bands.image[0])
    return formatv("tile gemm-m ({0}) of {1} is up to the {2} lines of dy",
                   bands.lines, kBandForm, bands.image[0]);
  if (bands.parts > bands.countTasks())
    return formatv("split-k ({0}) of {1} is up to the {2} tasks: strips of "
                   "columns, bands of lines and 16 images",
                   bands.parts, kBandForm, bands.countTasks());
  return "";
}

/// Of wgrad.
static std::string whyIllegalSums(const DepthwiseSum &form,
                                  ScheduleAttr schedule, const ChipInfo &chip) {
  ArrayRef<int64_t> tile = schedule.getTile();
  if (schedule != getBandSchedule(schedule.getContext(), tile[0], tile[1],
                                  tile[2], schedule.getWarps()[1],
                                  schedule.getStages(), schedule.getSplit()))
    return formatv(
        "{0} has warps along gemm-n, copy=cp_async, perhaps split-k, "
        "and no other keys",
        kBandForm);
  DepthwiseBands bands(form, schedule);
  for (std::string why : {whyWrongBandChannels(bands), whyWrongColumns(bands)})
    if (!why.empty())
      return why;
  return whyNoBandRoom(bands, bands.getSharedBytes(), chip);
}

static std::string whyIllegal(bool isWgrad, const DepthwiseSum &form,
                              ScheduleAttr schedule, const ChipInfo &chip) {
  return isWgrad ? whyIllegalSums(form, schedule, chip)
                 : whyIllegalFilterBands(form, schedule, chip);
}

std::string conv::whyIllegalBands(ConvOpInterface op, const DepthwiseSum &form,
                                  ScheduleAttr schedule, const ChipInfo &chip) {
  std::string why = whyNoBands(op, form);
  bool isWgrad = op.getConvKind() == convmlir::ConvKind::Wgrad;
  return why.empty() ? ::whyIllegal(isWgrad, form, schedule, chip) : why;
}

std::string conv::whyIllegalBands(DepthwiseOp op, const ChipInfo &chip) {
  std::string why = whyNoBands(op);
  return why.empty() ? ::whyIllegal(op.hasFilterOfImage(), getDepthwiseSum(op),
                                    op.getScheduleAttr(), chip)
                     : why;
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

void conv::addBandSchedules(ConvOpInterface op, const DepthwiseSum &form,
                            const ChipInfo &chip,
                            SmallVector<RankedSchedule> &ranked) {
  if (!whyNoBands(op, form).empty())
    return;
  if (op.getConvKind() != convmlir::ConvKind::Wgrad)
    return addFilterBandSchedules(op, form, chip, ranked);
  MLIRContext *context = op->getContext();
  int64_t columns =
      getEvenBandColumns(form.view.taps[1], /*lineTaps=*/form.view.rows[1]);
  for (int64_t channels : {32, 16, 8})
    for (int64_t ofWarp : {4, 2})
      for (int64_t lines : getBandHeights(form.view.taps[0]))
        for (int64_t stages : {4, 3}) {
          auto make = [&](int64_t parts) {
            return getBandSchedule(context, lines, channels, columns,
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
