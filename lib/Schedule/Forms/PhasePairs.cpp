//===- PhasePairs.cpp - phases that are stored two by two -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Forms/PhasePairs.h"

#include "conv/Dialect/Conv/IR/SwappedOperands.h"
#include "conv/Dialect/Conv/IR/TailParts.h"
#include "conv/Geometry/SharedTile.h"
#include "conv/Schedule/Model/Rates.h"
#include "conv/Schedule/Resources.h"
#include "conv/Schedule/Shape/ChannelsFirstResult.h"
#include "conv/Schedule/Shape/ClusterShape.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::conv::h200;
using convmlir::MatrixView;

/// Of operands and result.
static constexpr int64_t kElementBytes = 2;

int64_t PhasePairs::getRun() const {
  constexpr int64_t most = convmlir::kChunkBytes / kElementBytes / 2;
  return std::gcd(most, line / 2);
}

/// Whether the view has every other column of all lines.
static bool hasHalfOfColumns(const MatrixView &view) {
  int last = view.spatialRank - 1;
  return view.numTaps() == 1 && view.strips == 1 && view.stride[last] == 2 &&
         view.extent[last] == 2 * view.rows[last] && view.offset[last] >= 0 &&
         view.offset[last] < 2;
}

/// Whether they differ in their columns only.
static bool haveSameLines(const MatrixView &a, const MatrixView &b) {
  MatrixView other = b;
  other.offset[b.spatialRank - 1] = a.offset[a.spatialRank - 1];
  return a == other;
}

std::optional<PhasePairs> conv::findPhasePairs(ArrayRef<MatrixView> results) {
  if (results.size() < 2 || !llvm::all_of(results, hasHalfOfColumns))
    return std::nullopt;
  int last = results.front().spatialRank - 1;
  PhasePairs found;
  found.line = results.front().extent[last];
  for (auto [number, view] : llvm::enumerate(results)) {
    found.isOdd.push_back(view.offset[last]);
    if (view.offset[last] == 1)
      continue;
    const auto *odd = llvm::find_if(results, [&](const MatrixView &other) {
      return other.offset[last] == 1 && haveSameLines(view, other);
    });
    if (odd == results.end())
      return std::nullopt;
    found.pairs.push_back({unsigned(number), unsigned(odd - results.begin())});
  }
  if (2 * found.pairs.size() != results.size())
    return std::nullopt;
  return found;
}

bool conv::hasRoomForPairs(ScheduleAttr schedule) {
  if (schedule.getCopy() != CopyKind::Tma ||
      schedule.getMma() != MmaKind::Wgmma ||
      schedule.getAlgorithm() != Algorithm::ImplicitGemm ||
      schedule.getSplit() > 1 || hasTail(schedule) || schedule.getWindow() ||
      schedule.getStaging() > 0 || schedule.getResident() > 1 ||
      schedule.getClusterSize() > 1 || swapsOperands(schedule))
    return false;
  int64_t bytes = getTileSharedBytes(schedule, kElementBytes, kElementBytes) +
                  getStagedBytes(schedule, kElementBytes);
  return bytes <= getSharedBytesPerWorkgroup(schedule);
}

std::optional<PhasePairs> conv::findPhasePairs(ScheduleAttr schedule,
                                               ArrayRef<ViewAttr> views,
                                               ArrayRef<int64_t> tensorShape) {
  auto isGrouped = [](ViewAttr view) {
    return view.getGroups() > 1 || view.getRowGroups() > 1;
  };
  if (views.size() < 2 || llvm::any_of(views, isGrouped) ||
      !hasRoomForPairs(schedule))
    return std::nullopt;
  return findPhasePairs(llvm::map_to_vector(
      views, [&](ViewAttr view) { return view.getMatrixView(tensorShape); }));
}

std::optional<PhasePairs> conv::findPhasePairs(ScheduleAttr schedule,
                                               ArrayRef<ScatterOp> phases,
                                               Type factor) {
  constexpr unsigned bits = 8 * kElementBytes;
  ScatterOp front = phases.front();
  if (front.getDestType().getElementTypeBitWidth() != bits ||
      factor.getIntOrFloatBitWidth() != bits)
    return std::nullopt;
  return findPhasePairs(
      schedule,
      llvm::map_to_vector(phases, [](ScatterOp op) { return op.getView(); }),
      front.getTensorShape());
}

/// Of whole lines.
static ChannelsFirstStores getStores(int64_t line, double productCycles) {
  return {/*neighbours=*/1, /*distance=*/2, kElementBytes, productCycles,
          countPartialSectorsOfLines(line)};
}

int64_t conv::getPairedLine(const GemmShape &gemm,
                            ArrayRef<convmlir::GemmPhase> phases,
                            double productCycles) {
  if (gemm.groups > 1 || gemm.elementBytes != kElementBytes ||
      gemm.epilogue.resultBytes != kElementBytes)
    return 0;
  // One phase among zeros is stored with them.
  auto isReached = [](const convmlir::GemmPhase &phase) {
    return !phase.isZero();
  };
  if (llvm::count_if(phases, isReached) < 2)
    return 0;
  auto pairs = findPhasePairs(llvm::map_to_vector(
      phases, [](const convmlir::GemmPhase &phase) { return phase.result; }));
  if (!pairs)
    return 0;
  return isWorthStoring(getStores(pairs->line, productCycles)) ? pairs->line
                                                               : 0;
}

bool conv::pairsPhases(ScheduleAttr schedule, const GemmShape &gemm) {
  return gemm.stored.pairedLine > 0 && hasRoomForPairs(schedule);
}

GemmShape conv::getPairedShape(ScheduleAttr schedule, const GemmShape &gemm) {
  constexpr int64_t most = convmlir::kChunkBytes / kElementBytes;
  GemmShape shape = gemm;
  if (!pairsPhases(schedule, gemm)) {
    shape.stored.pairedLine = 0;
    return shape;
  }
  shape.stored.positions = std::gcd(most, gemm.stored.pairedLine);
  shape.stored.distance = 1;
  return shape;
}

double conv::getExposedCyclesOfLines(const GemmShape &gemm) {
  double rows = 0, products = 0;
  for (GemmShape::Phase phase : gemm.phases) {
    rows += phase.m;
    products += double(phase.m) * phase.taps * gemm.channels;
  }
  return getExposedCycles(
      getStores(gemm.stored.pairedLine,
                getProductCycles(products / rows, gemm.elementBytes)));
}

int64_t conv::countPairRounds(ScheduleAttr schedule, int64_t pairs,
                              const convmlir::ChipInfo &chip) {
  return llvm::divideCeil(pairs, getPersistentWorkgroups(schedule, chip) *
                                     schedule.getTeams());
}

double conv::countPartialSectorsOfLines(int64_t line) {
  constexpr int64_t sectorBytes = 32;
  int64_t bytes = line * kElementBytes;
  if (bytes % sectorBytes == 0)
    return 0;
  // One end of each line is that of a sector, or seldom any.
  double ends = bytes % (sectorBytes / 2) == 0 ? 1 : kPartialEnds;
  return ends / line;
}
