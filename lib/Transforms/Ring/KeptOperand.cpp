//===- KeptOperand.cpp - what a workgroup loads once ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeptOperand.h"

#include "RingOperands.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

static constexpr char kOtherTiles[] =
    "it is not the same in all tiles of a workgroup";

/// Of windows: a workgroup may have tiles of one group only.
static std::string whyNotKeptBesideWindows(GemmKNest &nest,
                                           ScheduleAttr schedule,
                                           Im2colOp filter) {
  if (std::string why = whyNoRoomToKeep(schedule, nest.getConstantBlocks());
      !why.empty())
    return why;
  bool isSame = llvm::all_of(filter.getOffsets(), [&](Value offset) {
    return nest.isOfBlock(offset) || (filter.getView().getRowGroups() > 1 &&
                                      offset == filter.getOffsets().front() &&
                                      nest.isOfBlockAndWorkgroup(offset));
  });
  return isSame ? "" : kOtherTiles;
}

/// Of tiles.
static std::string whyNoTileKept(GemmKNest &nest, ScheduleAttr schedule,
                                 Im2colOp copy, Im2colOp other) {
  if (copy == other)
    return "it is the other operand as well";
  if (!isa<scf::ForOp>(nest.getRoot()->getParentOp()))
    return "workgroups have one tile each";
  if (nest.rowSum || schedule.getClusterSize() > 1 || copy.getChannelsFirst() ||
      other.getChannelsFirst())
    return "kernels with sums of rows, clusters or gathered operands keep none";
  if (std::string why = whyNoRoomToKeep(schedule, nest.getConstantBlocks());
      !why.empty())
    return why;
  bool isSame = llvm::all_of(copy.getOffsets(), [&](Value offset) {
    return nest.isOfBlockAndWorkgroup(offset);
  });
  return isSame && !copy.getPhase() ? "" : kOtherTiles;
}

std::string conv::whyNotKept(GemmKNest &nest, ScheduleAttr schedule,
                             KeptOperand operand) {
  if (operand == KeptOperand::None)
    return "";
  if (hasTapsOfWindow(nest))
    return "kernels of several taps of dw keep no operand";
  if (operand != getKeepable(schedule))
    return formatv("it is the {0} operand that these kernels can keep",
                   stringifyKeptOperand(getKeepable(schedule)));
  Im2colOp copy = nest.getCopy(nest.contraction.getRhs());
  Im2colOp other = nest.getCopy(nest.contraction.getLhs());
  if (operand == KeptOperand::Left)
    std::swap(copy, other);
  return schedule.getWindow() ? whyNotKeptBesideWindows(nest, schedule, copy)
                              : whyNoTileKept(nest, schedule, copy, other);
}
