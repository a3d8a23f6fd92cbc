//===- DepthwiseLoops.cpp - depthwise sums of a thread --------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv.depthwise of a few neighbouring positions of a line, and neighbouring
// channels, to loads and multiply-adds. For each line of the filter the thread
// loads its taps and the elements of x that any of its positions reads, each
// once. What is outside is read from the tensor's first element and becomes
// zero: a load that need not be waited for in a branch.
//
// All taps are constants where they are few; else lines of the filter are a
// loop.
//
//===----------------------------------------------------------------------===//

#include "IndexMath.h"
#include "PlainKernels.h"
#include "TileChunks.h"
#include "ViewAddressing.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <map>

using namespace mlir;
using namespace mlir::conv;

namespace {
class DepthwiseLoops {
public:
  explicit DepthwiseLoops(DepthwiseOp op);
  Value emit();

private:
  /// A line of x: the linear index of its first element of the thread's first
  /// channel, and whether it exists; null is always. `shift` is what the first
  /// tap of the block adds to a column.
  struct Line {
    Value element, inside, shift;
  };

  int64_t getLast() const { return view.getSpatialRank() - 1; }
  int64_t countLines() { return view.getNumTaps() / view.getTaps().back(); }
  Line getLine(Value number);
  Value getFirstFactor(Value line, Value firstTap);
  void addBlock(Value number);
  /// The elements of x so far behind the one that tap offset 0 of the first
  /// position reads; null where they are outside whatever the thread and block.
  Value loadColumn(const Line &line, int64_t distance);
  Value load(Value buffer, Value element, Value inside);
  Value widen(Value value);
  Value round(Value value);

  DepthwiseOp op;
  OpBuilder builder;
  IndexMath math;
  ViewAttr view;
  ArrayRef<int64_t> shape; ///< Of x, channels last.
  int64_t positions, channels, block;
  Value source, filter;
  SmallVector<Value> offsets;
  Value image, part;       ///< Of the thread's sums.
  SmallVector<Value> sums; ///< Of each position.
};
} // namespace

DepthwiseLoops::DepthwiseLoops(DepthwiseOp op)
    : op(op), builder(op), math(builder, op.getLoc()), view(op.getView()),
      shape(op.getSourceType().getShape()), source(getFlatView(op.getSource())),
      filter(getFlatView(op.getFilter())), offsets(op.getOffsets()) {
  ArrayRef<int64_t> tile = op.getResultType().getShape();
  channels = tile.back();
  positions = tile[tile.size() - 2];
  block = op.getBlock();
  image = math.div(offsets.front(), op.getParts());
  part = math.rem(offsets.front(), op.getParts());
}

/// Rounded to the op's precision, and widened to the type of the sums.
Value DepthwiseLoops::load(Value buffer, Value element, Value inside) {
  Location loc = math.getLoc();
  Type type = op.getSourceType().getElementType();
  int64_t bytes = channels * type.getIntOrFloatBitWidth() / 8;
  auto vector = VectorType::get(channels, type);
  Value value =
      vector::LoadOp::create(builder, loc, vector, buffer,
                             math.select(inside, element, math.constant(0)),
                             /*nontemporal=*/false, llvm::MaybeAlign(bytes));
  if (inside) {
    // Whole words: an element of two bytes would be one selection each.
    constexpr int64_t wordBytes = 4;
    VectorType words =
        bytes % wordBytes == 0
            ? VectorType::get(bytes / wordBytes, builder.getI32Type())
            : vector;
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(words));
    Value inWords = vector::BitCastOp::create(builder, loc, words, value);
    value = vector::BitCastOp::create(
        builder, loc, vector,
        arith::SelectOp::create(builder, loc, inside, inWords, zero));
  }
  return widen(round(value));
}

/// To tf32, ties away from zero, as tiles of tensor cores are.
Value DepthwiseLoops::round(Value value) {
  if (!op.getPrecisionType())
    return value;
  Location loc = math.getLoc();
  SmallVector<Value> elements;
  for (int64_t i = 0; i < channels; ++i) {
    Value element = vector::ExtractOp::create(builder, loc, value, i);
    Value bits = NVVM::ConvertFloatToTF32Op::create(
        builder, loc, builder.getI32Type(), element, NVVM::FPRoundingMode::RNA);
    elements.push_back(
        arith::BitcastOp::create(builder, loc, element.getType(), bits));
  }
  return vector::FromElementsOp::create(builder, loc, value.getType(),
                                        elements);
}

/// In the type of the sums. Two neighbours of bf16 are the halves of a word,
/// which with zeros below is f32: one instruction each.
Value DepthwiseLoops::widen(Value value) {
  Location loc = math.getLoc();
  auto vector = cast<VectorType>(value.getType());
  auto sumType = VectorType::get(channels, op.getResultType().getElementType());
  if (sumType == vector)
    return value;
  if (!vector.getElementType().isBF16() || channels % 2 != 0)
    return arith::ExtFOp::create(builder, loc, sumType, value);
  constexpr int64_t halfBits = 16, lowHalf = 0xffff;
  auto wordType = VectorType::get(channels / 2, builder.getI32Type());
  Value words = vector::BitCastOp::create(builder, loc, wordType, value);
  auto all = [&](int64_t number) {
    return vector::BroadcastOp::create(builder, loc, wordType,
                                       math.constant32(number));
  };
  Value low = arith::ShLIOp::create(builder, loc, words, all(halfBits));
  Value high = arith::AndIOp::create(builder, loc, words, all(~lowHalf));
  SmallVector<Value> halves;
  for (int64_t i = 0; i < channels; ++i) {
    Value word =
        vector::ExtractOp::create(builder, loc, i % 2 == 0 ? low : high, i / 2);
    halves.push_back(
        arith::BitcastOp::create(builder, loc, sumType.getElementType(), word));
  }
  return vector::FromElementsOp::create(builder, loc, sumType, halves);
}

DepthwiseLoops::Line DepthwiseLoops::getLine(Value number) {
  Line line;
  line.element = math.constant(0);
  int64_t pitch = shape.back() * shape[shape.size() - 2];
  for (int64_t dim = getLast(); dim-- > 0;) {
    int64_t taps = view.getTaps()[dim], extent = shape[1 + dim];
    Value tap = math.rem(number, taps);
    number = math.div(number, taps);
    Value coordinate =
        math.add(math.add(math.mul(offsets[1 + dim], view.getStride()[dim]),
                          view.getOffset()[dim]),
                 math.mul(tap, view.getStep()[dim]));
    if (leavesExtent(view, dim, extent))
      line.inside = math.both(line.inside, math.isBelow(coordinate, extent));
    line.element = math.add(line.element, math.mul(coordinate, pitch));
    pitch *= extent;
  }
  line.element =
      math.add(line.element, math.add(math.mul(image, pitch), offsets.back()));
  return line;
}

Value DepthwiseLoops::loadColumn(const Line &line, int64_t distance) {
  int64_t extent = shape[shape.size() - 2], stride = view.getStride().back();
  int64_t first = view.getOffset().back() + distance;
  // Of the last tile, and of the last block.
  int64_t lastTile = (view.getRows().back() - positions) * stride;
  int64_t lastBlock = (view.getTaps().back() - block) * view.getStep().back();
  int64_t low =
      first + std::min<int64_t>(lastTile, 0) + std::min<int64_t>(lastBlock, 0);
  int64_t high =
      first + std::max<int64_t>(lastTile, 0) + std::max<int64_t>(lastBlock, 0);
  if (high < 0 || low >= extent)
    return nullptr;
  Value column = math.add(math.mul(offsets[1 + getLast()], stride), first);
  if (line.shift)
    column = math.add(column, line.shift);
  Value inside = line.inside;
  if (low < 0 || high >= extent)
    inside = math.both(inside, math.isBelow(column, extent));
  return load(source, math.add(line.element, math.mul(column, shape.back())),
              inside);
}

/// The linear index of a tap's first element of the thread's first channel.
Value DepthwiseLoops::getFirstFactor(Value line, Value firstTap) {
  Value tap = math.mul(line, view.getTaps().back());
  if (firstTap)
    tap = math.add(tap, firstTap);
  if (op.hasFilterOfImage())
    tap = math.add(tap, math.mul(image, view.getNumTaps()));
  return math.add(math.mul(tap, shape.back()), offsets.back());
}

/// Blocks are numbered along lines first, so that neighbours read the same
/// lines of x.
void DepthwiseLoops::addBlock(Value number) {
  int64_t stride = view.getStride().back(), step = view.getStep().back();
  Value lineNumber = number, firstTap;
  if (block < view.getTaps().back()) {
    lineNumber = math.rem(number, countLines());
    firstTap = math.mul(math.div(number, countLines()), block);
  }
  Line line = getLine(lineNumber);
  if (firstTap)
    line.shift = math.mul(firstTap, step);
  Value factor = getFirstFactor(lineNumber, firstTap);
  SmallVector<Value> factors;
  for (int64_t tap = 0; tap < block; ++tap)
    factors.push_back(load(filter, math.add(factor, tap * shape.back()),
                           /*inside=*/Value()));
  struct Reader {
    int64_t position, tap;
  };
  std::map<int64_t, SmallVector<Reader>> readers; // Of each column.
  for (int64_t position = 0; position < positions; ++position)
    for (int64_t tap = 0; tap < block; ++tap)
      readers[position * stride + tap * step].push_back({position, tap});
  for (const auto &[distance, ofColumn] : readers) {
    Value x = loadColumn(line, distance);
    if (!x)
      continue;
    for (Reader reader : ofColumn) {
      Value &sum = sums[reader.position];
      sum = math::FmaOp::create(builder, math.getLoc(), x, factors[reader.tap],
                                sum);
    }
  }
}

Value DepthwiseLoops::emit() {
  Location loc = math.getLoc();
  Type element = op.getResultType().getElementType();
  auto rowType = VectorType::get(channels, element);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(rowType));
  sums.assign(positions, zero);
  int64_t blocks = op.getNumBlocks() / op.getParts();
  bool isUnrolled =
      op.getParts() == 1 &&
      view.getNumTaps() * positions * channels <= kMostUnrolledProducts;
  if (isUnrolled) {
    for (int64_t number = 0; number < blocks; ++number)
      addBlock(math.constant(number));
  } else {
    Value first = math.mul(part, blocks);
    auto loop = scf::ForOp::create(builder, loc, first,
                                   math.add(first, math.constant(blocks)),
                                   math.constant(1), sums);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    llvm::copy(loop.getRegionIterArgs(), sums.begin());
    addBlock(loop.getInductionVar());
    scf::YieldOp::create(builder, loc, sums);
    llvm::copy(loop.getResults(), sums.begin());
  }
  auto blockType = VectorType::get({positions, channels}, element);
  Value block =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(blockType));
  for (auto [i, sum] : llvm::enumerate(sums))
    block = vector::InsertOp::create(builder, loc, sum, block, i);
  return vector::ShapeCastOp::create(
      builder, loc, cast<VectorType>(op.getResultType()), block);
}

LogicalResult conv::lowerDepthwise(DepthwiseOp op) {
  auto type = dyn_cast<VectorType>(op.getResultType());
  if (!type || op.getOffsets().empty())
    return op.emitOpError("cannot be part of a plain kernel: it has no vector "
                          "as result");
  if (type.getNumElements() !=
      llvm::product_of(type.getShape().take_back(2), int64_t(1)))
    return op.emitOpError("cannot be part of a plain kernel: expected "
                          "positions of one line, but got ")
           << type;
  op.getResult().replaceAllUsesWith(DepthwiseLoops(op).emit());
  op.erase();
  return success();
}
