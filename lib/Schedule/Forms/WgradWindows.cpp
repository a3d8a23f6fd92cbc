//===- WgradWindows.cpp - schedules of wgrad with windows -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a schedule. Output: the limit that it breaks.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Forms/WgradWindows.h"

#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Dialect/Conv/IR/TailParts.h"
#include "conv/Geometry/SharedTile.h"
#include "conv/Geometry/TmaView.h"
#include "conv/Schedule/Forms/GatherSchedule.h"
#include "conv/Schedule/Forms/GatheredWgradWindow.h"
#include "conv/Schedule/Forms/KMajorWgrad.h"
#include "conv/Schedule/Forms/TailSchedule.h"
#include "conv/Schedule/Resources.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::MatrixView;
using convmlir::Spatial;
using convmlir::WindowBlock;
using llvm::formatv;

static constexpr int64_t kRows = kWgradWindowRows;

static std::string whyIllegalShape(ScheduleAttr schedule, int64_t line) {
  ArrayRef<int64_t> tile = schedule.getTile(), warps = schedule.getWarps();
  if (warps[0] != kWarpsPerWarpgroup || warps[1] > 3)
    return formatv("a window of wgrad wants 4 by 1, 2 or 3 warps, whose "
                   "warpgroups divide the taps, but the schedule has {0} by "
                   "{1}",
                   warps[0], warps[1]);
  if (tile[0] != kRows)
    return formatv("tile gemm-m ({0}) must be {1} with a window of wgrad",
                   tile[0], kRows);
  if (tile[1] % line != 0 || tile[1] < 2 * line)
    return formatv("tile gemm-n ({0}) must be {1} channels of each of two or "
                   "more taps",
                   tile[1], line);
  return "";
}

/// Blocks of dy with channels first are runs of positions of one image.
static std::string whyNoRuns(const WgradWindow &window, const GemmShape &gemm,
                             ScheduleAttr schedule) {
  if (window.padded == *gemm.views.window && window.block.images == 1)
    return "";
  return formatv("with k-major, blocks of {0} positions of a window must be "
                 "whole rows, of a multiple of eight positions, that make up "
                 "an image, or equal parts of a row",
                 schedule.getTile()[2]);
}

int64_t conv::getWgradWindowBytes(const WgradWindow &window,
                                  ScheduleAttr schedule,
                                  const GemmShape &gemm) {
  return schedule.getStages() * window.getSlotBytes(gemm.elementBytes) +
         window.getRawBytes() + kBarrierBytes;
}

std::string conv::whyIllegalWgradWindow(ScheduleAttr schedule,
                                        const GemmShape &gemm,
                                        const ChipInfo &chip) {
  if (std::string why =
          whyIllegalShape(schedule, convmlir::getLineChannels(gemm.n));
      !why.empty())
    return why;
  if (!gemm.views.window)
    return "input dilation and flipped filters have no window of wgrad";
  auto window = getWgradWindow(schedule, gemm);
  if (!window)
    return window.error();
  if (window->block.packed && !window->raw)
    return formatv("a window of wgrad with a stride is for x with channels "
                   "first, as 'gather' has it: {0}",
                   whyNoRawWindow(*window, schedule, gemm));
  if (schedule.getStages() < 2 || schedule.getStages() > 12)
    return formatv("stages must be 2 to 12, but is {0}", schedule.getStages());
  if (gemm.wgrad.isKMajor)
    if (std::string why = whyNoRuns(*window, gemm, schedule); !why.empty())
      return why;
  if (int64_t most = kMostWindowBarriers - window->countBoxes();
      schedule.getStages() > most)
    return formatv("barriers of {0} stages at most have room, but there are "
                   "{1}",
                   most, schedule.getStages());
  bool isTail = hasNumberedTail(schedule);
  int64_t parts = isTail ? schedule.getTail() : schedule.getSplit();
  if (parts > window->getBlocks())
    return formatv("{0} is {1}, but gemm-k has {2} blocks of {3}",
                   isTail ? "tail" : "split-k", parts, window->getBlocks(),
                   schedule.getTile()[2]);
  if (std::string why = whyNoTail(schedule, gemm); !why.empty())
    return why;
  return whyNotResident(schedule, getWgradWindowBytes(*window, schedule, gemm),
                        window->getMostColumns(), chip);
}

static std::vector<int64_t> getShape(const MatrixView &view) {
  std::vector<int64_t> shape = {view.batch};
  shape.insert(shape.end(), view.extent.begin(),
               view.extent.begin() + view.spatialRank);
  shape.push_back(view.channels);
  return shape;
}

static std::string whyNoBox(const MatrixView &tensor, int64_t images,
                            const Spatial &positions, int64_t channels,
                            int64_t elementBytes) {
  std::vector<int64_t> box = {images};
  box.insert(box.end(), positions.begin(),
             positions.begin() + tensor.spatialRank);
  box.push_back(channels);
  auto view = convmlir::getTmaBoxView(getShape(tensor), box, elementBytes);
  return view ? std::string() : view.error();
}

std::string conv::whyNoWgradBoxes(ConvOpInterface op, ScheduleAttr schedule) {
  convmlir::ConvGeometry geometry =
      getComputedGeometry(op, schedule.getMerge(), schedule.getFold());
  MatrixView x = geometry.phases(convmlir::ConvKind::Wgrad).front().b;
  int64_t line = convmlir::getLineChannels(geometry.c / geometry.groups);
  auto window = getWgradWindow(schedule, x, line);
  if (!window)
    return window.error();
  int64_t bytes = op.getSourceElementType().getIntOrFloatBitWidth() / 8;
  const WindowBlock &block = window->block;
  GemmShape gemm = getGemmShape(op, schedule);
  std::string why;
  if (gemm.wgrad.isKMajor)
    why = whyNoImageTiles(op, kRows, schedule.getTile()[2]);
  else if (!gathersA(schedule, gemm))
    why =
        whyNoBox(geometry.outputView(), block.images, block.box, kRows, bytes);
  if (why.empty() && !gathersB(schedule, gemm))
    why = whyNoBox(x, block.images, block.window, line, bytes);
  return why;
}
