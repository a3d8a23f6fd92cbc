//===- Kn2rowSchedule.cpp - schedules with sums for taps ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Forms/Kn2rowSchedule.h"

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/Kn2row.h"
#include "conv/Geometry/TmaView.h"
#include "conv/Schedule/HopperSchedule.h"
#include "conv/Schedule/KeptOperands.h"
#include "conv/Schedule/Resources.h"
#include "conv/Schedule/Shape/ClusterShape.h"
#include "conv/Schedule/Shape/Transpositions.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

std::string conv::whyNoKn2row(ConvOpInterface op) {
  if (auto form = getKn2row(op); !form)
    return form.error();
  return whyChannelsLast(op, "kn2row");
}

int64_t conv::getKn2rowColumns(ScheduleAttr schedule) {
  constexpr int64_t panel = 64;
  return llvm::alignTo(schedule.getTile()[1], panel);
}

/// Of the filters of a block, for all taps that have sums of their own.
static int64_t getFilterBytes(ScheduleAttr schedule, const GemmShape &gemm) {
  return gemm.kn2row.tapSums * AddTapsOp::kBlockRows * schedule.getTile()[2] *
         gemm.elementBytes;
}

static int64_t getSlotBytes(ScheduleAttr schedule) {
  constexpr int64_t bytes = 2;
  return getKn2rowColumns(schedule) * schedule.getTile()[2] * bytes;
}

int64_t conv::countSlotsBesideFilters(ScheduleAttr schedule,
                                      int64_t filterBytes) {
  constexpr int64_t most = 8, resultBytes = 2;
  int64_t room = getSharedBytesPerWorkgroup(schedule) - kBarrierBytes -
                 getStagedBytes(schedule, resultBytes) - filterBytes;
  return std::clamp<int64_t>(room / getSlotBytes(schedule), 0, most);
}

int64_t conv::countKn2rowSlots(ScheduleAttr schedule, const GemmShape &gemm) {
  if (getKeptOperand(schedule, gemm) != KeptOperand::Left)
    return schedule.getStages();
  return countSlotsBesideFilters(schedule, countBlocks(schedule, gemm) *
                                               getFilterBytes(schedule, gemm));
}

int64_t conv::getKn2rowRingBytes(ScheduleAttr schedule, const GemmShape &gemm) {
  int64_t filters = getFilterBytes(schedule, gemm);
  if (getKeptOperand(schedule, gemm) != KeptOperand::Left)
    return schedule.getStages() * (filters + getSlotBytes(schedule));
  return filters * countBlocks(schedule, gemm) +
         countKn2rowSlots(schedule, gemm) * getSlotBytes(schedule);
}

/// Of the filters, where taps and filters are rows, or columns.
static std::string whyNoFilterMap(const GemmShape &gemm,
                                  ArrayRef<int64_t> tile) {
  convmlir::MatrixView filter;
  filter.spatialRank = 1;
  int64_t rows = gemm.phases.front().m * gemm.kn2row.tapSums;
  int64_t ofTile = tile[0] * gemm.kn2row.tapSums, ofBlock = tile[2];
  filter.batch = gemm.a.isMnMajor ? gemm.channels : rows;
  filter.channels = gemm.a.isMnMajor ? rows : gemm.channels;
  filter.extent[0] = filter.taps[0] = gemm.phases.front().taps;
  if (gemm.a.isMnMajor)
    std::swap(ofTile, ofBlock);
  return convmlir::whyNoTensorMap({filter}, 1, gemm.elementBytes, ofTile,
                                  ofBlock);
}

std::string conv::whyNoKn2rowBoxes(ConvOpInterface op, ScheduleAttr schedule,
                                   const GemmShape &gemm) {
  convmlir::ConvGeometry geometry = *op.getGeometry();
  bool isForward = op.getConvKind() == convmlir::ConvKind::Forward;
  int64_t positions =
      isForward ? geometry.inputElements() / (geometry.n * geometry.c)
                : geometry.outputElements() / (geometry.n * geometry.k);
  auto box = convmlir::getTmaBoxView(
      {geometry.n, gemm.channels, positions},
      {schedule.getTile()[2], getKn2rowColumns(schedule)}, gemm.elementBytes);
  return box ? whyNoFilterMap(gemm, schedule.getTile()) : box.error();
}

std::string conv::whyIllegalKn2row(ScheduleAttr schedule,
                                   const GemmShape &gemm) {
  ArrayRef<int64_t> tile = schedule.getTile(), warps = schedule.getWarps();
  if (getClusterM(schedule) > 1)
    return formatv("kn2row has clusters along gemm-n, whose workgroups share "
                   "filters, but the schedule has {0}x{1}",
                   getClusterM(schedule), getClusterN(schedule));
  if (tile[0] != AddTapsOp::kBlockRows || warps[0] != 4 || warps[1] != 1)
    return formatv("kn2row has tiles of {0} filters by 4x1 warps, but the "
                   "schedule has {1} by {2}x{3}",
                   +AddTapsOp::kBlockRows, tile[0], warps[0], warps[1]);
  if (tile[1] % gemm.kn2row.line != 0)
    return formatv("kn2row wants tiles of whole lines of {0} positions, but "
                   "gemm-n is {1}",
                   gemm.kn2row.line, tile[1]);
  constexpr int64_t fewestSlots = 3;
  if (int64_t slots = countKn2rowSlots(schedule, gemm);
      getKeptOperand(schedule, gemm) == KeptOperand::Left &&
      slots < fewestSlots)
    return formatv(
        "kn2row with as many stages as gemm-k has blocks, {0}, keeps "
        "all filters, which leaves room for {1} slots of positions, "
        "but {2} are needed",
        countBlocks(schedule, gemm), slots, fewestSlots);
  return "";
}
