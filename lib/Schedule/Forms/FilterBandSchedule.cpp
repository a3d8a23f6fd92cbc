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

#include "conv/Schedule/Forms/BandRules.h"
#include "conv/Schedule/Model/DepthwiseModel.h"
#include "conv/Schedule/Shape/FilterBands.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::MatrixView;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

static std::string whyWrongColumns(const FilterBands &bands) {
  int64_t most = Bands::getMostColumns(bands.getLineTaps());
  if (bands.columns > most)
    return formatv("tile gemm-k ({0}) of {1} is up to {2} columns of the "
                   "result, where lines have {3} taps",
                   bands.columns, kBandForm, most, bands.getLineTaps());
  if (bands.lines > bands.image[0])
    return formatv("tile gemm-m ({0}) of {1} is up to the {2} lines of the "
                   "result",
                   bands.lines, kBandForm, bands.image[0]);
  return "";
}

std::string conv::whyIllegalFilterBands(const DepthwiseSum &form,
                                        ScheduleAttr schedule,
                                        const ChipInfo &chip) {
  ArrayRef<int64_t> tile = schedule.getTile();
  if (schedule != getBandSchedule(schedule.getContext(), tile[0], tile[1],
                                  tile[2], schedule.getWarps()[1],
                                  schedule.getStages()))
    return formatv("{0} has warps along gemm-n, copy=cp_async and no other "
                   "keys (split-k is for wgrad)",
                   kBandForm);
  FilterBands bands(form, schedule);
  for (std::string why : {whyWrongBandChannels(bands), whyWrongColumns(bands)})
    if (!why.empty())
      return why;
  return whyNoBandRoom(bands, bands.getSharedBytes(), chip);
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

static int64_t getImages(int64_t tiles) {
  return std::max<int64_t>(FilterBands::kPairs / tiles, 1);
}

/// Columns of a pair: as many as there can be, evenly. Where it costs no image
/// they are odd, for lanes that are an even number of columns apart read the
/// same banks.
static int64_t getColumns(const MatrixView &view) {
  int64_t columns = getEvenBandColumns(view.rows[1], view.taps[1]);
  if (columns % 2 == 0 &&
      getImages(llvm::divideCeil(view.rows[1], columns - 1)) ==
          getImages(llvm::divideCeil(view.rows[1], columns)))
    --columns;
  return columns;
}

/// Filters of fewer lines have too few products for what a step waits for: with
/// three, loops were faster in all layers that were timed.
static constexpr int64_t kFewestLines = 5;

void conv::addFilterBandSchedules(ConvOpInterface op, const DepthwiseSum &form,
                                  const ChipInfo &chip,
                                  SmallVector<RankedSchedule> &ranked) {
  if (form.view.taps[0] < kFewestLines)
    return;
  MLIRContext *context = op->getContext();
  int64_t columns = getColumns(form.view);
  // Of 8 channels a line is 16 bytes of each column: half of a sector.
  for (int64_t channels : {32, 16}) {
    if (form.view.channels % channels != 0)
      continue;
    for (int64_t ofWarp : {4, 2})
      for (int64_t lines : getBandHeights(form.view.rows[0]))
        for (int64_t stages : {8, 4}) {
          ScheduleAttr schedule =
              getBandSchedule(context, lines, channels, columns,
                              channels / ofWarp, stages);
          FilterBands bands(form, schedule);
          // Lines that are copied ahead are not yet multiplied.
          bool isEarly = stages > 4 && 2 * stages > bands.countSteps();
          if (!isEarly && whyIllegalFilterBands(form, schedule, chip).empty())
            ranked.push_back(
                {schedule, getDepthwiseCycles(op, form, schedule, chip)});
        }
  }
}
