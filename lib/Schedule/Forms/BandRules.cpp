//===- BandRules.cpp - rules of kernels with bands ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Forms/BandRules.h"

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Geometry/SharedTile.h"
#include "conv/Schedule/Model/Rates.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::MatrixView;
using llvm::formatv;

static constexpr int64_t kChunkChannels =
    convmlir::kChunkBytes / Bands::kElementBytes;

ScheduleAttr conv::getBandSchedule(MLIRContext *context, int64_t lines,
                                   int64_t channels, int64_t columns,
                                   int64_t warps, int64_t stages,
                                   int64_t parts) {
  return ScheduleAttr::get(context, {.algorithm = Algorithm::Loops,
                                     .tile = {lines, channels, columns},
                                     .warps = {1, warps},
                                     .stages = stages,
                                     .mma = MmaKind::MmaSync,
                                     .split = parts});
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Of wgrad filters are not flipped.
static std::string whyWrongSteps(const DepthwiseSum &form, bool isWgrad) {
  const MatrixView &view = form.view;
  for (int dim = 0; dim < 2; ++dim) {
    int64_t step = isWgrad ? view.step[dim] : std::abs(view.step[dim]);
    if (view.stride[dim] != 1 || step != 1 || form.dilation[dim] != 1)
      return formatv("{0} has strides and dilations of 1{1}", kBandForm,
                     isWgrad ? ", and filters that are not flipped" : "");
  }
  return "";
}

static std::string whyNoBands(const DepthwiseSum &form, Type element,
                              bool isWgrad) {
  const MatrixView &view = form.view;
  if (!element.isF16() && !element.isBF16())
    return formatv("{0} multiplies f16 and bf16, not {1}", kBandForm, element);
  if (view.spatialRank != 2)
    return formatv("{0} is for images of 2 dimensions, not {1}", kBandForm,
                   view.spatialRank);
  if (std::string why = whyWrongSteps(form, isWgrad); !why.empty())
    return why;
  if (view.channels % kChunkChannels != 0)
    return formatv("{0} copies {1} channels at a time, which do not divide {2}",
                   kBandForm, kChunkChannels, view.channels);
  int64_t taps = isWgrad ? view.rows[1] : view.taps[1];
  constexpr int64_t most = Bands::kColumnsOfX;
  if (taps > most)
    return formatv("{0} is for lines of up to {1} taps, not {2}", kBandForm,
                   most, taps);
  return "";
}

static std::string whyChannelsFirst() {
  return formatv("{0} reads images with their channels last", kBandForm);
}

std::string conv::whyNoBands(ConvOpInterface op, const DepthwiseSum &form) {
  if (op.getLayout() == Layout::NCHW && op.getGroups() > 1)
    return whyChannelsFirst();
  return ::whyNoBands(form, op.getSourceElementType(),
                      op.getConvKind() == convmlir::ConvKind::Wgrad);
}

std::string conv::whyNoBands(DepthwiseOp op) {
  if (op.getChannelsFirst())
    return whyChannelsFirst();
  if (Type sum = op.getResultType().getElementType(); !sum.isF32())
    return formatv("{0} has sums in f32, not {1}", kBandForm, sum);
  return ::whyNoBands(getDepthwiseSum(op), op.getSourceType().getElementType(),
                      op.hasFilterOfImage());
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

std::string conv::whyWrongBandChannels(const Bands &bands) {
  if (bands.channels < kChunkChannels || bands.channels > 64 ||
      !llvm::isPowerOf2_64(bands.channels))
    return formatv("tile gemm-n ({0}) of {1} must be 8, 16, 32 or 64 channels",
                   bands.channels, kBandForm);
  if (bands.view.channels % bands.channels != 0)
    return formatv("tile gemm-n ({0}) of {1} must divide the {2} channels",
                   bands.channels, kBandForm, bands.view.channels);
  if (bands.channels % bands.warps != 0 || bands.getWarpChannels() < 2 ||
      bands.getWarpChannels() > kChunkChannels)
    return formatv("warps of {0} have 2, 4 or 8 channels each, but {1} warps "
                   "along gemm-n share {2}",
                   kBandForm, bands.warps, bands.channels);
  return "";
}

std::string conv::whyNoBandRoom(const Bands &bands, int64_t sharedBytes,
                                const ChipInfo &chip) {
  if (bands.stages < 2)
    return formatv("{0} needs 2 stages or more", kBandForm);
  constexpr int64_t beside = h200::kRegistersBesideBands;
  int64_t most = std::min(convmlir::kMostThreadRegisters - beside,
                          chip.registersPerSM / bands.getThreads());
  if (bands.countRegisters() > most)
    return formatv("a thread of {0} has up to {1} registers, but {2} lines of "
                   "the filter and {3} channels need about {4}",
                   kBandForm, most, bands.getFilterLines(),
                   bands.getWarpChannels(), bands.countRegisters());
  if (sharedBytes > chip.sharedPerBlock)
    return formatv("{0} needs {1} bytes of shared memory, but a workgroup has "
                   "{2}",
                   kBandForm, sharedBytes, chip.sharedPerBlock);
  return "";
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

SmallVector<int64_t> conv::getBandHeights(int64_t lines) {
  SmallVector<int64_t> all;
  for (int64_t bands : {1, 2, 4})
    if (int64_t height = llvm::divideCeil(lines, bands);
        !llvm::is_contained(all, height))
      all.push_back(height);
  return all;
}

int64_t conv::getEvenBandColumns(int64_t columns, int64_t lineTaps) {
  int64_t parts = llvm::divideCeil(columns, Bands::getMostColumns(lineTaps));
  return llvm::divideCeil(columns, parts);
}
