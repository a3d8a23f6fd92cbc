//===- WrittenResult.cpp - what a kernel stores ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Shape/WrittenResult.h"

#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Dialect/Conv/IR/Epilogue.h"
#include "conv/Schedule/Forms/PhasePairs.h"
#include "conv/Schedule/Shape/ChannelsFirstResult.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <limits>
#include <utility>

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvKind;

namespace {
/// Of all phases of a result.
struct PhaseSums {
  double rows = 0, products = 0;
  int64_t reached = 0; ///< Phases with taps.
};

/// Positions of a phase that are stored together, and how far apart they are.
struct StoredRun {
  int64_t neighbours, distance;
};
} // namespace

static PhaseSums sumPhases(const GemmShape &shape) {
  PhaseSums sums;
  for (GemmShape::Phase phase : shape.phases) {
    sums.rows += phase.m;
    sums.products += double(phase.m) * phase.taps * shape.channels;
    sums.reached += phase.taps > 0;
  }
  return sums;
}

static StoredRun getStoredRun(const convmlir::MatrixView &view,
                              int64_t reachedPhases) {
  ArrayRef<int64_t> strides(view.stride.data(), view.spatialRank);
  int64_t distance = strides.back(), cell = llvm::product_of(strides);
  int64_t neighbours = getNeighbouringRows(view);
  // One phase among zeros is stored with them.
  if (reachedPhases == 1 && cell > 1 && cell <= kMostOfCell)
    neighbours = std::exchange(distance, 1);
  return {neighbours, distance};
}

/// How the kernel stores a result that is transposed, if it does.
static void addStoredPositions(GemmShape &shape, ConvOpInterface op) {
  PhaseSums sums = sumPhases(shape);
  if (op.getConvKind() == ConvKind::Wgrad || sums.rows == 0)
    return;
  double cycles =
      getProductCycles(sums.products / sums.rows, shape.elementBytes);
  int64_t least = std::numeric_limits<int64_t>::max();
  auto phases = op.getGeometry()->phases(op.getConvKind());
  shape.stored.pairedLine = getPairedLine(shape, phases, cycles);
  for (const convmlir::GemmPhase &phase : phases) {
    StoredRun run = getStoredRun(phase.result, sums.reached);
    if (!isWorthStoring(
            {run.neighbours, run.distance, shape.epilogue.resultBytes, cycles}))
      return;
    least = std::min(least, run.neighbours);
    shape.stored.distance = run.distance;
  }
  shape.stored.positions = least;
  const convmlir::MatrixView &result = phases.front().result;
  if (phases.size() == 1 && namesAllPositions(result))
    shape.stored.imagePositions =
        result.numRows() / std::max<int64_t>(result.batch, 1);
}

Value conv::addWritten(GemmShape &shape, ConvOpInterface op) {
  Value result = op->getResult(0);
  SmallVector<int64_t> dims = getEpilogueDims(op);
  while (linalg::GenericOp next = getEpilogue(result, dims)) {
    for (OpOperand *input : next.getDpsInputOperands()) {
      if (input->get() == result || !isa<ShapedType>(input->get().getType()))
        continue;
      if (next.getMatchingIndexingMap(input).isIdentity())
        ++shape.epilogue.readResults;
      else
        shape.epilogue.readsVectors = true;
    }
    result = next->getResult(0);
  }
  auto type = cast<ShapedType>(result.getType());
  shape.epilogue.resultBytes = type.getElementTypeBitWidth() / 8;
  shape.memory.writtenBytes =
      type.getNumElements() * shape.epilogue.resultBytes;
  return result;
}

void conv::addEpilogue(GemmShape &shape, ConvOpInterface op) {
  Value result = addWritten(shape, op);
  if (result.hasOneUse())
    if (auto next = dyn_cast<linalg::TransposeOp>(*result.user_begin()))
      shape.stored.isTransposed = makesChannelsFirst(next);
  if (shape.stored.isTransposed)
    addStoredPositions(shape, op);
}
