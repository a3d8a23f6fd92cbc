//===- ContractionSchedule.cpp - schedules beside convolutions ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: an operation of form F2 or later whose schedule somebody has written.
// Output: the limit that the schedule breaks, by the rules for convolutions
// (whyIllegal) on the shape that a contraction has.
//
//===----------------------------------------------------------------------===//

#include "ContractionSchedule.h"
#include "TileProducers.h"
#include "conv/Dialect/Conv/IR/ConvChip.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Schedule/ChipLimits.h"
#include "conv/Schedule/Shape/ChannelsFirstResult.h"
#include "conv/Schedule/Shape/MmaShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

/// The type that is multiplied: that of the matrices, or what they are rounded
/// to in front of a product.
static Type getFactorType(linalg::LinalgOp op) {
  Type type = getElementTypeOrSelf(op.getDpsInputs().front());
  op->walk([&](arith::TruncFOp rounding) {
    if (rounding.getType().isTF32())
      type = rounding.getType();
  });
  return type;
}

/// What writes the result: a conv.scatter, or the last operation on each of its
/// elements.
static Operation *getWriter(linalg::LinalgOp op) {
  Operation *writer = op;
  for (Operation *user : op->getUsers()) {
    if (isa<ScatterOp>(user))
      return user;
    if (auto next = dyn_cast<linalg::LinalgOp>(user);
        next && next.getNumReductionLoops() == 0)
      writer = getWriter(next);
    if (isa<ScatterOp>(writer))
      return writer;
  }
  return writer;
}

/// The bytes of an element that is written; of one that is less than a byte 0.
static int64_t getWrittenBytes(Operation *writer) {
  auto dest = isa<ScatterOp>(writer)
                  ? cast<ScatterOp>(writer).getDest()
                  : cast<linalg::LinalgOp>(writer).getDpsInits().front();
  Type element = getElementTypeOrSelf(dest);
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() / 8 : 0;
}

/// Loops by what they index: both matrices and the result (groups), the left
/// one (gemm-m), the right one (gemm-n; before it taps of the result), or the
/// matrices alone (taps and gemm-k).
static GemmShape getContractionShape(linalg::LinalgOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  unsigned last = extents.size() - 1;
  unsigned column = maps[2].getDimPosition(maps[2].getNumResults() - 1);
  int64_t m = 1, taps = 1;
  GemmShape shape = {.channels = extents[last]};
  for (unsigned loop = 0; loop < last; ++loop) {
    bool ofA = maps[0].isFunctionOfDim(loop),
         ofB = maps[1].isFunctionOfDim(loop);
    int64_t &extent = !maps[2].isFunctionOfDim(loop) ? taps
                      : ofA && ofB                   ? shape.groups
                      : ofA                          ? m
                      : loop == column               ? shape.n
                                                     : shape.wgrad.resultTaps;
    extent *= extents[loop];
  }
  auto isMnMajor = [&](AffineMap map) {
    return map.getDimPosition(map.getNumResults() - 1) != last;
  };
  shape.phases = {{m, taps}};
  shape.chip = getChip(op);
  shape.factorType = getFactorType(op);
  shape.elementBytes =
      getElementTypeOrSelf(op.getDpsInputs().front()).getIntOrFloatBitWidth() /
      8;
  shape.a.isMnMajor = isMnMajor(maps[0]);
  shape.b.isMnMajor = isMnMajor(maps[1]);
  shape.wgrad.isKMajor = shape.wgrad.reducesRows = hasBlocksOfImages(op);
  shape.wgrad.hasPartsOfTaps = true;
  Operation *writer = getWriter(op);
  // What is wider may leave without being staged, as parts of gemm-k do: that
  // is seen where the plan of the kernel is made.
  shape.epilogue.resultBytes =
      std::min(shape.epilogue.resultBytes, getWrittenBytes(writer));
  if (auto scatter = dyn_cast<ScatterOp>(writer)) {
    shape.stored.isTransposed = scatter.getChannelsFirst();
    shape.stored.imagePositions = getImagePositions(scatter);
  }
  return shape;
}

/// What holds whatever the extents.
static std::string whyNoKernel(ScheduleAttr schedule, const ChipInfo &chip) {
  std::string why = whyNoEngine(schedule, chip);
  return why.empty() ? whyTooManyThreads(schedule) : why;
}

/// What these are of, a convolution says, and a contraction no longer: views of
/// windows and of gathered tiles are padded to blocks, a single image has no
/// loop, and folded taps are channels.
static bool hasForm(ScheduleAttr schedule) {
  return schedule.getWindow() || schedule.getGather() || schedule.getKMajor() ||
         schedule.getKn2row();
}

std::string conv::whyCannotRunLater(Operation *op, ScheduleAttr schedule,
                                    const ChipInfo &chip) {
  if (std::string why = whyNoKernel(schedule, chip); !why.empty())
    return why;
  auto contraction = dyn_cast<linalg::LinalgOp>(op);
  if (!contraction || hasForm(schedule))
    return "";
  Type factor = getFactorType(contraction);
  if (!factor.isF32() && !MmaShape::lookup(factor))
    return formatv("matrices of {0} are multiplied by no kernel",
                   getTypeName(factor));
  if (std::string why = whyNoFloat8(factor, chip); !why.empty())
    return why;
  return whyIllegal(schedule, getContractionShape(contraction), chip);
}

std::string conv::whyCannotRunLater(Operation *op, ScheduleAttr schedule) {
  return whyCannotRunLater(op, schedule, getChip(op));
}

LogicalResult conv::checkSchedule(Operation *op, ScheduleAttr schedule,
                                  const std::string &why) {
  if (why.empty())
    return success();
  return op->emitError() << "schedule '" << toString(schedule)
                         << "' cannot run: " << why;
}
