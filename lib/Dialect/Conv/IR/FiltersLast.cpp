//===- FiltersLast.cpp - filters that are read as they come ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/FiltersLast.h"
#include "conv/Geometry/AccessBytes.h"
#include "conv/Geometry/FiltersLast.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvGeometry;
using convmlir::ConvKind;
using llvm::formatv;

FilterReading FilterReading::of(ScheduleAttr schedule) {
  return {schedule.getAlgorithm(), schedule.getMma(), schedule.getMerge(),
          !schedule.getFold().empty(), schedule.getKn2row()};
}

/// From [extent..., channels, filters] to [filters, extent..., channels].
static bool movesLastToFront(ArrayRef<int64_t> permutation) {
  int64_t rank = permutation.size();
  for (auto [dim, source] : llvm::enumerate(permutation))
    if (source != (int64_t(dim) + rank - 1) % rank)
      return false;
  return true;
}

Value conv::getFiltersLastSource(Value filter) {
  auto type = dyn_cast<RankedTensorType>(filter.getType());
  if (!type)
    return Value();
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  while (auto op = filter.getDefiningOp<linalg::TransposeOp>()) {
    permutation = applyPermutation(op.getPermutation(), permutation);
    filter = op.getInput();
    if (movesLastToFront(permutation))
      return filter;
  }
  return Value();
}

/// Whether every instruction multiplies such elements with rows of a tile along
/// gemm-k.
static bool hasEitherMajor(Type factor) {
  return factor.isF16() || factor.isBF16() || factor.isF32() || factor.isF64();
}

static std::string whyOtherForm(ConvOpInterface op,
                                const FilterReading &reading) {
  if (op.getLayout() != Layout::NHWC)
    return "images with their channels first are multiplied by a matrix that "
           "has its filters first";
  if (reading.algorithm != Algorithm::ImplicitGemm)
    return formatv("algorithm={0} has its own order of the filter",
                   stringifyAlgorithm(reading.algorithm));
  if (reading.foldsTaps)
    return "folded taps are copied with their channels behind them";
  if (reading.merge > 1)
    return "merged groups are spread to a filter of their own";
  if (reading.isKn2row)
    return "taps along a line are put into blocks of filters";
  return "";
}

std::string conv::whyFilterTransposed(ConvOpInterface op,
                                      const FilterReading &reading) {
  if (std::string why = whyOtherForm(op, reading); !why.empty())
    return why;
  ConvGeometry geometry = *op.getGeometry();
  if (geometry.groups > 1)
    return "filters of a group do not lie next to its channels";
  Type element = op.getSourceElementType();
  int64_t elementBytes = element.getIntOrFloatBitWidth() / 8;
  int64_t ofFilters = convmlir::getAccessBytes(geometry.k, elementBytes);
  int64_t ofChannels = convmlir::getAccessBytes(geometry.c, elementBytes);
  if (ofFilters < ofChannels)
    return formatv("{0} filters are read by {1} bytes at a time, {2} channels "
                   "by {3}",
                   geometry.k, ofFilters, geometry.c, ofChannels);
  if (op.getConvKind() == ConvKind::Forward &&
      !hasEitherMajor(op.getFactorType()))
    return formatv("instructions that multiply {0} want its channels next to "
                   "each other",
                   op.getFactorType());
  if (geometry.spatialRank < convmlir::kMaxSpatialRank)
    return "";
  std::vector<convmlir::MatrixView> views;
  for (const convmlir::GemmPhase &phase : geometry.phases(op.getConvKind()))
    views.push_back(phase.b);
  auto last = convmlir::getFiltersLastViews(views);
  return last ? "" : last.error();
}

bool conv::readsFiltersLast(ConvOpInterface op, const FilterReading &reading) {
  return op.getConvKind() != ConvKind::Wgrad &&
         getFiltersLastSource(op.getFilter()) &&
         whyFilterTransposed(op, reading).empty();
}
