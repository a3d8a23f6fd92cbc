//===- FilterBands.cpp - depthwise images on tensor cores -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  a kernel whose workgroup has a conv.depthwise of a forward or dgrad,
//         a vector of some images, lines, columns and channels, elementwise
//         operations on it, and one store.
// Output: what one thread does (FilterBands.h in Schedule has the shape).
//
// All threads copy a line of x, of the workgroup's images, into a slot of the
// ring by cp.async. Every warp has the filters of its channels in registers, as
// matrices with a band. In each step it multiplies a line of x with all of
// their lines, each of which is a part of another line of y. The sums of these
// lines move on by one place in each step; those of the first are whole then,
// and are stored.
//
//===----------------------------------------------------------------------===//

#include "FilterBands.h"
#include "BandEpilogue.h"
#include "BandOperands.h"
#include "Support/TileChunks.h"
#include "conv/Dialect/Conv/IR/ConvChip.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Schedule/Forms/DepthwiseBandSchedule.h"
#include "conv/Schedule/Shape/FilterBands.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::MatrixView;

namespace {

/// A chunk of every line of x that a thread copies.
struct LineCopy {
  Value to;             ///< Its first element in a slot.
  Value from;           ///< That of the first line of x.
  Value inside, exists; ///< Of the columns and images; null: always.
};

/// A place of every line of y that a thread stores.
struct LinePlace {
  Value first; ///< Its first element in the first line of y.
  Value inside;
  Value waiting; ///< Its first element in a line that waits.
};

class FilterBandLowering {
public:
  FilterBandLowering(gpu::GPUFuncOp kernel, DepthwiseOp op,
                     BandEpilogue &epilogue);
  void lower();

private:
  /// Sums of an instruction, by channel of the warp.
  using Sums = SmallVector<Value>;

  void findCopies();
  void findColumns();
  void findPlaces();
  LinePlace getPlace(Value pair, Value ofTile, Value firstChannel);
  void findChunks();
  void findSteps();
  void loadFilter();
  Value loadTaps(ArrayRef<Value> taps, ArrayRef<Value> exist, int64_t line,
                 int64_t channel);
  void copyStep(Value step);
  Value getSlot(Value step);
  Value getSlotElement(Value position, Value chunk);
  Sums loadFactors(Value slot);
  SmallVector<Value> multiplyStep(ValueRange factors, ValueRange carried,
                                  Sums &whole);
  Value getLineOfBand(Value step);
  Value getBelow(Value lineOfBand);
  void storeLine(Value step, const Sums &whole);
  void storePiece(Value step, const LinePlace &place, Value below,
                  Value result);
  void storeChunks(Value step);
  void waitForSlots(int64_t pending);
  void runSteps();
  int64_t countChunks() const { return bands.channels / kBandChunk; }

  DepthwiseOp op;
  BandEpilogue &epilogue;
  OpBuilder builder;
  IndexMath math;
  Location loc;
  FilterBands bands;
  Type element;
  Value x, filter, y, ring;
  Value thread, group, quad; ///< Of eight lanes, and within four.
  Value ofGroup, channel;    ///< The first one of the warp, in both counts.
  Value image, line, column; ///< The first ones of the workgroup.
  SmallVector<LineCopy> copies;
  /// Elements in a slot of an instruction's four columns, for both pairs.
  std::array<SmallVector<Value>, 2> columns;
  SmallVector<Value> filters; ///< By line, then channel.
  SmallVector<LinePlace> places;
  /// Lines of y that wait, and what the thread stores of one; null where
  /// pieces are stored at once.
  Value waiting;
  SmallVector<LinePlace> chunks;
  Value lines, firstStep, steps; ///< The last one's successor.
};

} // namespace

FilterBandLowering::FilterBandLowering(gpu::GPUFuncOp kernel, DepthwiseOp op,
                                       BandEpilogue &epilogue)
    : op(op), epilogue(epilogue), builder(epilogue.getStore()),
      math(builder, op.getLoc()), loc(op.getLoc()),
      bands(getDepthwiseSum(op), op.getScheduleAttr()),
      element(op.getSourceType().getElementType()) {
  x = getFlatView(op.getSource());
  filter = getFlatView(op.getFilter());
  y = getFlatView(epilogue.getResult());
  ring = allocBandMemory(builder, loc, bands.stages * bands.getStageElements(),
                         element);
  Type result = cast<MemRefType>(y.getType()).getElementType();
  if (!bands.hasWholeChunks() && result.getIntOrFloatBitWidth() == 16)
    waiting = allocBandMemory(
        builder, loc, FilterBands::kWaitingLines * bands.getLineElements(),
        result);
  thread = getThreadIndex(kernel);
  Value lane = math.rem(thread, conv::kWarpSize);
  group = math.div(lane, 4);
  quad = math.rem(lane, 4);
  image = op.getOffsets()[0];
  line = op.getOffsets()[1];
  column = op.getOffsets()[2];
  Value warp = math.div(thread, conv::kWarpSize);
  ofGroup = math.mul(warp, bands.getWarpChannels());
  channel = math.add(op.getOffsets()[3], ofGroup);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

Value FilterBandLowering::getSlot(Value step) {
  return math.mul(math.rem(step, bands.stages), bands.getStageElements());
}

/// A slot is [image][column][channel]. Chunks are permuted so that eight
/// neighbouring columns have the same channels in different banks.
Value FilterBandLowering::getSlotElement(Value position, Value chunk) {
  constexpr int64_t banks = 8; // Chunks of a line of shared memory.
  Value permuted = math.bitXor(
      chunk, math.bitAnd(math.div(position, banks / countChunks()),
                         countChunks() - 1));
  return math.mul(math.add(math.mul(position, countChunks()), permuted),
                  kBandChunk);
}

/// What the thread copies of a line, but for where the line is.
void FilterBandLowering::findCopies() {
  const MatrixView &view = bands.view;
  int64_t count = bands.getStageElements() / kBandChunk,
          threads = bands.getThreads(), columnsOfX = bands.getColumnsOfX();
  for (int64_t first = 0; first < count; first += threads) {
    Value number = math.add(thread, first);
    LineCopy copy;
    if (first + threads > count)
      copy.exists = math.isBelow(number, count);
    Value chunk = math.rem(number, countChunks());
    Value position = math.div(number, countChunks());
    Value columnOfX = math.add(math.add(column, bands.getFirst(1)),
                               math.rem(position, columnsOfX));
    Value imageOfX = math.add(image, math.div(position, columnsOfX));
    copy.inside = math.isBelow(columnOfX, view.extent[1]);
    if (view.batch % bands.countImages() != 0)
      copy.inside = math.both(copy.inside, math.isBelow(imageOfX, view.batch));
    Value place = math.add(math.mul(imageOfX, view.extent[0] * view.extent[1]),
                           columnOfX);
    copy.from = math.add(
        math.add(math.mul(place, view.channels), op.getOffsets()[3]),
        math.mul(chunk, kBandChunk));
    copy.to = getSlotElement(position, chunk);
    copies.push_back(copy);
  }
}

/// The line of a step, of which there may be none, as a group of copies.
void FilterBandLowering::copyStep(Value step) {
  const MatrixView &view = bands.view;
  math.guard(math.isBelow(step, steps), [&] {
    Value lineOfX = math.add(math.add(line, bands.getFirst(0)), step);
    Value inside = math.isBelow(lineOfX, view.extent[0]);
    Value below = math.mul(lineOfX, view.extent[1] * view.channels);
    Value slot = getSlot(step);
    for (const LineCopy &copy : copies)
      math.guard(copy.exists, [&] {
        copyBandChunk(math, x, math.add(copy.from, below), ring,
                      math.add(slot, copy.to), math.both(copy.inside, inside));
      });
  });
  NVVM::CpAsyncCommitGroupOp::create(builder, loc);
}

/// Where the lane's columns of both of its pairs are in a slot. No lane reads a
/// column that the pair's tile has not: the products of those are not used, but
/// an infinity times zero would be.
void FilterBandLowering::findColumns() {
  int64_t tiles = bands.countTiles(), pairs = tiles * bands.countImages();
  int64_t last = bands.columns + bands.getLineTaps() - 2;
  Value chunk = math.div(ofGroup, kBandChunk);
  Value rest = math.rem(ofGroup, kBandChunk);
  for (int64_t half = 0; half < 2; ++half) {
    Value pair = math.add(group, 8 * half);
    if (pairs < FilterBands::kPairs)
      pair = arith::MinUIOp::create(builder, loc, pair,
                                    math.constant(pairs - 1));
    Value first = math.add(
        math.mul(math.div(pair, tiles), bands.getColumnsOfX()),
        math.mul(math.rem(pair, tiles), bands.columns));
    for (int64_t i : {0, 1, 8, 9}) {
      Value column = math.add(math.mul(quad, 2), i);
      column =
          arith::MinUIOp::create(builder, loc, column, math.constant(last));
      Value position = math.add(first, column);
      columns[half].push_back(math.add(getSlotElement(position, chunk), rest));
    }
  }
}

//===----------------------------------------------------------------------===//
// The filter
//===----------------------------------------------------------------------===//

/// Two neighbouring rows of a column of the band.
Value FilterBandLowering::loadTaps(ArrayRef<Value> taps, ArrayRef<Value> exist,
                                   int64_t line, int64_t channel) {
  int64_t row =
      bands.isTurned(0) ? bands.getFilterLines() - 1 - line : line;
  int64_t behind =
      channel * bands.view.numTaps() + row * bands.getLineTaps();
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
  SmallVector<Value> values;
  for (auto [tap, exists] : llvm::zip_equal(taps, exist)) {
    Value value =
        memref::LoadOp::create(builder, loc, filter, math.add(tap, behind));
    values.push_back(math.select(exists, value, zero));
  }
  return vector::FromElementsOp::create(builder, loc,
                                        VectorType::get(2, element), values);
}

/// The lane has column `group` of a band, and in it the rows of its columns of
/// x.
void FilterBandLowering::loadFilter() {
  int64_t lineTaps = bands.getLineTaps();
  SmallVector<Value> taps, exist;
  for (int64_t i : {0, 1, 8, 9}) {
    Value tap = math.sub(math.add(math.mul(quad, 2), i), group);
    Value exists = math.isBelow(tap, lineTaps);
    if (bands.isTurned(1))
      tap = math.sub(math.constant(lineTaps - 1), tap);
    tap = math.select(exists, tap, math.constant(0));
    taps.push_back(
        math.add(math.mul(channel, bands.view.numTaps()), tap));
    exist.push_back(exists);
  }
  for (int64_t line = 0; line < bands.getFilterLines(); ++line)
    for (int64_t c = 0; c < bands.getWarpChannels(); ++c) {
      SmallVector<Value> registers;
      for (int64_t i : {0, 2})
        registers.push_back(loadTaps(ArrayRef(taps).slice(i, 2),
                                     ArrayRef(exist).slice(i, 2), line, c));
      filters.push_back(joinRegisters(builder, loc, registers));
    }
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The lane's columns of a line of x, by channel.
FilterBandLowering::Sums FilterBandLowering::loadFactors(Value slot) {
  std::array<SmallVector<Value>, 2> loaded;
  for (int64_t half = 0; half < 2; ++half)
    for (Value column : columns[half])
      loaded[half].push_back(loadBandChannels(
          builder, loc, ring, math.add(slot, column), bands.getWarpChannels()));
  Sums factors;
  for (int64_t c = 0; c < bands.getWarpChannels(); ++c) {
    SmallVector<Value> registers;
    for (int64_t i : {0, 2})
      for (int64_t half = 0; half < 2; ++half)
        registers.push_back(pairChannel(builder, loc, loaded[half][i],
                                        loaded[half][i + 1], c));
    factors.push_back(joinRegisters(builder, loc, registers));
  }
  return factors;
}

/// What the loop carries after a step: the sums of the lines of y that are not
/// whole, by line, then channel. Those of the first line are `whole`.
SmallVector<Value> FilterBandLowering::multiplyStep(ValueRange factors,
                                                    ValueRange carried,
                                                    Sums &whole) {
  int64_t channels = bands.getWarpChannels(), count = bands.getFilterLines();
  auto sumType = VectorType::get({2, 2}, builder.getF32Type());
  Value zeros =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(sumType));
  SmallVector<Value> next;
  int64_t shape[] = {16, 8, 16};
  for (int64_t i = 0; i < count; ++i) {
    int64_t filterLine = count - 1 - i;
    for (int64_t c = 0; c < channels; ++c) {
      Value before = filterLine > 0 ? carried[i * channels + c] : zeros;
      Value sum = nvgpu::MmaSyncOp::create(builder, loc, factors[c],
                                           filters[filterLine * channels + c],
                                           before, shape);
      (i == 0 ? whole : next).push_back(sum);
    }
  }
  return next;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// A column of y of a pair, from a channel of the workgroup on.
LinePlace FilterBandLowering::getPlace(Value pair, Value ofTile,
                                       Value firstChannel) {
  const MatrixView &view = bands.view;
  int64_t tiles = bands.countTiles();
  Value imageOfGroup = math.div(pair, tiles);
  Value columnOfY = math.add(
      math.add(column, math.mul(math.rem(pair, tiles), bands.columns)), ofTile);
  Value imageOfY = math.add(image, imageOfGroup);
  Value inside = math.both(math.isBelow(ofTile, bands.columns),
                           math.isBelow(columnOfY, view.rows[1]));
  inside = math.both(inside, math.isBelow(imageOfGroup, bands.countImages()));
  if (view.batch % bands.countImages() != 0)
    inside = math.both(inside, math.isBelow(imageOfY, view.batch));
  Value place =
      math.add(math.mul(imageOfY, view.rows[0] * view.rows[1]), columnOfY);
  Value position = math.add(math.mul(pair, bands.columns), ofTile);
  Value element = math.add(math.mul(place, view.channels),
                           math.add(op.getOffsets()[3], firstChannel));
  Value ofLine = math.add(
      getSlotElement(position, math.div(firstChannel, kBandChunk)),
      math.rem(firstChannel, kBandChunk));
  return {element, inside, ofLine};
}

/// Two columns of the lane's two pairs, as an instruction has its sums.
void FilterBandLowering::findPlaces() {
  for (int64_t i = 0; i < 4; ++i)
    places.push_back(getPlace(math.add(group, i / 2 * 8),
                              math.add(math.mul(quad, 2), i % 2), ofGroup));
}

/// What the thread stores of a line that has waited.
void FilterBandLowering::findChunks() {
  int64_t count = bands.countPlaces() * countChunks();
  for (int64_t first = 0; first < count; first += bands.getThreads()) {
    Value number = math.add(thread, first);
    Value position = math.div(number, countChunks());
    LinePlace chunk = getPlace(
        math.div(position, bands.columns), math.rem(position, bands.columns),
        math.mul(math.rem(number, countChunks()), kBandChunk));
    if (first + bands.getThreads() > count)
      chunk.inside = math.both(chunk.inside, math.isBelow(number, count));
    chunks.push_back(chunk);
  }
}

/// Of the line of y that is whole after a step, if the band has it.
Value FilterBandLowering::getLineOfBand(Value step) {
  return math.sub(step, math.constant(bands.getFilterLines() - 1));
}

/// Elements of an image in front of a line of the band.
Value FilterBandLowering::getBelow(Value lineOfBand) {
  return math.mul(math.add(line, lineOfBand),
                  bands.view.rows[1] * bands.view.channels);
}

static void storeVector(IndexMath &math, Value vector, Value memory,
                        Value first) {
  auto type = cast<VectorType>(vector.getType());
  int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
  vector::StoreOp::create(
      math.getBuilder(), math.getLoc(), vector, memory, first,
      /*nontemporal=*/false,
      llvm::MaybeAlign(std::min(bytes, convmlir::kChunkBytes)));
}

/// Computes results of the line that is whole after a step. They are stored, or
/// wait for the threads that have chunks of them.
void FilterBandLowering::storeLine(Value step, const Sums &whole) {
  Value ofBand = getLineOfBand(step);
  math.guard(math.isBelow(ofBand, lines), [&] {
    Value below = getBelow(ofBand);
    for (auto [i, place] : llvm::enumerate(places)) {
      SmallVector<Value> sums;
      for (Value ofChannel : whole)
        sums.push_back(vector::ExtractOp::create(
            builder, loc, ofChannel,
            ArrayRef<int64_t>{int64_t(i) / 2, int64_t(i) % 2}));
      Value piece = vector::FromElementsOp::create(
          builder, loc,
          VectorType::get(int64_t(sums.size()), builder.getF32Type()), sums);
      storePiece(step, place, below, piece);
    }
  });
}

void FilterBandLowering::storePiece(Value step, const LinePlace &place,
                                    Value below, Value piece) {
  Value first = math.add(place.first, below);
  Value result = epilogue.compute(
      math, piece, math.select(place.inside, first, math.constant(0)));
  math.guard(place.inside, [&] {
    if (!waiting)
      return storeVector(math, result, y, first);
    Value ofLine = math.mul(math.rem(step, FilterBands::kWaitingLines),
                            bands.getLineElements());
    storeVector(math, result, waiting, math.add(ofLine, place.waiting));
  });
}

/// Stores the line that became whole in the step before. All threads have
/// passed a barrier since.
void FilterBandLowering::storeChunks(Value step) {
  Value before = math.sub(step, math.constant(1));
  Value ofBand = getLineOfBand(before);
  math.guard(math.isBelow(ofBand, lines), [&] {
    Value below = getBelow(ofBand);
    Value ofLine = math.mul(math.rem(before, FilterBands::kWaitingLines),
                            bands.getLineElements());
    for (const LinePlace &chunk : chunks)
      math.guard(chunk.inside, [&] {
        Value result = loadBandChannels(builder, loc, waiting,
                                        math.add(ofLine, chunk.waiting),
                                        kBandChunk);
        storeVector(math, result, y, math.add(chunk.first, below));
      });
  });
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// A step has the next line of x. Lines in front of x are left out, since all
/// sums begin with zero, but for those after which a line of y is whole.
void FilterBandLowering::findSteps() {
  const MatrixView &view = bands.view;
  lines = math.constant(bands.lines);
  if (view.rows[0] % bands.lines != 0)
    lines = arith::MinUIOp::create(
        builder, loc, lines, math.sub(math.constant(view.rows[0]), line));
  steps = math.add(lines, bands.getFilterLines() - 1);
  Value before = math.sub(math.constant(-bands.getFirst(0)), line);
  before = arith::MaxSIOp::create(builder, loc, before, math.constant(0));
  firstStep = arith::MinSIOp::create(
      builder, loc, before, math.constant(bands.getFilterLines() - 1));
}

void FilterBandLowering::waitForSlots(int64_t pending) {
  NVVM::CpAsyncWaitGroupOp::create(builder, loc,
                                   builder.getI32IntegerAttr(pending));
  gpu::BarrierOp::create(builder, loc);
}

/// A step multiplies what the one before it has loaded, and loads what the next
/// one multiplies. So its own slot is free when it begins.
void FilterBandLowering::runSteps() {
  int64_t ahead = bands.stages;
  for (int64_t step = 0; step < ahead; ++step)
    copyStep(math.add(firstStep, step));
  loadFilter();
  waitForSlots(ahead - 1);
  SmallVector<Value> carried = loadFactors(getSlot(firstStep));
  auto sumType = VectorType::get({2, 2}, builder.getF32Type());
  Value zeros =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(sumType));
  carried.append((bands.getFilterLines() - 1) * bands.getWarpChannels(), zeros);
  auto loop = scf::ForOp::create(builder, loc, firstStep, steps,
                                 math.constant(1), carried);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value step = loop.getInductionVar();
  waitForSlots(ahead - 2);
  copyStep(math.add(step, ahead));
  if (waiting)
    storeChunks(step);
  int64_t factors = bands.getWarpChannels();
  Value last = math.sub(steps, math.constant(1));
  Value following = arith::MinUIOp::create(
      builder, loc, math.add(step, math.constant(1)), last);
  SmallVector<Value> next = loadFactors(getSlot(following));
  Sums whole;
  llvm::append_range(
      next, multiplyStep(loop.getRegionIterArgs().take_front(factors),
                         loop.getRegionIterArgs().drop_front(factors), whole));
  storeLine(step, whole);
  scf::YieldOp::create(builder, loc, next);
}

void FilterBandLowering::lower() {
  findSteps();
  findCopies();
  findColumns();
  findPlaces();
  if (waiting)
    findChunks();
  epilogue.prepare(math, channel);
  runSteps();
  NVVM::CpAsyncWaitGroupOp::create(builder, loc, builder.getI32IntegerAttr(0));
  if (waiting) {
    gpu::BarrierOp::create(builder, loc);
    storeChunks(steps);
  }
  epilogue.erase();
  op.erase();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Whether the op is what a workgroup of the kernel has by its schedule.
static LogicalResult verify(gpu::GPUFuncOp kernel, DepthwiseOp op) {
  if (!multipliesBands(op.getScheduleAttr()))
    return op.emitOpError("needs a schedule that multiplies bands");
  if (std::string why = whyIllegalBands(op, getChip(kernel)); !why.empty())
    return op.emitOpError(why);
  FilterBands bands(getDepthwiseSum(op), op.getScheduleAttr());
  std::array<int64_t, 4> tile = bands.getTile();
  if (op.getOffsets().empty() ||
      op.getResultType().getShape() != ArrayRef<int64_t>(tile))
    return op.emitOpError("must be a part of the result of ")
           << tile[0] << " images, " << tile[1] << " lines, " << tile[2]
           << " columns and " << tile[3] << " channels";
  if (getNumThreads(kernel) != bands.getThreads())
    return kernel.emitOpError("'known_block_size' must be the schedule's ")
           << bands.getThreads() << " threads, but is "
           << getNumThreads(kernel);
  return success();
}

LogicalResult conv::lowerFilterBands(gpu::GPUFuncOp kernel, DepthwiseOp op) {
  if (failed(verify(kernel, op)))
    return failure();
  int64_t channels = FilterBands(getDepthwiseSum(op), op.getScheduleAttr())
                         .getWarpChannels();
  FailureOr<BandEpilogue> epilogue = BandEpilogue::find(op, channels);
  if (failed(epilogue))
    return failure();
  if (cast<ShapedType>(epilogue->getResult().getType()).getShape() !=
      ArrayRef(op.getFullShape()))
    return epilogue->getStore().emitOpError(
        "must store a tile of a tensor of all sums");
  FilterBandLowering(kernel, op, *epilogue).lower();
  return success();
}
