//===- RawRowSlots.cpp - which tiles come in boxes of images --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Forms/RawRowSlots.h"

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/SwappedOperands.h"
#include "conv/Geometry/SharedTile.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

int64_t RawRowSlots::getBytes() const {
  return getBoxSlotsBytes(slots, getSlotBytes());
}

/// Few channels make small slots, of which more fit; many make few waits.
std::optional<RawRowSlots> conv::getRawRowSlots(ScheduleAttr schedule,
                                                int64_t positions,
                                                int64_t channelsOfImage) {
  constexpr int64_t mostChannels = 32;
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t channels = std::gcd(mostChannels, tile[2]);
  auto raw = convmlir::getRawRows(positions, tile[0]);
  if (!raw || swapsOperands(schedule) ||
      channels % convmlir::SharedTile::kSwizzlePeriod != 0 ||
      channels % raw->lines.getClasses() != 0 ||
      channelsOfImage % raw->lines.getClasses() != 0)
    return std::nullopt;
  int64_t slots = countBoxSlots(schedule, raw->getBytes(channels));
  return slots > 0 ? std::optional(RawRowSlots{*raw, channels, slots})
                   : std::nullopt;
}

/// Whether or not the copy has a tile already. wgrad has blocks of rows.
static bool isTileOfRows(Im2colOp copy, ScheduleAttr schedule) {
  ArrayRef<int64_t> shape = copy.getMatrixType().getShape();
  int64_t rows = shape.front(), channels = shape.back();
  if (copy.getTransposed())
    std::swap(rows, channels);
  return rows == schedule.getTile()[0] && channels == schedule.getTile()[2];
}

std::optional<RawRowSlots> conv::getRawRowSlots(ScheduleAttr schedule,
                                                ArrayRef<Im2colOp> copies) {
  Im2colOp gathered = findGatheredImages(copies);
  if (!gathered || !isTileOfRows(gathered, schedule))
    return std::nullopt;
  return getRawRowSlots(schedule, gathered.getView().getRowsPerImage(),
                        gathered.getTensorShape().back());
}
