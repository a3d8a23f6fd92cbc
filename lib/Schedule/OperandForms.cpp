//===- OperandForms.cpp - one operation as many schedules see it ----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/OperandForms.h"
#include "conv/Dialect/Conv/IR/ChannelsFirst.h"
#include "conv/Dialect/Conv/IR/FiltersLast.h"
#include "conv/Dialect/Conv/IR/TransposedFilter.h"
#include "conv/Geometry/FiltersLast.h"
#include "conv/Geometry/TmaView.h"
#include "conv/Schedule/Forms/GatherSchedule.h"
#include "conv/Schedule/Forms/KMajorWgrad.h"
#include "conv/Schedule/HopperSchedule.h"
#include "conv/Schedule/KernelRules.h"
#include "conv/Schedule/Shape/TransposedWgradShape.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// What is derived
//===----------------------------------------------------------------------===//

OperandForms::Form &OperandForms::getForm(ScheduleAttr schedule) {
  ArrayRef<int64_t> fold = schedule.getFold();
  Key key(schedule.getAlgorithm(), schedule.getMma(), schedule.getMerge(),
          std::vector<int64_t>(fold.begin(), fold.end()), schedule.getKMajor(),
          schedule.getKn2row());
  auto known = forms.find(key);
  if (known != forms.end())
    return known->second;
  ++derivations;
  return forms
      .emplace(std::move(key),
               Form{mlir::conv::getGemmShape(op, schedule), nullptr, {}})
      .first->second;
}

const GemmShape &OperandForms::getGemmShape(ScheduleAttr schedule) {
  return getForm(schedule).gemm;
}

const OperandForms::Views &OperandForms::getViews(ScheduleAttr schedule) {
  Form &form = getForm(schedule);
  if (form.views)
    return *form.views;
  ++derivations;
  form.views = std::make_unique<Views>();
  auto &[a, b] = *form.views;
  convmlir::ConvGeometry geometry =
      getComputedGeometry(op, schedule.getMerge(), schedule.getFold());
  convmlir::ConvKind kind = op.getConvKind();
  if (transposesWgrad(op, geometry, schedule.getMma())) {
    geometry = getTransposedWgrad(op, geometry).forward;
    kind = convmlir::ConvKind::Forward;
  }
  bool hasFiltersLast = readsFiltersLast(op, FilterReading::of(schedule));
  bool isTransposed =
      !hasFiltersLast && transposesFilter(op, schedule.getMma());
  for (const convmlir::GemmPhase &phase : geometry.phases(kind)) {
    a.push_back(phase.a);
    b.push_back(phase.b);
    if (!isTransposed)
      continue;
    b.back().batch = geometry.c;
    b.back().channels = geometry.k / geometry.groups;
  }
  if (hasFiltersLast)
    b = *convmlir::getFiltersLastViews(b);
  return *form.views;
}

//===----------------------------------------------------------------------===//
// Rules of TMA
//===----------------------------------------------------------------------===//

/// Whether a block of gemm-k reaches from one group into the next. The rows of
/// wgrad are in no group.
static bool passesGroup(const GemmShape &gemm, int64_t blockK) {
  return gemm.groups > 1 && !gemm.wgrad.reducesRows &&
         gemm.channels % blockK != 0;
}

/// A box cannot leave out what a block of gemm-k has of the next group. The
/// columns of wgrad begin where a group does.
static std::string whyNoGroups(const GemmShape &gemm, ScheduleAttr schedule) {
  constexpr int64_t unit = 16;
  if (gemm.groups > 1 && gemm.wgrad.reducesRows)
    for (int64_t channels : {gemm.phases.front().m, gemm.n})
      if (int64_t bytes = channels * gemm.elementBytes; bytes % unit != 0)
        return formatv("TMA begins at multiples of {0} bytes, but a group has "
                       "{1}",
                       unit, bytes);
  int64_t blockK = schedule.getTile()[2];
  if (!schedule.getWindow() || !passesGroup(gemm, blockK))
    return "";
  return formatv("TMA cannot end a window of {0} channels where a group of {1} "
                 "channels ends",
                 blockK, gemm.channels);
}

/// Why TMA cannot load windows of the operand with taps.
static std::string whyNoWindowLoad(const convmlir::MatrixView &view,
                                   int64_t bytes, int64_t columns) {
  std::vector<int64_t> shape = {view.batch};
  shape.insert(shape.end(), view.extent.begin(),
               view.extent.begin() + view.spatialRank);
  shape.push_back(view.channels);
  auto map = convmlir::getTmaBoxView(shape, {1, columns}, bytes);
  return map ? std::string() : map.error();
}

/// The same of an operation that is computed with its channels first: tiles of
/// images are boxes, and the filter is a matrix.
static std::string whyNoImageLoad(ConvOpInterface op, const GemmShape &gemm,
                                  ScheduleAttr schedule) {
  ArrayRef<int64_t> tile = schedule.getTile();
  convmlir::ConvGeometry geometry = *op.getGeometry();
  bool isWgrad = op.getConvKind() == convmlir::ConvKind::Wgrad;
  std::vector<int64_t> image = {geometry.n, geometry.c,
                                isWgrad ? gemm.channels : gemm.n};
  std::vector<std::vector<int64_t>> boxes = {{tile[2], tile[1]}};
  if (isWgrad)
    boxes = {{tile[0], tile[2]}, {tile[1], tile[2]}};
  for (const std::vector<int64_t> &box : boxes)
    if (auto map = convmlir::getTmaBoxView(image, box, gemm.elementBytes); !map)
      return map.error();
  if (isWgrad)
    return "";
  int64_t rows = gemm.a.isMnMajor ? tile[2] : tile[0];
  int64_t columns = gemm.a.isMnMajor ? tile[0] : tile[2];
  return convmlir::whyNoTensorMap({geometry.filterView()}, 1, gemm.elementBytes,
                                  rows, columns);
}

std::string OperandForms::whyNoMap(ScheduleAttr schedule, const Tile &tile) {
  auto [entry, isNew] = getForm(schedule).answers.try_emplace(tile);
  if (!isNew)
    return entry->second;
  auto [isA, rows, columns, ends, endsOfRows] = tile;
  int64_t bytes = op.getSourceElementType().getIntOrFloatBitWidth() / 8;
  return entry->second =
             convmlir::whyNoTensorMap(getViews(schedule)[isA ? 0 : 1], ends,
                                      bytes, rows, columns, endsOfRows);
}

/// Why TMA cannot copy tiles of one operand.
std::string OperandForms::whyNoTile(ScheduleAttr schedule, bool isA) {
  const GemmShape &gemm = getForm(schedule).gemm;
  int64_t m = schedule.getTile()[0], n = schedule.getTile()[1];
  int64_t k = schedule.getTile()[2];
  if (isA && gemm.wgrad.isKMajor)
    return whyNoImageTiles(op, m, k);
  if (isA ? gathersA(schedule, gemm) : gathersB(schedule, gemm))
    return "";
  if (isA && schedule.getWindow())
    return whyNoWindowLoad(getViews(schedule)[0].front(), gemm.elementBytes,
                           gemm.wgrad.reducesRows ? m : k);
  // Of what ends with a group: channels of A, and rows of B where these are
  // along gemm-k.
  int64_t ends = passesGroup(gemm, k) ? gemm.groups : 1;
  if (isA)
    return whyNoMap(schedule, gemm.wgrad.reducesRows
                                  ? Tile{isA, k, m, ends, 1}
                                  : Tile{isA, m, k, ends, 1});
  int64_t endsOfRows = gemm.b.isMnMajor ? ends : 1;
  return whyNoMap(schedule, gemm.b.isMnMajor ? Tile{isA, k, n, 1, endsOfRows}
                                             : Tile{isA, n, k, 1, endsOfRows});
}

std::string OperandForms::whyNoTma(ScheduleAttr schedule) {
  if (std::string why = whyNoWgmma(schedule.getAlgorithm()); !why.empty())
    return why;
  const GemmShape &gemm = getForm(schedule).gemm;
  const KernelRules &rules = getKernelRules(schedule, gemm);
  if (gemm.isChannelsFirst && rules.copiesTiles())
    return whyNoImageLoad(op, gemm, schedule);
  if (std::string why = whyNoGroups(gemm, schedule); !why.empty())
    return why;
  std::string why = rules.whyNoBoxes(op, schedule, gemm);
  if (!why.empty() || !rules.copiesTiles())
    return why;
  why = whyNoTile(schedule, /*isA=*/true);
  return why.empty() ? whyNoTile(schedule, /*isA=*/false) : why;
}
