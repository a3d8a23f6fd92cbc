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
// zero: a load that need not be waited for in a branch. Only where lines of a
// filter are a loop, a line of x that does not exist is passed over: that is one
// branch for many loads, none of which asks for it. (Not where dy is the filter:
// there ptxas then keeps fewer loads in flight, which costs more.)
//
// With channels last an access is of the thread's channels in a column. With
// channels first, where a thread has one channel, it is of neighbouring
// columns: as many as lie in an aligned piece of memory, which ends where lines
// do.
//
// All taps are constants where they are few; else lines of the filter are a
// loop, and so are runs of the taps of a long line, with what is left behind
// them: how much code there is does not depend on the problem.
//
//===----------------------------------------------------------------------===//

#include "DepthwiseLoops.h"
#include "PlainKernels.h"
#include "Support/IndexMath.h"
#include "Support/RoundToTf32.h"
#include "Support/TileChunks.h"
#include "Support/ViewAddressing.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/Depthwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/DenseSet.h"

#include <map>
#include <numeric>

using namespace mlir;
using namespace mlir::conv;

/// Loads that are written out one after the other, in a run of taps and in all
/// of them. LLVM's time grows faster than their number.
static constexpr int64_t kMostRunLoads = 512, kMostLoads = 1024;

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
  /// Neighbouring taps of a line whose products are written out. With a `form`
  /// whose block of taps this is, the first one of the first block at its first
  /// tap.
  struct Run {
    DepthwiseSum form;
    int64_t taps;
    int64_t divisor; ///< Of the numbers of first taps.
  };
  using Columns = std::map<int64_t, DepthwiseSum::Column>;
  /// Elements of x by their columns.
  using Elements = std::map<int64_t, Value>;

  int64_t getLast() const { return view.getSpatialRank() - 1; }
  int64_t getLineTaps() const { return view.getTaps().back(); }
  int64_t countLines() { return view.getNumTaps() / getLineTaps(); }
  Value getPosition(int64_t dim) {
    return offsets[op.getFirstSpatialDim() + dim];
  }
  Value getChannel() { return offsets[op.getChannelDim()]; }
  std::pair<Value, Value> getLineAndTap(Value number);
  Line getLine(Value number);
  Value getFirstFactor(Value line, Value firstTap);
  int64_t countLoads(int64_t taps) const;
  int64_t getRunTaps() const;
  int64_t countBlocks() { return op.getNumBlocks() / op.getParts(); }
  bool isUnrolled();
  void addBlock(Value number);
  void addLine(const Line &line, Value lineNumber, Value firstTap);
  void addLineIfThere(Line line, Value lineNumber, Value firstTap);
  void addRuns(const Line &line, Value lineNumber, Value firstTap);
  void addRun(const Run &run, Line line, Value lineNumber, Value firstTap,
              bool isShifted);
  void loopOver(Value first, Value end, Value step,
                function_ref<void(Value)> body);
  SmallVector<Value> loadFactors(const Run &run, Value line, Value firstTap);
  int64_t getWidest() const;
  Elements loadColumns(const Run &run, const Line &line,
                       const Columns &columns);
  Value loadColumn(const Line &line, int64_t first,
                   const DepthwiseSum::Column &column, int64_t width);
  Value toElements(Value index, int64_t distance);
  Value getCoordinate(int64_t dim, Value place, Value &inside);
  Value load(Value buffer, Value element, Value inside, int64_t width);
  Value widen(Value value);

  DepthwiseOp op;
  OpBuilder builder;
  IndexMath math;
  ViewAttr view;
  DepthwiseSum form;
  bool isFirst;              ///< Whether channels are.
  ArrayRef<int64_t> extents; ///< Of an image of x.
  int64_t allChannels, positions, channels, block;
  int64_t runTaps;  ///< Of a block, as many as are written out.
  int64_t dilation; ///< Places for an element of a line.
  Value source, filter;
  SmallVector<Value> offsets;
  Value image, part;       ///< Of the thread's sums.
  SmallVector<Value> sums; ///< Of each position.
};
} // namespace

DepthwiseLoops::DepthwiseLoops(DepthwiseOp op)
    : op(op), builder(op), math(builder, op.getLoc()), view(op.getView()),
      form(getDepthwiseSum(op)), isFirst(op.getChannelsFirst()),
      extents(op.getSourceType().getShape().slice(op.getFirstSpatialDim(),
                                                  view.getSpatialRank())),
      allChannels(op.getNumChannels()), source(getFlatView(op.getSource())),
      filter(getFlatView(op.getFilter())), offsets(op.getOffsets()) {
  ArrayRef<int64_t> tile = op.getResultType().getShape();
  channels = tile[op.getChannelDim()];
  positions = tile[op.getFirstSpatialDim() + getLast()];
  block = op.getBlock();
  dilation = op.getDilationOf(getLast());
  runTaps = getRunTaps();
  image = math.div(offsets.front(), op.getParts());
  part = math.rem(offsets.front(), op.getParts());
}

/// So many neighbours from an element on, rounded to the op's precision, and
/// widened to the type of the sums.
Value DepthwiseLoops::load(Value buffer, Value element, Value inside,
                           int64_t width) {
  Location loc = math.getLoc();
  Type type = op.getSourceType().getElementType();
  int64_t bytes = width * type.getIntOrFloatBitWidth() / 8;
  auto vector = VectorType::get(width, type);
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
  return widen(op.getPrecisionType() ? roundToTf32(builder, loc, value)
                                     : value);
}

/// In the type of the sums. Two neighbours of bf16 are the halves of a word,
/// which with zeros below is f32: one instruction each.
Value DepthwiseLoops::widen(Value value) {
  Location loc = math.getLoc();
  auto vector = cast<VectorType>(value.getType());
  int64_t width = vector.getNumElements();
  auto sumType = VectorType::get(width, op.getResultType().getElementType());
  if (sumType == vector)
    return value;
  if (!vector.getElementType().isBF16() || width % 2 != 0)
    return arith::ExtFOp::create(builder, loc, sumType, value);
  constexpr int64_t halfBits = 16, lowHalf = 0xffff;
  auto wordType = VectorType::get(width / 2, builder.getI32Type());
  Value words = vector::BitCastOp::create(builder, loc, wordType, value);
  auto all = [&](int64_t number) {
    return vector::BroadcastOp::create(builder, loc, wordType,
                                       math.constant32(number));
  };
  Value low = arith::ShLIOp::create(builder, loc, words, all(halfBits));
  Value high = arith::AndIOp::create(builder, loc, words, all(~lowHalf));
  SmallVector<Value> halves;
  for (int64_t i = 0; i < width; ++i) {
    Value word =
        vector::ExtractOp::create(builder, loc, i % 2 == 0 ? low : high, i / 2);
    halves.push_back(
        arith::BitcastOp::create(builder, loc, sumType.getElementType(), word));
  }
  return vector::FromElementsOp::create(builder, loc, sumType, halves);
}

//===----------------------------------------------------------------------===//
// Lines of x
//===----------------------------------------------------------------------===//

/// The coordinate of the element at a place, to which the view's offset is
/// still to be added. Whether there is one is added to `inside`.
Value DepthwiseLoops::getCoordinate(int64_t dim, Value place, Value &inside) {
  int64_t extent = extents[dim], dilation = op.getDilationOf(dim),
          offset = view.getOffset()[dim];
  if (dilation == 1) {
    Value coordinate = math.add(place, offset);
    if (leavesExtent(view, dim, extent))
      inside = math.both(inside, math.isBelow(coordinate, extent));
    return coordinate;
  }
  // Divided so many elements further on, where no place is negative.
  int64_t lastRow = (view.getRows()[dim] - 1) * view.getStride()[dim],
          lastTap = (view.getTaps()[dim] - 1) * view.getStep()[dim];
  int64_t least =
      offset + std::min<int64_t>(lastRow, 0) + std::min<int64_t>(lastTap, 0);
  int64_t before = llvm::divideCeil(std::max<int64_t>(-least, 0), dilation);
  Value positive = math.add(place, offset + before * dilation);
  Value coordinate = math.add(math.div(positive, dilation), -before);
  inside = math.both(inside, math.isBelow(math.rem(positive, dilation), 1));
  inside = math.both(inside, math.isBelow(coordinate, extent));
  return coordinate;
}

DepthwiseLoops::Line DepthwiseLoops::getLine(Value number) {
  Line line;
  line.element = math.constant(0);
  int64_t pitch = extents.back() * (isFirst ? 1 : allChannels);
  for (int64_t dim = getLast(); dim-- > 0;) {
    int64_t taps = view.getTaps()[dim], extent = extents[dim];
    Value tap = math.rem(number, taps);
    number = math.div(number, taps);
    Value place = math.add(math.mul(getPosition(dim), view.getStride()[dim]),
                           math.mul(tap, view.getStep()[dim]));
    Value coordinate = getCoordinate(dim, place, line.inside);
    line.element = math.add(line.element, math.mul(coordinate, pitch));
    pitch *= extent;
  }
  Value first =
      isFirst ? math.mul(math.add(math.mul(image, allChannels), getChannel()),
                         pitch)
              : math.add(math.mul(image, pitch), getChannel());
  line.element = math.add(line.element, first);
  return line;
}

/// A distance in elements of an index whose neighbours are so many places
/// apart: a whole number.
Value DepthwiseLoops::toElements(Value index, int64_t distance) {
  if (distance % dilation == 0)
    return math.mul(index, distance / dilation);
  Value elements = math.div(math.mul(index, std::abs(distance)), dilation);
  return distance < 0 ? math.mul(elements, -1) : elements;
}

/// The elements of x in a column, or in so many from there on, of which either
/// all are outside or none.
Value DepthwiseLoops::loadColumn(const Line &line, int64_t first,
                                 const DepthwiseSum::Column &column,
                                 int64_t width) {
  Value number = math.add(
      toElements(getPosition(getLast()), view.getStride().back()), first);
  if (line.shift)
    number = math.add(number, line.shift);
  Value inside = line.inside;
  if (column.lowest < 0 || column.highest >= extents.back())
    inside = math.both(inside, math.isBelow(number, extents.back()));
  Value element =
      math.add(line.element, math.mul(number, isFirst ? 1 : allChannels));
  return load(source, element, inside, width);
}

/// Elements of an access.
int64_t DepthwiseLoops::getWidest() const {
  return kPlainAccessBytes * 8 /
         cast<ShapedType>(source.getType()).getElementTypeBitWidth();
}

/// The neighbour of the elements of a vector, as a vector.
static Value getNeighbour(OpBuilder &builder, Location loc, Value vector,
                          int64_t i) {
  return vector::ExtractStridedSliceOp::create(
      builder, loc, vector, /*offsets=*/ArrayRef<int64_t>{i},
      /*sizes=*/ArrayRef<int64_t>{1}, /*strides=*/ArrayRef<int64_t>{1});
}

DepthwiseLoops::Elements DepthwiseLoops::loadColumns(const Run &run,
                                                     const Line &line,
                                                     const Columns &columns) {
  Elements elements;
  if (!isFirst) {
    for (const auto &[number, column] : columns)
      elements[number] = loadColumn(line, number, column, channels);
    return elements;
  }
  int64_t divisor = run.form.getColumnDivisor(positions, run.taps, getWidest());
  for (auto next = columns.begin(); next != columns.end();) {
    int64_t first = next->first, end = first;
    for (auto other = next; other != columns.end() && other->first == end;
         ++other)
      ++end;
    int64_t width = getAlignedWidth(first, end, divisor);
    Value piece = loadColumn(line, first, next->second, width);
    for (int64_t i = 0; i < width; ++i, ++next)
      elements[next->first] = getNeighbour(builder, math.getLoc(), piece, i);
  }
  return elements;
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// The linear index of a tap's first element of the thread's first channel.
Value DepthwiseLoops::getFirstFactor(Value line, Value firstTap) {
  Value tap = math.mul(line, getLineTaps());
  if (firstTap)
    tap = math.add(tap, firstTap);
  Value channel = getChannel();
  if (isFirst) {
    if (op.hasFilterOfImage())
      channel = math.add(channel, math.mul(image, allChannels));
    return math.add(math.mul(channel, view.getNumTaps()), tap);
  }
  if (op.hasFilterOfImage())
    tap = math.add(tap, math.mul(image, view.getNumTaps()));
  return math.add(math.mul(tap, allChannels), channel);
}

/// Those of each tap of a run, for all channels of the thread.
SmallVector<Value> DepthwiseLoops::loadFactors(const Run &run, Value line,
                                               Value firstTap) {
  Value first = getFirstFactor(line, firstTap);
  SmallVector<Value> factors;
  if (!isFirst) {
    for (int64_t tap = 0; tap < run.taps; ++tap)
      factors.push_back(load(filter, math.add(first, tap * allChannels),
                             /*inside=*/Value(), channels));
    return factors;
  }
  int64_t divisor = std::gcd(getWidest(), getLineTaps());
  if (firstTap)
    divisor = std::gcd(divisor, run.divisor);
  while (int64_t(factors.size()) < run.taps) {
    int64_t tap = factors.size();
    int64_t width = getAlignedWidth(tap, run.taps, divisor);
    Value piece = load(filter, math.add(first, tap), /*inside=*/Value(), width);
    for (int64_t i = 0; i < width; ++i)
      factors.push_back(getNeighbour(builder, math.getLoc(), piece, i));
  }
  return factors;
}

//===----------------------------------------------------------------------===//
// Code that is written out
//===----------------------------------------------------------------------===//

/// Columns and factors that a run of so many taps loads.
int64_t DepthwiseLoops::countLoads(int64_t taps) const {
  Columns columns = form.getColumns(positions, taps);
  llvm::SmallDenseSet<int64_t> factors;
  for (const auto &[number, column] : columns)
    for (DepthwiseSum::RowTap reader : column.readers)
      factors.insert(reader.tap);
  return columns.size() + factors.size();
}

/// The taps of a run: a block, or, where that is too much code, the half of it,
/// or the half of that, …, where runs meet elements of x by the same taps. Only
/// a whole line may leave some behind.
int64_t DepthwiseLoops::getRunTaps() const {
  int64_t least = dilation / std::gcd(dilation, view.getStep().back());
  int64_t taps = block;
  while (taps > least && countLoads(taps) > kMostRunLoads) {
    taps = std::max(taps / 2 / least, int64_t(1)) * least;
    while (block != getLineTaps() && block % taps != 0)
      taps -= least;
  }
  return taps;
}

/// Whether all blocks are written out.
bool DepthwiseLoops::isUnrolled() {
  if (!op.hasFilterOfImage() &&
      std::min(countLines(), getLineTaps()) >= kLeastLoopedLines)
    return false;
  return op.getParts() == 1 &&
         view.getNumTaps() * positions * channels <= kMostUnrolledProducts &&
         countBlocks() * countLoads(block) <= kMostLoads && runTaps == block;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// The line of a block, and its first tap, null where a block is a whole line:
/// neighbours are where other threads of a workgroup read at the same time.
std::pair<Value, Value> DepthwiseLoops::getLineAndTap(Value number) {
  if (block == getLineTaps())
    return {number, Value()};
  if (!isFirst)
    return {math.rem(number, countLines()),
            math.mul(math.div(number, countLines()), block)};
  int64_t ofLine = getLineTaps() / block;
  return {math.div(number, ofLine), math.mul(math.rem(number, ofLine), block)};
}

/// Adds the products of a run. The line is that of the block's first tap.
void DepthwiseLoops::addRun(const Run &run, Line line, Value lineNumber,
                            Value firstTap, bool isShifted) {
  if (isShifted)
    line.shift = toElements(firstTap, view.getStep().back());
  SmallVector<Value> factors = loadFactors(run, lineNumber, firstTap);
  Columns columns = run.form.getColumns(positions, run.taps);
  Elements elements = loadColumns(run, line, columns);
  for (const auto &[number, column] : columns)
    for (DepthwiseSum::RowTap reader : column.readers) {
      Value &sum = sums[reader.row];
      sum = math::FmaOp::create(builder, math.getLoc(), elements[number],
                                factors[reader.tap], sum);
    }
}

/// Adds what the body adds, to sums that a loop carries.
void DepthwiseLoops::loopOver(Value first, Value end, Value step,
                              function_ref<void(Value)> body) {
  Location loc = math.getLoc();
  auto loop = scf::ForOp::create(builder, loc, first, end, step, sums);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  llvm::copy(loop.getRegionIterArgs(), sums.begin());
  body(loop.getInductionVar());
  scf::YieldOp::create(builder, loc, sums);
  llvm::copy(loop.getResults(), sums.begin());
}

/// A block in runs of neighbouring taps. Those that are left behind the last
/// run of a line are a shorter one, of which it is known where it lies.
void DepthwiseLoops::addRuns(const Line &line, Value lineNumber,
                             Value firstTap) {
  int64_t taps = runTaps, left = block % taps;
  auto addAt = [&](Value tap) {
    tap = firstTap ? math.add(firstTap, tap) : tap;
    addRun({form, taps, taps}, line, lineNumber, tap, /*isShifted=*/true);
  };
  loopOver(math.constant(0), math.constant(block - left), math.constant(taps),
           addAt);
  if (left == 0)
    return;
  Run rest = {form, left, taps};
  int last = rest.form.view.spatialRank - 1;
  rest.form.view.taps[last] = left;
  rest.form.view.offset[last] += (block - left) * rest.form.view.step[last];
  addRun(rest, line, lineNumber, math.constant(block - left),
         /*isShifted=*/false);
}

void DepthwiseLoops::addLine(const Line &line, Value lineNumber,
                             Value firstTap) {
  if (runTaps < block)
    return addRuns(line, lineNumber, firstTap);
  addRun({form, block, block}, line, lineNumber, firstTap,
         /*isShifted=*/bool(firstTap));
}

/// Adds a line to sums that stay as they are where it does not exist.
void DepthwiseLoops::addLineIfThere(Line line, Value lineNumber,
                                    Value firstTap) {
  Location loc = math.getLoc();
  auto branch = scf::IfOp::create(builder, loc, TypeRange(ValueRange(sums)),
                                  line.inside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, sums);
  builder.setInsertionPointToStart(branch.thenBlock());
  line.inside = Value();
  addLine(line, lineNumber, firstTap);
  scf::YieldOp::create(builder, loc, sums);
  llvm::copy(branch.getResults(), sums.begin());
}

void DepthwiseLoops::addBlock(Value number) {
  auto [lineNumber, firstTap] = getLineAndTap(number);
  Line line = getLine(lineNumber);
  if (line.inside && !isUnrolled() && !op.hasFilterOfImage())
    return addLineIfThere(line, lineNumber, firstTap);
  addLine(line, lineNumber, firstTap);
}

Value DepthwiseLoops::emit() {
  Location loc = math.getLoc();
  Type element = op.getResultType().getElementType();
  auto rowType = VectorType::get(channels, element);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(rowType));
  sums.assign(positions, zero);
  int64_t blocks = countBlocks();
  if (isUnrolled()) {
    for (int64_t number = 0; number < blocks; ++number)
      addBlock(math.constant(number));
  } else {
    // Neighbouring blocks, or those that neighbouring parts leave.
    Value first = isFirst ? part : math.mul(part, blocks);
    Value end = isFirst ? math.constant(op.getNumBlocks())
                        : math.add(first, math.constant(blocks));
    Value step = math.constant(isFirst ? op.getParts() : 1);
    loopOver(first, end, step, [&](Value number) { addBlock(number); });
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
  int64_t last = op.getFirstSpatialDim() + op.getView().getSpatialRank() - 1;
  int64_t channels = type.getDimSize(op.getChannelDim());
  if (type.getNumElements() != type.getDimSize(last) * channels ||
      (op.getChannelsFirst() && channels != 1))
    return op.emitOpError("cannot be part of a plain kernel: expected "
                          "positions of one line")
           << (op.getChannelsFirst() ? " and one channel" : "") << ", but got "
           << type;
  DepthwiseSum form = getDepthwiseSum(op);
  if (!form.getTileStep(type.getDimSize(last)) ||
      !form.getBlockStep(op.getBlock()))
    return op.emitOpError("cannot be part of a plain kernel: tiles of ")
           << type.getDimSize(last) << " positions and blocks of "
           << op.getBlock() << " taps differ in which of them meet an element "
           << "that has " << form.dilation[form.view.spatialRank - 1]
           << " places";
  op.getResult().replaceAllUsesWith(DepthwiseLoops(op).emit());
  op.erase();
  return success();
}
