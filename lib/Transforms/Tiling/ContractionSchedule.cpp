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
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Dialect/Conv/IR/Transposition.h"
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

/// The matrix that a contraction reads through a view; null where it reads
/// something else.
static Im2colOp getMatrix(linalg::LinalgOp op, unsigned operand) {
  return op.getDpsInputs()[operand].getDefiningOp<Im2colOp>();
}

/// Whether the source has its channels first: copies of tiles transpose it, or
/// an operation before them does.
static bool isTransposed(Im2colOp matrix) {
  return matrix && (matrix.getChannelsFirst() ||
                    getChannelsFirstSource(matrix.getSource()));
}

/// The sums of taps along a line that are added behind the contraction.
static AddTapsOp getAddedTaps(linalg::LinalgOp op) {
  Value sums = op->getResult(0);
  return sums.hasOneUse() ? dyn_cast<AddTapsOp>(*sums.user_begin()) : nullptr;
}

/// What writes the result, behind operations on each of its elements.
static ScatterOp getScatter(Operation *op) {
  for (Operation *user : op->getUsers()) {
    if (auto scatter = dyn_cast<ScatterOp>(user))
      return scatter;
    if (auto next = dyn_cast<linalg::LinalgOp>(user);
        next && next.getNumReductionLoops() == 0)
      if (ScatterOp scatter = getScatter(next))
        return scatter;
  }
  return nullptr;
}

/// What windows, gathered tiles and sums of taps are of, as operations around a
/// contraction say. Taps of the result are those of wgrad.
static void addForms(GemmShape &shape, linalg::LinalgOp op) {
  bool isWgrad = shape.isMnMajorA || shape.isKMajor;
  Im2colOp a = getMatrix(op, 0), b = getMatrix(op, 1);
  shape.isTransposedA = !shape.isKMajor && isTransposed(a);
  shape.isTransposedB = isWgrad && isTransposed(b);
  if (AddTapsOp taps = getAddedTaps(op)) {
    shape.tapSums = taps.getNumTaps();
    shape.line = taps.getLine();
    shape.phases.front().m /= shape.tapSums;
  }
  if (ScatterOp scatter = getScatter(op)) {
    shape.transposesResult = scatter.getChannelsFirst();
    shape.imagePositions = getImagePositions(scatter);
  }
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
  GemmShape shape = {{}, 1, 1, extents[last], 1, 0};
  for (unsigned loop = 0; loop < last; ++loop) {
    bool ofA = maps[0].isFunctionOfDim(loop),
         ofB = maps[1].isFunctionOfDim(loop);
    int64_t &extent = !maps[2].isFunctionOfDim(loop) ? taps
                      : ofA && ofB                   ? shape.groups
                      : ofA                          ? m
                      : loop == column               ? shape.n
                                                     : shape.resultTaps;
    extent *= extents[loop];
  }
  auto isMnMajor = [&](AffineMap map) {
    return map.getDimPosition(map.getNumResults() - 1) != last;
  };
  shape.phases = {{m, taps}};
  shape.factorType = getFactorType(op);
  shape.elementBytes =
      getElementTypeOrSelf(op.getDpsInputs().front()).getIntOrFloatBitWidth() /
      8;
  shape.isMnMajorA = isMnMajor(maps[0]);
  shape.isMnMajorB = isMnMajor(maps[1]);
  shape.isKMajor = shape.reducesRows = hasBlocksOfImages(op);
  shape.hasPartsOfTaps = true;
  addForms(shape, op);
  return shape;
}

/// What holds whatever the extents.
static std::string whyNoKernel(ScheduleAttr schedule, const ChipInfo &chip) {
  std::string why = whyNoEngine(schedule, chip);
  return why.empty() ? whyTooManyThreads(schedule) : why;
}

/// Forms of a schedule that other operations have than those around it.
static std::string whyNoForm(ScheduleAttr schedule, const GemmShape &gemm) {
  if (schedule.getKn2row() && gemm.tapSums == 1)
    return "kn2row is of a contraction whose result 'conv.add_taps' alone "
           "reads, but this one is read by others";
  return "";
}

std::string conv::whyCannotRunLater(Operation *op, ScheduleAttr schedule,
                                    const ChipInfo &chip) {
  if (std::string why = whyNoKernel(schedule, chip); !why.empty())
    return why;
  // The view of a window is padded to blocks when it stands on a contraction,
  // and a single image has no loop that says whether dy is read K-major: the
  // convolution alone says whether these are legal.
  auto contraction = dyn_cast<linalg::LinalgOp>(op);
  if (!contraction || schedule.getWindow() || schedule.getKMajor())
    return "";
  Type factor = getFactorType(contraction);
  if (!factor.isF32() && !MmaShape::lookup(factor))
    return formatv("matrices of {0} are multiplied by no kernel",
                   getTypeName(factor));
  if (std::string why = whyNoFloat8(factor, chip); !why.empty())
    return why;
  GemmShape shape = getContractionShape(contraction);
  if (std::string why = whyNoForm(schedule, shape); !why.empty())
    return why;
  return whyIllegal(schedule, shape, chip);
}

std::string conv::whyCannotRunLater(Operation *op, ScheduleAttr schedule) {
  return whyCannotRunLater(op, schedule, convmlir::getFullestChip());
}

LogicalResult conv::checkSchedule(Operation *op, ScheduleAttr schedule,
                                  const std::string &why) {
  if (why.empty())
    return success();
  return op->emitError() << "schedule '" << toString(schedule)
                         << "' cannot run: " << why;
}
