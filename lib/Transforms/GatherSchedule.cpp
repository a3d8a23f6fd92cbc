//===- GatherSchedule.cpp - schedules that transpose tiles ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//

#include "GatherSchedule.h"

#include "ChannelsFirstResult.h"
#include "PlainOps.h"
#include "TensorBytes.h"
#include "WgradWindowShape.h"
#include "Windows.h"
#include "conv/Dialect/Conv/IR/ChannelsFirst.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Dialect/Conv/IR/Epilogue.h"
#include "conv/Dialect/Conv/IR/Transposition.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// What could be gathered
//===----------------------------------------------------------------------===//

/// A chunk of 16 bytes.
static constexpr int64_t kMostNeighbours = 8;

bool conv::hasAllPositions(const convmlir::MatrixView &view) {
  for (int d = 0; d < view.spatialRank; ++d)
    if (view.rows[d] != view.extent[d] || view.taps[d] != 1 ||
        view.stride[d] != 1 || view.offset[d] != 0)
      return false;
  return true;
}

int64_t conv::countImagePositions(const convmlir::MatrixView &view) {
  if (!hasAllPositions(view))
    return 0;
  return llvm::product_of(ArrayRef(view.extent).take_front(view.spatialRank),
                          int64_t(1));
}

/// The same of what a window could hold.
static int64_t countWindowPositions(const GemmShape &gemm) {
  return gemm.windowView ? countImagePositions(*gemm.windowView) : 0;
}

/// Where windows are single positions, how many of them are neighbours that all
/// begin at multiples of their number in all images and channels.
static int64_t countNeighbours(const convmlir::ConvGeometry &geometry) {
  int64_t positions = 1;
  for (int d = 0; d < geometry.spatialRank; ++d) {
    if (!hasOneTap(geometry, d) || geometry.stride[d] != 1)
      return 1;
    positions *= geometry.input[d];
  }
  return std::gcd(kMostNeighbours, positions);
}

bool conv::isTransposition(ConvOpInterface op, Value operand) {
  if (op.getLayout() != Layout::NCHW)
    return bool(getChannelsFirstSource(operand));
  Operation *maker = operand.getDefiningOp();
  if (isa_and_nonnull<ConvOpInterface, linalg::LinalgOp>(maker))
    return false;
  ArrayRef<int64_t> shape = cast<ShapedType>(operand.getType()).getShape();
  return shape[1] > 1 && llvm::product_of(shape.drop_front(2), int64_t(1)) > 1;
}

bool conv::endsChannelsFirst(ConvOpInterface op) {
  if (op.getLayout() == Layout::NCHW)
    return true;
  Value result = op->getResult(0);
  SmallVector<int64_t> dims = getEpilogueDims(op);
  while (linalg::GenericOp next = getEpilogue(result, dims))
    result = next->getResult(0);
  auto next = result.hasOneUse()
                  ? dyn_cast<linalg::TransposeOp>(*result.user_begin())
                  : nullptr;
  return next && makesChannelsFirst(next);
}

std::string conv::whyChannelsLast(ConvOpInterface op, StringRef form) {
  convmlir::ConvKind kind = op.getConvKind();
  bool isWgrad = kind == convmlir::ConvKind::Wgrad;
  bool isForward = kind == convmlir::ConvKind::Forward;
  StringRef first = isForward || isWgrad ? "x" : "dy";
  StringRef second = isForward ? "y" : isWgrad ? "dy" : "dx";
  bool isFirst = isTransposition(op, op->getOperand(0));
  bool isSecond =
      isWgrad ? isTransposition(op, op->getOperand(1)) : endsChannelsFirst(op);
  if (isFirst && isSecond)
    return "";
  return formatv("{0} is for {1} and {2} with their channels first, but {3} "
                 "has them last here, as all tensors between convolutions do",
                 form, first, second, isFirst ? second : first);
}

void conv::addTranspositions(GemmShape &shape, ConvOpInterface op,
                             const convmlir::ConvGeometry &geometry) {
  bool isWgrad = op.getConvKind() == convmlir::ConvKind::Wgrad;
  Value a = op->getOperand(isWgrad ? 1 : 0), b = op->getOperand(0);
  // Folded taps are copied from where they are, and dy beside them is not
  // gathered.
  if (!shape.fold.empty()) {
    if (isWgrad && !shape.isKMajor && isTransposition(op, a))
      shape.transposedBytes = countBytes(a);
    return;
  }
  shape.isTransposedA = !shape.isKMajor && isTransposition(op, a);
  shape.isTransposedB = isWgrad && isTransposition(op, b);
  // What makes a slice transposes it on the way.
  if (shape.isTransposedA && !isTransposedSlice(a))
    shape.transposedBytes += countBytes(a);
  if (shape.isTransposedB)
    shape.transposedBytes += countBytes(b);
  shape.neighbours = countNeighbours(geometry);
  // One phase among zeros reads all positions, whatever the stride.
  if (int64_t positions = countWindowPositions(shape);
      !isWgrad && positions > 0)
    shape.neighbours = std::gcd(kMostNeighbours, positions);
}

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

bool conv::gathersA(ScheduleAttr schedule, const GemmShape &gemm) {
  if (!schedule.getGather() || !gemm.isTransposedA)
    return false;
  bool isWgradWindow =
      schedule.getWindow() && gemm.reducesRows && gemm.windowView;
  return !isWgradWindow || !gemm.isTransposedB ||
         !transposesDyApart(schedule, gemm);
}

bool conv::gathersB(ScheduleAttr schedule, const GemmShape &gemm) {
  return schedule.getGather() && gemm.isTransposedB;
}

bool conv::copiesPieces(ScheduleAttr schedule, const GemmShape &gemm) {
  return schedule.getGather() && !schedule.getKMajor() && gemm.neighbours > 1;
}

std::optional<RawRowSlots> conv::getRawRowSlots(ScheduleAttr schedule,
                                                const GemmShape &gemm) {
  if (schedule.getWindow() || gemm.reducesRows || !gathersA(schedule, gemm))
    return std::nullopt;
  int64_t positions = countWindowPositions(gemm);
  return positions > 0 ? getRawRowSlots(schedule, positions, gemm.channels)
                       : std::nullopt;
}

convmlir::Result<ImageSlots> conv::getImageSlots(ScheduleAttr schedule,
                                                 const GemmShape &gemm) {
  if (gemm.reducesRows || !gathersA(schedule, gemm))
    return convmlir::Error{"no operand is gathered"};
  return getImageSlots(schedule, countWindowPositions(gemm), gemm.channels);
}

/// Channels of the operands that are gathered: they fill whole chunks.
static SmallVector<int64_t> getGatheredChannels(ScheduleAttr schedule,
                                                const GemmShape &gemm) {
  SmallVector<int64_t> channels;
  if (gathersA(schedule, gemm))
    channels.push_back(gemm.reducesRows ? gemm.phases.front().m
                                        : gemm.channels);
  if (gathersB(schedule, gemm))
    channels.push_back(gemm.n);
  return channels;
}

std::string conv::whyNoGather(ScheduleAttr schedule, const GemmShape &gemm) {
  constexpr int64_t bytes = 2, unit = 8;
  SmallVector<int64_t> gathered = getGatheredChannels(schedule, gemm);
  if (gathered.empty())
    return "gather transposes tiles of tensors with channels first, but this "
           "operation multiplies none that is transposed";
  if (gemm.elementBytes != bytes)
    return formatv("gather transposes elements of {0} bits, not of {1}",
                   8 * bytes, 8 * gemm.elementBytes);
  if (gemm.groups > 1)
    return "gather has no groups yet";
  if (schedule.getClusterSize() > 1)
    return "gather has no clusters yet";
  for (int64_t channels : gathered)
    if (channels % unit != 0)
      return formatv("gather takes a multiple of {0} channels, not {1}", unit,
                     channels);
  return "";
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

/// Bytes of the gathered operands in a cycle of a multiprocessor, measured on
/// an H200. Tiles of one tap come from memory, those of several mostly from the
/// L2 cache; a stride leaves a part of each sector unused. Those of wgrad are
/// read again by many workgroups.
static constexpr double kPositions = 5.4, kStrided = 3.3, kTaps = 9,
                        kStridedTaps = 6, kWgradPositions = 10,
                        kWgradStrided = 1, kWgradWindow = 2;
/// From the release of a slot until its next block of pieces is there, as
/// rings of four and of six slots say, of wgrad, most of whose blocks are in
/// the L2 cache, one of three slots; and slots that products hold.
static constexpr double kSlotCyclesOfPieces = 6000,
                        kSlotCyclesOfWgradPieces = 4200, kHeldSlots = 0.81;
/// Pieces of 8 bytes: of one operand, which comes from memory, and of both of
/// wgrad, whose warps take turns at shared memory with the products' reads, of
/// so many bytes a cycle: blocks of 256x128 took 2180 cycles, of 128x256 1950.
/// Pieces of 4 bytes are not measured: their rates are estimates.
static constexpr double kPieces = 11.5, kSmallPieces = 6, kWgradPieces = 62,
                        kWgradSmallPieces = 21, kReadsBesideWgradPieces = 71;
/// Of a line of a box of images: tiles of 64 and 128 rows of 14x14 took 1240
/// and 1940 to 2140 cycles a block, of 7x7 2380 to 3130.
static constexpr double kCyclesPerBoxLine = 9;
/// Of whole images: what TMA writes, warps read and write again, beside what
/// products read (HopperModel.cpp). Blocks of 32 channels of 196 positions and
/// 256 filters took 1270 cycles of 14x14, 1290 of 7x7.
static constexpr double kJoined = 30;
/// Of windows that warps transpose within shared memory, beside products. So
/// 128x128 tiles at 112x112 take as long as those of a transposed x, as
/// measured.
static constexpr double kWindow = 60;
/// Of a block of wgrad whose boxes come as they lie, of one or of two blocks at
/// a time. Where all is read from memory once (64 channels) it takes up to half
/// as long again.
static constexpr double kBoxes = 17, kCyclesPerBoxes = 300,
                        kCyclesPerTwoBoxes = 200;
/// Bytes that all multiprocessors read and write in a cycle, and what a launch
/// takes.
static constexpr double kTransposedBytesPerCycle = 1900,
                        kCyclesPerTransposition = 1930;

/// Windows are of the left operand: what else is copied are rows of the filter.
double conv::getGatheredRows(ScheduleAttr schedule, const GemmShape &gemm,
                             double copiedRows) {
  ArrayRef<int64_t> tile = schedule.getTile();
  double rows = 0;
  if (gathersA(schedule, gemm))
    rows += !schedule.getWindow()               ? tile[0]
            : hasResidentFilter(schedule, gemm) ? copiedRows
                                                : copiedRows - tile[1];
  if (gathersB(schedule, gemm))
    rows += tile[1];
  return rows;
}

/// Of both operands of wgrad together, of which only x has a stride.
static double getWgradRate(ScheduleAttr schedule, const GemmShape &gemm,
                           bool isStrided) {
  if (schedule.getWindow())
    return kWgradWindow;
  if (!isStrided)
    return kWgradPositions;
  double dy = gathersA(schedule, gemm) ? schedule.getTile()[0] : 0;
  double x = gathersB(schedule, gemm) ? schedule.getTile()[1] : 0;
  return (dy + x) / (dy / kWgradPositions + x / kWgradStrided);
}

static double getRate(ScheduleAttr schedule, const GemmShape &gemm) {
  if (copiesPieces(schedule, gemm))
    return gemm.neighbours > 2
               ? (gemm.reducesRows ? kWgradPieces : kPieces)
               : (gemm.reducesRows ? kWgradSmallPieces : kSmallPieces);
  bool isStrided =
      gemm.windowView &&
      gemm.windowView->stride[gemm.windowView->spatialRank - 1] > 1;
  if (gemm.reducesRows)
    return getWgradRate(schedule, gemm, isStrided);
  if (schedule.getWindow())
    return kWindow;
  if (gemm.phases.front().taps > 1)
    return isStrided ? kStridedTaps : kTaps;
  return isStrided ? kStrided : kPositions;
}

double conv::getGatherCycles(ScheduleAttr schedule, const GemmShape &gemm,
                             double bytes, double readBytes) {
  if (bytes == 0)
    return 0;
  if (getImageSlots(schedule, gemm))
    return bytes / kJoined;
  if (auto boxes = getRawRowSlots(schedule, gemm))
    return schedule.getTile()[2] * boxes->raw.averageBoxes * kCyclesPerBoxLine;
  double cycles = bytes / getRate(schedule, gemm);
  if (!copiesPieces(schedule, gemm))
    return cycles;
  double slot = kSlotCyclesOfPieces;
  if (gemm.reducesRows) {
    cycles += readBytes / kReadsBesideWgradPieces;
    slot = kSlotCyclesOfWgradPieces;
  }
  return std::max(cycles, slot / (schedule.getStages() - kHeldSlots));
}

double conv::getBoxCycles(double bytes, int64_t blocks) {
  return (blocks > 1 ? kCyclesPerTwoBoxes : kCyclesPerBoxes) + bytes / kBoxes;
}

double conv::getTranspositionCycles(double bytes) {
  return bytes == 0
             ? 0
             : 2 * bytes / kTransposedBytesPerCycle + kCyclesPerTransposition;
}

double conv::getOperandTranspositionCycles(ScheduleAttr schedule,
                                           const GemmShape &gemm) {
  int64_t bytes = gemm.transposedBytes;
  if (schedule.getGather()) {
    bool isDyApart = gemm.isTransposedA && !gathersA(schedule, gemm);
    bytes = isDyApart ? gemm.phases.front().m * gemm.windowView->numRows() *
                            gemm.elementBytes
                      : 0;
  }
  return getTranspositionCycles(double(bytes));
}
