//===- ScheduledOps.cpp - operations that have a schedule -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: an operation with `conv.schedule`. Output: nothing, or an error that
// says what of its form is not as every pass expects. Whether the schedule is
// one that a target can run is conv-select-schedule's to say.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ScheduledOps.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::conv;

static InFlightDiagnostic emitMisplaced(Operation *op) {
  return op->emitOpError("has a conv.schedule: ");
}

/// Whether the maps fit the loops and operands: linalg verifies that later, with
/// the regions.
static bool hasFittingMaps(linalg::LinalgOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (maps.size() != op->getNumOperands())
    return false;
  for (auto [map, operand] : llvm::zip_equal(maps, op->getOperands())) {
    auto type = dyn_cast<ShapedType>(operand.getType());
    if (map.getNumSymbols() != 0 ||
        map.getNumDims() != op.getIteratorTypesArray().size() ||
        map.getNumResults() != (type && type.hasRank() ? type.getRank() : 0))
      return false;
  }
  return true;
}

/// Loops over whole tensors, each a dimension of an operand, and none over
/// nothing.
static LogicalResult verifyLoops(linalg::LinalgOp op) {
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<ShapedType>(operand.getType());
    if (!type || !type.hasRank() || !type.hasStaticShape() ||
        type.getRank() < 1)
      return emitMisplaced(op)
             << "expected matrices of static shape, got " << operand.getType();
    if (type.getNumElements() == 0)
      return emitMisplaced(op)
             << "expected matrices with elements, got " << type;
  }
  for (AffineMap map : op.getIndexingMapsArray())
    if (!map.isProjectedPermutation())
      return emitMisplaced(op)
             << "expected a loop for each dimension of a matrix, got "
             << AffineMapAttr::get(map);
  return success();
}

/// result[m, n] += left[m, k] * right[n, k], with more loops of each kind.
static LogicalResult verifyContraction(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return emitMisplaced(op)
           << "expected a contraction of two matrices into one, got "
           << op.getNumDpsInputs() << " inputs and " << op.getNumDpsInits()
           << " results";
  if (!hasFittingMaps(op))
    return success();
  if (failed(verifyLoops(op)))
    return failure();
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  if (kinds.empty() || kinds.back() != utils::IteratorType::reduction)
    return emitMisplaced(op)
           << "expected a contraction, whose last loop sums products";
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  unsigned last = kinds.size() - 1;
  for (auto [i, map] : llvm::enumerate(maps))
    if (map.isFunctionOfDim(last) == (i == maps.size() - 1))
      return emitMisplaced(op) << "expected a last loop over both matrices and "
                                  "not over the result";
  for (auto [loop, kind] : llvm::enumerate(kinds))
    if (maps.back().isFunctionOfDim(loop) !=
        (kind == utils::IteratorType::parallel))
      return emitMisplaced(op)
             << "expected parallel loops over the result, and sums over the "
                "others, but loop "
             << loop << " is not";
  return success();
}

static LogicalResult verifyTiles(scf::ForallOp op) {
  if (op.isNormalized() && !ShapedType::isDynamicShape(op.getStaticUpperBound()))
    return success();
  return emitMisplaced(op)
         << "expected a loop from 0 to constants, by steps of 1";
}

LogicalResult conv::verifyScheduledOp(Operation *op) {
  // A kernel is a gpu.func, and an llvm.func in the end.
  if (isa<ConvOpInterface, FunctionOpInterface>(op))
    return success();
  // Attributes are verified before the operation that has them.
  if (failed(op->getName().verifyInvariants(op)))
    return failure();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return verifyContraction(linalgOp);
  if (auto forall = dyn_cast<scf::ForallOp>(op))
    return verifyTiles(forall);
  return emitMisplaced(op)
         << "expected a convolution, a contraction, a loop over tiles or a "
            "kernel";
}
