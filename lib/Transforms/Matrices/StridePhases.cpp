//===- StridePhases.cpp - contractions that run as one kernel -------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StridePhases.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::conv;

linalg::LinalgOp conv::findContraction(Value value) {
  if (auto addTaps = value.getDefiningOp<AddTapsOp>())
    return findContraction(addTaps.getSource());
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op)
    return nullptr;
  if (op->hasAttr(ScheduleAttr::attributeName()))
    return op;
  for (Value input : op.getDpsInputs())
    if (linalg::LinalgOp found = findContraction(input))
      return found;
  return nullptr;
}

SmallVector<ViewAttr> StridePhases::getScatterViews() const {
  return llvm::map_to_vector(
      scatters, [](ScatterOp scatter) { return scatter.getView(); });
}

SmallVector<int64_t> StridePhases::getLoopExtents(unsigned loop) const {
  return llvm::map_to_vector(
      extents, [&](ArrayRef<int64_t> phase) { return phase[loop]; });
}

//===----------------------------------------------------------------------===//
// Comparing phases
//===----------------------------------------------------------------------===//

static LogicalResult differs(Value other) {
  return emitError(other.getLoc())
         << "the stride phases of a result must differ in the views of their "
            "matrices only";
}

static bool haveSameBody(linalg::LinalgOp a, linalg::LinalgOp b) {
  return a->getName() == b->getName() &&
         a->getNumOperands() == b->getNumOperands() &&
         a.getIndexingMapsArray() == b.getIndexingMapsArray() &&
         OperationEquivalence::isRegionEquivalentTo(
             &a->getRegion(0), &b->getRegion(0),
             OperationEquivalence::IgnoreLocations);
}

/// A phase that no tap reaches reads nothing: its views have the rows of the
/// first phase and no taps.
void StridePhases::addPhaseWithoutTaps() {
  for (Value input : contraction.getDpsInputs()) {
    auto matrix = input.getDefiningOp<Im2colOp>();
    if (!matrix)
      continue;
    ViewAttr view = matrix.getView();
    SmallVector<int64_t> none(view.getSpatialRank(), 0);
    views[matrix].push_back(
        ViewAttr::get(view.getContext(), view.getRows(), none, view.getStride(),
                      view.getStep(), view.getOffset(), view.getGroups(),
                      view.getRowGroups(), view.getStrips()));
  }
  SmallVector<unsigned> reductions;
  contraction.getReductionDims(reductions);
  SmallVector<int64_t> loops = contraction.getStaticLoopRanges();
  for (unsigned loop : ArrayRef(reductions).drop_back())
    loops[loop] = 0;
  extents.push_back(loops);
}

LogicalResult StridePhases::matchContraction(Value value) {
  StringRef name = ScheduleAttr::attributeName();
  auto other = value.getDefiningOp<linalg::LinalgOp>();
  if (auto fill = value.getDefiningOp<linalg::FillOp>();
      fill && (matchPattern(fill.value(), m_AnyZeroFloat()) ||
               matchPattern(fill.value(), m_Zero()))) {
    if (contraction.getNumReductionLoops() ==
        1) // None over taps, to run never.
      return differs(value);
    addPhaseWithoutTaps();
    return success();
  }
  if (!other || other->getAttr(name) != contraction->getAttr(name) ||
      !haveSameBody(contraction, other) ||
      other.getStaticLoopRanges().back() !=
          contraction.getStaticLoopRanges().back())
    return differs(value);
  extents.push_back(other.getStaticLoopRanges());
  for (auto [a, b] :
       llvm::zip_equal(contraction.getDpsInputs(), other.getDpsInputs()))
    if (failed(match(a, b)))
      return failure();
  return success();
}

/// Adds what makes the value of another phase.
LogicalResult StridePhases::match(Value first, Value other) {
  Operation *op = first.getDefiningOp();
  if (op && op == contraction)
    return matchContraction(other);
  if (auto matrix = dyn_cast_or_null<Im2colOp>(op)) {
    auto otherMatrix = other.getDefiningOp<Im2colOp>();
    if (!otherMatrix || matrix.getSource() != otherMatrix.getSource())
      return differs(other);
    views[matrix].push_back(otherMatrix.getView());
    return success();
  }
  if (auto addTaps = dyn_cast_or_null<AddTapsOp>(op)) {
    auto otherTaps = other.getDefiningOp<AddTapsOp>();
    return otherTaps ? match(addTaps.getSource(), otherTaps.getSource())
                     : differs(other);
  }
  auto elementwise = dyn_cast_or_null<linalg::GenericOp>(op);
  if (!elementwise)
    return first == other ? success() : differs(other);
  auto otherElementwise = other.getDefiningOp<linalg::GenericOp>();
  if (!otherElementwise || !haveSameBody(elementwise, otherElementwise))
    return differs(other);
  for (auto [a, b] : llvm::zip_equal(elementwise.getDpsInputs(),
                                     otherElementwise.getDpsInputs()))
    if (failed(match(a, b)))
      return failure();
  return success();
}

std::optional<SmallVector<int64_t>>
conv::getReductionExtents(ScatterOp scatter) {
  linalg::LinalgOp contraction = findContraction(scatter.getValue());
  if (!contraction)
    return std::nullopt;
  SmallVector<unsigned> reductions;
  contraction.getReductionDims(reductions);
  SmallVector<int64_t> loops = contraction.getStaticLoopRanges();
  return llvm::map_to_vector(reductions,
                             [&](unsigned loop) { return loops[loop]; });
}

/// Taps of the contraction behind a scatter.
static int64_t countTaps(ScatterOp scatter) {
  auto extents = getReductionExtents(scatter);
  return extents ? llvm::product_of(ArrayRef(*extents).drop_back(), int64_t(1))
                 : 0;
}

FailureOr<StridePhases> conv::collectStridePhases(ArrayRef<ScatterOp> chain) {
  StridePhases phases;
  phases.scatters.assign(chain.begin(), chain.end());
  llvm::stable_sort(phases.scatters, [](ScatterOp a, ScatterOp b) {
    return countTaps(a) > countTaps(b);
  });
  phases.contraction = findContraction(phases.front().getValue());
  for (ScatterOp scatter : phases.scatters)
    if (failed(phases.match(phases.front().getValue(), scatter.getValue())))
      return failure();
  return phases;
}
