//===- ZeroFill.cpp - results with zeros, channels last -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Forms/ZeroFill.h"

#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Dialect/Conv/IR/TailParts.h"
#include "conv/Geometry/CellViews.h"
#include "conv/Geometry/SharedTile.h"
#include "conv/Geometry/TmaView.h"
#include "conv/Schedule/Resources.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::MatrixView;
using convmlir::PanelTile;

/// Of the panel: smaller ones make too many copies.
static constexpr int64_t kLeastRows = 16;

/// Of the views of zeros: each has a tensor map, for which a kernel has room.
static constexpr size_t kMostViews = 15;

/// Those of zeros, as tiles count them: also past the end of a view, in 32
/// bits.
static constexpr int64_t kMostRows = int64_t(1) << 30;

int64_t conv::getZeroPanelRows(ScheduleAttr schedule, int64_t resultBytes,
                               int64_t room) {
  int64_t span =
      PanelTile(1, getStagedColumns(schedule), resultBytes).getSpanBytes();
  int64_t all =
      schedule.getTile()[0] * kWarpsPerWarpgroup / schedule.getWarps()[0];
  for (int64_t rows = all; rows >= kLeastRows && all % rows == 0; rows /= 2)
    if (int64_t bytes = llvm::alignTo(rows * span, kBarrierBytes);
        bytes <= std::min(room, kMostZeroBytes))
      return rows;
  return 0;
}

/// Whether TMA stores the staged tile, and panels of zeros.
static bool isStoredByTma(ScheduleAttr schedule, const ResultWithZeros &result,
                          int64_t panelRows) {
  const MatrixView &values = result.values;
  std::vector<convmlir::RowsBetween> between =
      convmlir::getRowsBetween(values, kMostViews);
  // What a tile has of the next group must not be stored.
  if (between.size() > kMostViews ||
      (result.groups > 1 &&
       values.channels / result.groups % schedule.getTile()[1] != 0))
    return false;
  auto isStored = [&](const MatrixView &view, int64_t rows) {
    return bool(convmlir::getTmaStoreView(view, result.groups,
                                          result.resultBytes, rows,
                                          getStagedColumns(schedule)));
  };
  return isStored(values, getStagedRows(schedule)) &&
         llvm::all_of(between, [&](const convmlir::RowsBetween &zeros) {
           return values.numRows() * zeros.perRow < kMostRows &&
                  isStored(zeros.view, panelRows);
         });
}

bool conv::storesZeros(ScheduleAttr schedule, const ResultWithZeros &result) {
  if (schedule.getCopy() != CopyKind::Tma ||
      schedule.getMma() != MmaKind::Wgmma ||
      schedule.getAlgorithm() != Algorithm::ImplicitGemm ||
      schedule.getSplit() > 1 || hasTail(schedule) || schedule.getWindow() ||
      !convmlir::namesCells(result.values) ||
      !PanelTile::isPossible(getStagedColumns(schedule), result.resultBytes))
    return false;
  int64_t taken =
      getTileSharedBytes(schedule, result.factorBytes, result.resultBytes);
  int64_t room = getSharedBytesPerWorkgroup(schedule) - taken;
  int64_t rows = getZeroPanelRows(schedule, result.resultBytes, room);
  return rows > 0 && isStoredByTma(schedule, result, rows);
}

bool conv::storesZeros(ScheduleAttr schedule, const GemmShape &gemm) {
  return gemm.views.cells &&
         storesZeros(schedule, {*gemm.views.cells, gemm.groups,
                                gemm.epilogue.resultBytes, gemm.elementBytes});
}

bool conv::isCast(linalg::LinalgOp op) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic || generic.getNumDpsInputs() != 1 ||
      !linalg::isElementwise(generic))
    return false;
  auto ops = generic.getBody()->without_terminator();
  return llvm::hasSingleElement(ops) && isa<CastOpInterface>(*ops.begin()) &&
         ops.begin()->getOperand(0) == generic.getRegionInputArgs().front();
}

/// Whether elementwise operations behind a convolution keep its zeros.
static bool keepsZeros(Value result) {
  while (result.hasOneUse()) {
    auto next = dyn_cast<linalg::LinalgOp>(*result.user_begin());
    if (!next || next.getNumLoops() != next.getNumParallelLoops() ||
        next->getNumResults() != 1)
      break;
    if (!isCast(next) && !isa<linalg::TransposeOp>(*next))
      return false;
    result = next->getResult(0);
  }
  return true;
}

std::optional<convmlir::GemmPhase>
conv::getPhaseAmongZeros(ConvOpInterface op,
                         const convmlir::ConvGeometry &geometry) {
  std::optional<convmlir::GemmPhase> reached;
  std::vector<convmlir::GemmPhase> phases = geometry.phases(op.getConvKind());
  for (const convmlir::GemmPhase &phase : phases) {
    if (phase.isZero())
      continue;
    if (reached)
      return std::nullopt;
    reached = phase;
  }
  bool isAmongZeros =
      phases.size() > 1 && reached && convmlir::namesCells(reached->result);
  return isAmongZeros && keepsZeros(op->getResult(0)) ? reached : std::nullopt;
}

bool conv::storesCells(const GemmShape &gemm) {
  return gemm.stored.isTransposed && gemm.stored.positions > 0 &&
         gemm.phases.size() > 1 && gemm.views.window;
}

ArrayRef<GemmShape::Phase> conv::getPhasesOfTiles(ScheduleAttr schedule,
                                                  const GemmShape &gemm) {
  ArrayRef<GemmShape::Phase> phases = gemm.phases;
  return storesCells(gemm) || storesZeros(schedule, gemm) ? phases.take_front()
                                                          : phases;
}
