//===- DepthwiseBands.cpp - depthwise sums on tensor cores ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  a kernel whose workgroup has a conv.depthwise of a filter's gradient,
//         a vector of the sums of a part for some channels, and its store.
// Output: what one thread does (DepthwiseBands.h in Schedule has the shape).
//
// All threads copy a line of x and one of dy, of 16 images, into a slot of the
// ring by cp.async. In each step every warp multiplies the line of x with the
// last lines of dy, which it has in registers, one for each line of the filter.
// Sums of all tasks are in registers. In the end they go through shared memory,
// from which threads add up the diagonals.
//
//===----------------------------------------------------------------------===//

#include "DepthwiseBands.h"
#include "BandOperands.h"
#include "FilterBands.h"
#include "Support/TileChunks.h"
#include "conv/Dialect/Conv/IR/ConvChip.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Schedule/Forms/DepthwiseBandSchedule.h"
#include "conv/Schedule/Shape/DepthwiseBands.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::MatrixView;

namespace {

/// A line of 16 images in a slot of the ring: [image][column][channel]. Chunks
/// of channels are permuted so that lanes, which read the same channels of four
/// images and eight columns, meet other banks.
class LineOfImages {
public:
  LineOfImages(IndexMath &math, int64_t first, int64_t columns,
               int64_t channels)
      : math(math), first(first), columns(columns),
        chunks(channels / kBandChunk) {}

  int64_t countChunks() const {
    return DepthwiseBands::kImages * columns * chunks;
  }
  int64_t getColumns() const { return columns; }
  int64_t getChunks() const { return chunks; }
  /// Where a chunk begins in a slot.
  Value getElement(Value image, Value column, Value chunk);

private:
  Value getPermutation(Value image, Value column);

  IndexMath &math;
  int64_t first, columns, chunks;
};

/// A tensor with images, from which lines are copied.
struct Source {
  Value flat;
  int64_t lines, columns;
};

class BandLowering {
public:
  BandLowering(gpu::GPUFuncOp kernel, DepthwiseOp op,
               vector::TransferWriteOp store);
  void lower();

private:
  /// The registers of an instruction's factor, for each channel of the warp:
  /// two pairs of images.
  using Pairs = SmallVector<std::array<Value, 2>>;

  void findTasks();
  void copyStep(Value step);
  void copyLine(LineOfImages &line, const Source &source, Value slot,
                Value group, Value row, Value rowInside, Value firstColumn);
  Value getSlot(Value step);
  Pairs loadPairs(LineOfImages &line, Value slot, Value column);
  SmallVector<Value> runSteps();
  SmallVector<Value> multiplyStep(Value step, ValueRange carried);
  void storeBlocks(ValueRange sums, Value memory);
  void addDiagonals(Value memory, int64_t filterLine);
  VectorType getPairType(int64_t rows) {
    return VectorType::get({rows, 2}, element);
  }
  int64_t countSums() {
    return bands.getFilterLines() * bands.getWarpChannels();
  }

  DepthwiseOp op;
  vector::TransferWriteOp store;
  OpBuilder builder;
  IndexMath math;
  Location loc;
  DepthwiseBands bands;
  Type element;
  LineOfImages lineOfX, lineOfDy;
  Source x, dy;
  Value ring, thread, warp, group, quad; ///< Of eight lanes, and within four.
  Value part, firstChannel;
  Value firstTask, steps;
};

} // namespace

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Of two or four chunks, lines of four or two columns lie in 128 bytes.
Value LineOfImages::getPermutation(Value image, Value column) {
  Value odd = math.bitAnd(image, 1);
  switch (chunks) {
  case 1:
    return math.constant(0);
  case 2:
    return math.bitXor(math.bitAnd(math.div(column, 4), 1), odd);
  case 4:
    return math.bitXor(math.bitAnd(math.div(column, 2), 1), math.mul(odd, 2));
  default:
    return math.bitXor(math.bitAnd(column, 3), math.mul(odd, 4));
  }
}

Value LineOfImages::getElement(Value image, Value column, Value chunk) {
  Value position = math.add(math.mul(image, columns), column);
  Value permuted = math.bitXor(chunk, getPermutation(image, column));
  Value number = math.add(math.mul(position, chunks), permuted);
  return math.add(math.mul(number, kBandChunk), first);
}

BandLowering::BandLowering(gpu::GPUFuncOp kernel, DepthwiseOp op,
                           vector::TransferWriteOp store)
    : op(op), store(store), builder(op), math(builder, op.getLoc()),
      loc(op.getLoc()), bands(getDepthwiseSum(op), op.getScheduleAttr()),
      element(op.getSourceType().getElementType()),
      lineOfX(math, /*first=*/0, bands.getColumnsOfX(), bands.channels),
      lineOfDy(math, bands.getElements(bands.getColumnsOfX()), bands.columns,
               bands.channels) {
  const MatrixView &view = bands.view;
  x = {getFlatView(op.getSource()), view.extent[0], view.extent[1]};
  dy = {getFlatView(op.getFilter()), view.taps[0], view.taps[1]};
  ring = allocBandMemory(builder, loc, bands.stages * bands.getStageElements(),
                         element);
  thread = getThreadIndex(kernel);
  warp = math.div(thread, conv::kWarpSize);
  Value lane = math.rem(thread, conv::kWarpSize);
  group = math.div(lane, 4);
  quad = math.rem(lane, 4);
  part = op.getOffsets().front();
  firstChannel = op.getOffsets().back();
}

Value BandLowering::getSlot(Value step) {
  return math.mul(math.rem(step, bands.stages), bands.getStageElements());
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// The tasks of this part: as many as of any other, or one more.
void BandLowering::findTasks() {
  int64_t each = bands.countTasks() / bands.parts,
          more = bands.countTasks() % bands.parts;
  firstTask = math.mul(part, each);
  Value count = math.constant(each);
  if (more > 0) {
    firstTask =
        math.add(firstTask, arith::MinUIOp::create(builder, loc, part,
                                                   math.constant(more)));
    count =
        math.select(math.isBelow(part, more), math.constant(each + 1), count);
  }
  steps = math.mul(count, bands.countSteps());
}

/// The chunks of a line that the threads copy. What does not exist is zero.
void BandLowering::copyLine(LineOfImages &line, const Source &source,
                            Value slot, Value group, Value row, Value rowInside,
                            Value firstColumn) {
  int64_t count = line.countChunks(), threads = bands.getThreads();
  for (int64_t first = 0; first < count; first += threads) {
    Value number = math.add(thread, first);
    Value exists;
    if (first + threads > count)
      exists = math.isBelow(number, count);
    math.guard(exists, [&] {
      Value chunk = math.rem(number, line.getChunks());
      Value position = math.div(number, line.getChunks());
      Value column = math.rem(position, line.getColumns());
      Value image = math.div(position, line.getColumns());
      Value imageOfAll =
          math.add(math.mul(group, DepthwiseBands::kImages), image);
      Value columnOfAll = math.add(firstColumn, column);
      Value inside =
          math.both(rowInside, math.isBelow(columnOfAll, source.columns));
      if (bands.view.batch % DepthwiseBands::kImages != 0)
        inside = math.both(inside, math.isBelow(imageOfAll, bands.view.batch));
      Value lineOfAll = math.add(math.mul(imageOfAll, source.lines), row);
      Value place = math.add(math.mul(lineOfAll, source.columns), columnOfAll);
      Value from =
          math.add(math.mul(place, bands.view.channels),
                   math.add(firstChannel, math.mul(chunk, kBandChunk)));
      copyBandChunk(math, source.flat, from, ring,
                    math.add(slot, line.getElement(image, column, chunk)),
                    inside);
    });
  }
}

/// The lines of a step, of which there may be no more, as a group of copies.
void BandLowering::copyStep(Value step) {
  int64_t ofTask = bands.countSteps(), numBands = bands.countBands(),
          strips = bands.countStrips();
  math.guard(math.isBelow(step, steps), [&] {
    Value task = math.add(firstTask, math.div(step, ofTask));
    Value down = math.rem(step, ofTask);
    Value line =
        math.add(math.mul(math.rem(task, numBands), bands.lines), down);
    Value strip = math.rem(math.div(task, numBands), strips);
    Value group = math.div(task, numBands * strips);
    Value column = math.mul(strip, bands.columns);
    Value slot = getSlot(step);
    Value rowOfX = math.add(line, bands.view.offset[0]);
    copyLine(lineOfX, x, slot, group, rowOfX, math.isBelow(rowOfX, x.lines),
             math.add(column, bands.view.offset[1]));
    Value inside = math.both(math.isBelow(down, bands.lines),
                             math.isBelow(line, dy.lines));
    copyLine(lineOfDy, dy, slot, group, line, inside, column);
  });
  NVVM::CpAsyncCommitGroupOp::create(builder, loc);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// A column of the line, in the warp's channels: the lane has every fourth
/// image, in pairs. Which images a pair has is free: x and dy have the same.
BandLowering::Pairs BandLowering::loadPairs(LineOfImages &line, Value slot,
                                            Value column) {
  constexpr int64_t loads = DepthwiseBands::kImages / 4;
  Value channel = math.mul(warp, bands.getWarpChannels());
  Value chunk = math.div(channel, kBandChunk),
        rest = math.rem(channel, kBandChunk);
  SmallVector<Value> images;
  for (int64_t i = 0; i < loads; ++i) {
    Value first = line.getElement(math.add(quad, 4 * i), column, chunk);
    images.push_back(loadBandChannels(builder, loc, ring,
                                      math.add(slot, math.add(first, rest)),
                                      bands.getWarpChannels()));
  }
  Pairs pairs;
  for (int64_t c = 0; c < bands.getWarpChannels(); ++c) {
    auto pair = [&](int64_t i) {
      return pairChannel(builder, loc, images[i], images[i + 1], c);
    };
    pairs.push_back({pair(0), pair(2)});
  }
  return pairs;
}

/// What the loop carries after a step: sums, by line of the filter and channel,
/// and the last lines of dy.
SmallVector<Value> BandLowering::multiplyStep(Value step, ValueRange carried) {
  Value slot = getSlot(step);
  // No lane reads a column that was not copied; sums of these are not used.
  auto clamp = [&](Value column, int64_t columns) -> Value {
    return arith::MinUIOp::create(builder, loc, column,
                                  math.constant(columns - 1));
  };
  int64_t columnsOfX = bands.getColumnsOfX(),
          channels = bands.getWarpChannels();
  Pairs newest = loadPairs(lineOfDy, slot, clamp(group, bands.columns));
  Pairs left = loadPairs(lineOfX, slot, clamp(group, columnsOfX));
  Pairs right = loadPairs(lineOfX, slot, clamp(math.add(group, 8), columnsOfX));
  SmallVector<Value> factors, lines;
  for (int64_t c = 0; c < channels; ++c) {
    lines.push_back(joinRegisters(builder, loc, newest[c]));
    factors.push_back(
        joinRegisters(builder, loc,
                      {left[c][0], right[c][0], left[c][1], right[c][1]}));
  }
  llvm::append_range(lines, carried.drop_front(countSums()));
  SmallVector<Value> next;
  int64_t shape[] = {16, 8, 16};
  for (int64_t i = 0; i < countSums(); ++i)
    next.push_back(nvgpu::MmaSyncOp::create(builder, loc, factors[i % channels],
                                            lines[i], carried[i], shape));
  llvm::append_range(next, ArrayRef(lines).drop_back(channels));
  return next;
}

/// The sums of all steps.
SmallVector<Value> BandLowering::runSteps() {
  int64_t ahead = bands.stages - 1;
  for (int64_t step = 0; step < ahead; ++step)
    copyStep(math.constant(step));
  auto zeros = [&](VectorType type) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  };
  int64_t oldLines = (bands.getFilterLines() - 1) * bands.getWarpChannels();
  SmallVector<Value> carried(
      countSums(), zeros(VectorType::get({2, 2}, builder.getF32Type())));
  carried.append(oldLines, zeros(getPairType(2)));
  auto loop = scf::ForOp::create(builder, loc, math.constant(0), steps,
                                 math.constant(1), carried);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  NVVM::CpAsyncWaitGroupOp::create(builder, loc,
                                   builder.getI32IntegerAttr(ahead - 1));
  gpu::BarrierOp::create(builder, loc);
  copyStep(math.add(loop.getInductionVar(), ahead));
  SmallVector<Value> next =
      multiplyStep(loop.getInductionVar(), loop.getRegionIterArgs());
  scf::YieldOp::create(builder, loc, next);
  return llvm::to_vector_of<Value>(loop.getResults().take_front(countSums()));
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The blocks of the warp's channels, [channel][column of x][column of dy].
void BandLowering::storeBlocks(ValueRange sums, Value memory) {
  constexpr int64_t pitch = DepthwiseBands::kSumPitch;
  Value channel = math.mul(warp, bands.getWarpChannels());
  Value row = math.add(math.mul(channel, DepthwiseBands::kColumnsOfX), group);
  Value first = math.add(math.mul(row, pitch), math.mul(quad, 2));
  for (auto [c, block] : llvm::enumerate(sums))
    for (int64_t i = 0; i < 4; ++i) {
      int64_t below = int64_t(c) * DepthwiseBands::kColumnsOfX + i / 2 * 8;
      Value sum = vector::ExtractOp::create(builder, loc, block,
                                            ArrayRef<int64_t>{i / 2, i % 2});
      memref::StoreOp::create(builder, loc, sum, memory,
                              math.add(first, below * pitch + i % 2));
    }
}

/// Neighbouring threads add up the same tap of neighbouring channels.
void BandLowering::addDiagonals(Value memory, int64_t filterLine) {
  constexpr int64_t pitch = DepthwiseBands::kSumPitch;
  int64_t count = bands.channels * bands.getLineTaps(),
          threads = bands.getThreads();
  for (int64_t begin = 0; begin < count; begin += threads) {
    Value number = math.add(thread, begin);
    Value exists;
    if (begin + threads > count)
      exists = math.isBelow(number, count);
    math.guard(exists, [&] {
      Value channel = math.rem(number, bands.channels);
      Value tap = math.div(number, bands.channels);
      Value row = math.add(math.mul(channel, DepthwiseBands::kColumnsOfX), tap);
      Value first = math.mul(row, pitch);
      Value sum;
      for (int64_t n = 0; n < bands.columns; ++n) {
        Value next = memref::LoadOp::create(builder, loc, memory,
                                            math.add(first, n * (pitch + 1)));
        sum = sum ? arith::AddFOp::create(builder, loc, sum, next) : next;
      }
      SmallVector<Value> place(store.getIndices());
      place[1] = math.add(place[1], filterLine);
      place[2] = math.add(place[2], tap);
      place[3] = math.add(place[3], channel);
      memref::StoreOp::create(builder, loc, sum, store.getBase(), place);
    });
  }
}

void BandLowering::lower() {
  findTasks();
  SmallVector<Value> sums = runSteps();
  NVVM::CpAsyncWaitGroupOp::create(builder, loc, builder.getI32IntegerAttr(0));
  Value memory = allocBandMemory(builder, loc, bands.countStoredSums(),
                                 builder.getF32Type());
  int64_t channels = bands.getWarpChannels();
  for (int64_t line = 0; line < bands.getFilterLines(); ++line) {
    gpu::BarrierOp::create(builder, loc);
    storeBlocks(ArrayRef(sums).slice(line * channels, channels), memory);
    gpu::BarrierOp::create(builder, loc);
    addDiagonals(memory, line);
  }
  store.erase();
  op.erase();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// The store of all that the op computes, as it is.
static vector::TransferWriteOp findStore(DepthwiseOp op) {
  if (!op->hasOneUse())
    return nullptr;
  auto write = dyn_cast<vector::TransferWriteOp>(*op->user_begin());
  bool isWhole = write && !write.getMask() && !write.hasOutOfBoundsDim() &&
                 write.getPermutationMap().isIdentity() &&
                 isa<MemRefType>(write.getBase().getType());
  return isWhole ? write : nullptr;
}

/// Whether the op is what a workgroup of the kernel has by its schedule.
static LogicalResult verify(gpu::GPUFuncOp kernel, DepthwiseOp op) {
  if (!multipliesBands(op.getScheduleAttr()))
    return op.emitOpError("needs a schedule that multiplies bands");
  if (std::string why = whyIllegalBands(op, getChip(kernel)); !why.empty())
    return op.emitOpError(why);
  SmallVector<int64_t> shape = op.getFullShape();
  shape.front() = 1;
  shape.back() = op.getScheduleAttr().getTile()[1];
  if (op.getOffsets().empty() ||
      op.getResultType().getShape() != ArrayRef(shape))
    return op.emitOpError("must be a part of the sums of ")
           << shape.back() << " channels";
  int64_t threads = getNumThreads(op.getScheduleAttr());
  if (getNumThreads(kernel) != threads)
    return kernel.emitOpError("'known_block_size' must be the schedule's ")
           << threads << " threads, but is " << getNumThreads(kernel);
  return success();
}

LogicalResult conv::lowerDepthwiseBands(gpu::GPUFuncOp kernel) {
  RewritePatternSet patterns(kernel.getContext());
  memref::populateFoldMemRefAliasOpPatterns(patterns);
  if (failed(applyPatternsGreedily(kernel, std::move(patterns))))
    return failure();
  SmallVector<DepthwiseOp> ops;
  kernel.walk([&](DepthwiseOp op) { ops.push_back(op); });
  if (ops.size() != 1)
    return kernel.emitOpError("must have one conv.depthwise, but has ")
           << ops.size();
  DepthwiseOp op = ops.front();
  if (!op.hasFilterOfImage())
    return lowerFilterBands(kernel, op);
  if (failed(verify(kernel, op)))
    return failure();
  vector::TransferWriteOp store = findStore(op);
  if (!store)
    return op.emitOpError("must have sums that a vector.transfer_write stores "
                          "as they are");
  BandLowering(kernel, op, store).lower();
  return success();
}
