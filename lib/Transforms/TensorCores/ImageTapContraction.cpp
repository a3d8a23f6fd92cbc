//===- ImageTapContraction.cpp - wgrad with images in registers -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: `vector.contract` of a tile of dy, K-major, and the taps of a block of
// positions, which `engine.read_image_taps` reads from boxes of x as it lies;
// the `conv.scatter` of the sums. Output: for each 16 positions and each tap one
// `engine.register_mma`, whose rows are the 64 channels of the warpgroup and
// whose columns are the filters; stores of these sums.
//
// A thread has of each 16 positions two pairs of neighbours, of two channels. A
// pair is a word of shared memory, or made of two: where a tap shifts positions
// by an odd number, or a stride leaves others between them. Where a pair lies
// is a sum of what the thread adds, of what its lane adds among the four that
// have the same channels, where a row ends between them, and of a constant. So
// most loads differ by a constant, and taps of a row share words. Elements that
// are padding are cleared by masks of the lane.
//
// The words of some steps are loaded ahead of their products: registers are
// read while an instruction runs, and written again when it is over.
//
//===----------------------------------------------------------------------===//

#include "Support/TileChunks.h"
#include "Support/ViewAddressing.h"
#include "TileDistribution.h"
#include "conv/Dialect/Conv/IR/KernelPlan.h"
#include "conv/Dialect/Engine/IR/EngineOps.h"
#include "conv/Geometry/ImageTaps.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <map>

using namespace mlir;
using namespace mlir::conv;
using convmlir::ImageTaps;

/// Positions of an instruction, and of a group of which a lane has a pair;
/// lanes that have the same channels; channels from one to the other.
static constexpr int64_t kStep = ImageTaps::kStep, kGroup = 8, kLanes = 4,
                         kOther = 8;
static_assert(kStep == RegisterMmaOp::kStep);

/// The first of the channels of which a thread has positions, and sums.
static Value getChannel(IndexMath &math, TileDistribution &distribution) {
  Value thread = math.rem(distribution.thread, kWarpgroupSize);
  Value ofWarp = math.rem(thread, conv::kWarpSize);
  return math.add(math.mul(distribution.getWarpgroup(), kRowsOfWgmma),
                  math.add(math.mul(math.div(thread, conv::kWarpSize),
                                    FragmentLayout::kBlockM),
                           math.div(ofWarp, kLanes)));
}

/// Of the thread, among those that have the same channels.
static Value getLane(IndexMath &math, TileDistribution &distribution) {
  return math.rem(distribution.thread, kLanes);
}

/// A number for each of the lanes that have the same channels.
using LaneTable = std::array<int64_t, kLanes>;

namespace mlir::conv {

/// What a thread has read of a block.
class ImageBlock {
public:
  ImageBlock(ReadImageTapsOp op, TileDistribution &distribution);

  /// Reads, in front of `place`, what taps have of the steps up to this one, if
  /// there are so many.
  void readUpTo(Operation *place, int64_t step);
  /// The registers of A: of two groups of positions those of two channels.
  ArrayRef<Value> getFragments(int64_t step, int64_t tap) const {
    return fragments[step * block.numTaps() + tap];
  }

private:
  SmallVector<Value> readFragments(int64_t step, int64_t tap);
  /// Where lanes find one element of their pairs; nothing where none has one.
  struct Element {
    int64_t first;     ///< Of lane 0, of others 2 * columnStride * lane more,
    LaneTable further; ///< and so much,
    LaneTable exists;  ///< if there is one.
  };
  std::optional<Element> getElement(int64_t position, int64_t tap) const;
  Value getPair(const std::optional<Element> &first,
                const std::optional<Element> &second, int64_t other);
  Value getWord(const Element &element, int64_t other);
  Value getMask(const std::optional<Element> &first,
                const std::optional<Element> &second);
  Value lookUp(const LaneTable &table, bool isMask);

  OpBuilder builder;
  Location loc;
  IndexMath math;
  ImageTaps block;
  int64_t steps, channels, length;
  std::optional<int64_t> front; ///< If it is constant.
  VectorType wordType;
  Value lane;  ///< Among the four.
  Value flat;  ///< The boxes as one row.
  Value start; ///< The thread's first element.
  /// Of a step, by what lanes add, the constant and the channel.
  std::map<std::tuple<LaneTable, int64_t, int64_t>, Value> words;
  std::map<std::pair<LaneTable, bool>, Value> tables;
  SmallVector<SmallVector<Value>> fragments; ///< Of steps, and of their taps.
};

} // namespace mlir::conv

static ImageTaps getBlock(ReadImageTapsOp op) {
  ImageTaps block;
  block.width = op.getWidth();
  block.tapRows = op.getTaps()[0];
  block.tapColumns = op.getTaps()[1];
  block.extent = op.getExtent();
  block.column = op.getColumn();
  block.margin = op.getMargin();
  block.columnStride = op.getColumns()[0];
  block.columnStep = op.getColumns()[1];
  block.rowStride = op.getRows()[0];
  block.rowStep = op.getRows()[1];
  return block;
}

ImageBlock::ImageBlock(ReadImageTapsOp op, TileDistribution &distribution)
    : builder(op), loc(op.getLoc()), math(builder, loc), block(getBlock(op)),
      steps(op.getType().getDimSize(0) / kStep),
      channels(op.getBoxesType().getDimSize(1)),
      length(op.getBoxesType().getDimSize(2)),
      front(getConstantIntValue(op.getFront())),
      wordType(VectorType::get(2, op.getBoxesType().getElementType())),
      flat(getFlatView(op.getBoxes())) {
  lane = getLane(math, distribution);
  start = math.add(math.mul(getChannel(math, distribution), length),
                   math.mul(lane, 2 * block.columnStride));
  if (!front)
    start = math.add(start, op.getFront());
}

std::optional<ImageBlock::Element> ImageBlock::getElement(int64_t position,
                                                          int64_t tap) const {
  Element element = {0, {}, {}};
  bool isFirst = true;
  for (int64_t i = 0; i < kLanes; ++i) {
    std::optional<int64_t> at = block.getElement(position + 2 * i, tap);
    element.exists[i] = at.has_value();
    if (!at)
      continue;
    int64_t place = *at + front.value_or(0);
    place = place / length * channels * length + place % length;
    place -= 2 * i * block.columnStride;
    if (isFirst)
      element.first = place;
    isFirst = false;
    element.further[i] = place - element.first;
  }
  return isFirst ? std::nullopt : std::optional(element);
}

/// A table's entry of the lane: constants at most three of which differ.
Value ImageBlock::lookUp(const LaneTable &table, bool isMask) {
  Value &value = tables[{table, isMask}];
  if (value)
    return value;
  auto constant = [&](int64_t number) {
    return isMask ? math.constant32(number) : math.constant(number);
  };
  value = constant(table[0]);
  for (int64_t i = 1; i < kLanes; ++i) {
    if (table[i] == table[i - 1])
      continue;
    Value isBehind = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::uge, lane, math.constant(i));
    value = math.select(isBehind, constant(table[i]), value);
  }
  return value;
}

/// The word that holds the element.
Value ImageBlock::getWord(const Element &element, int64_t other) {
  int64_t first = element.first & ~int64_t(1);
  Value &word = words[{element.further, first, other}];
  if (word)
    return word;
  Value at = start;
  if (element.further != LaneTable{})
    at = math.add(at, lookUp(element.further, /*isMask=*/false));
  at = math.add(at, first + other * kOther * length);
  word = vector::LoadOp::create(builder, loc, wordType, flat, at,
                                /*nontemporal=*/false, llvm::MaybeAlign(4));
  return word;
}

/// The bits of what lanes have of a pair; null where all have both.
Value ImageBlock::getMask(const std::optional<Element> &first,
                          const std::optional<Element> &second) {
  LaneTable masks;
  bool isWhole = true;
  for (int64_t i = 0; i < kLanes; ++i) {
    masks[i] = (first && first->exists[i] ? 0xFFFF : 0) |
               (second && second->exists[i] ? 0xFFFF0000 : 0);
    isWhole &= masks[i] == 0xFFFFFFFF;
  }
  return isWhole ? Value() : lookUp(masks, /*isMask=*/true);
}

Value ImageBlock::getPair(const std::optional<Element> &first,
                          const std::optional<Element> &second, int64_t other) {
  if (!first && !second)
    return arith::ConstantOp::create(builder, loc,
                                     builder.getZeroAttr(wordType));
  const Element &low = first ? *first : *second;
  const Element &high = second ? *second : *first;
  Value lowWord = getWord(low, other), highWord = getWord(high, other);
  int64_t ofLow = low.first & 1, ofHigh = high.first & 1;
  Value pair = lowWord;
  if (lowWord != highWord || ofLow != 0 || ofHigh != 1)
    pair = vector::ShuffleOp::create(builder, loc, lowWord, highWord,
                                     ArrayRef<int64_t>{ofLow, 2 + ofHigh});
  Value mask = getMask(first, second);
  if (!mask)
    return pair;
  auto bits = VectorType::get(1, builder.getI32Type());
  Value word = vector::ExtractOp::create(
      builder, loc, vector::BitCastOp::create(builder, loc, bits, pair), 0);
  word = arith::AndIOp::create(builder, loc, word, mask);
  return vector::BitCastOp::create(
      builder, loc, wordType,
      vector::BroadcastOp::create(builder, loc, bits, word));
}

void ImageBlock::readUpTo(Operation *place, int64_t step) {
  builder.setInsertionPoint(place);
  while (int64_t(fragments.size()) <
         std::min(step + 1, steps) * block.numTaps()) {
    int64_t next = fragments.size();
    // Words that taps of other rows share, steps later, would stay in
    // registers.
    if (next % block.numTaps() == 0)
      words.clear();
    fragments.push_back(
        readFragments(next / block.numTaps(), next % block.numTaps()));
  }
}

SmallVector<Value> ImageBlock::readFragments(int64_t step, int64_t tap) {
  SmallVector<Value> registers;
  for (int64_t group : {0, 1})
    for (int64_t other : {0, 1}) {
      int64_t position = step * kStep + group * kGroup;
      registers.push_back(getPair(getElement(position, tap),
                                  getElement(position + 1, tap), other));
    }
  return registers;
}

//===----------------------------------------------------------------------===//
// The contraction
//===----------------------------------------------------------------------===//

/// dy[m, p] * x[p, t, n] to [m, t, n].
static bool isTapProduct(vector::ContractionOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (maps[2].getNumResults() != 3 || maps[0].getNumResults() != 2)
    return false;
  SmallVector<AffineExpr> ofX(maps[2].getResults());
  ofX.front() = maps[0].getResult(1);
  return maps[0].getResult(0) == maps[2].getResult(0) &&
         !maps[2].isFunctionOfDim(maps[0].getDimPosition(1)) &&
         maps[1].getResults() == ArrayRef(ofX);
}

/// What reads the taps, of all positions of a block or of some.
static ReadImageTapsOp getTaps(vector::ContractionOp op) {
  Value taps = op.getRhs();
  if (auto part = taps.getDefiningOp<vector::ExtractStridedSliceOp>())
    taps = part.getSource();
  return taps.getDefiningOp<ReadImageTapsOp>();
}

bool mlir::conv::multipliesImageTaps(vector::ContractionOp op) {
  return bool(getTaps(op));
}

ImageBlock &TileDistribution::getImageBlock(ReadImageTapsOp op) {
  std::shared_ptr<ImageBlock> &block = imageBlocks[op];
  if (!block)
    block = std::make_shared<ImageBlock>(op, *this);
  return *block;
}

LogicalResult mlir::conv::distributeImageTaps(vector::ContractionOp op,
                                              TileDistribution &distribution) {
  auto dy = op.getLhs().getDefiningOp<vector::TransferReadOp>();
  std::optional<int64_t> first =
      dy ? getConstantIntValue(dy.getIndices().back()) : std::nullopt;
  ReadImageTapsOp x = getTaps(op);
  auto ofDy = cast<VectorType>(op.getLhs().getType());
  int64_t filters = ofDy.getDimSize(0), positions = ofDy.getDimSize(1);
  if (!first || !x || !isTapProduct(op) || *first % kStep != 0 ||
      positions % kStep != 0)
    return op.emitOpError("must be the product of a tile of dy, K-major, and "
                          "taps of images, of a multiple of 16 positions");
  Location loc = op.getLoc();
  int64_t taps = x.getType().getDimSize(1);
  int64_t begin = *first / kStep, end = (*first + positions) / kStep;
  FailureOr<int64_t> ahead = getLoadsAhead(op);
  if (failed(ahead))
    return failure();
  ImageBlock &block = distribution.getImageBlock(x);
  auto multiply = [&](OpBuilder &builder, ArrayRef<Value> before) {
    SmallVector<Value> sums(before);
    for (int64_t step = begin; step < end; ++step) {
      block.readUpTo(op, step + *ahead - 1);
      NVVM::WgmmaFenceAlignedOp::create(builder, loc);
      for (int64_t tap = 0; tap < taps; ++tap)
        sums[tap] =
            RegisterMmaOp::create(builder, loc, block.getFragments(step, tap),
                                  dy.getBase(), step * kStep, sums[tap]);
      NVVM::WgmmaGroupSyncAlignedOp::create(builder, loc);
      if (step + 1 < end)
        NVVM::WgmmaWaitGroupSyncOp::create(builder, loc, 1);
    }
    return sums;
  };
  return distributeGroups(op, SmallVector<int64_t>(taps, filters), distribution,
                          multiply);
}

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

/// Eight lanes have neighbouring channels of a filter, and two filters each.
void mlir::conv::storeImageTaps(ScatterOp op, TileDistribution &distribution) {
  const FragmentLayout &layout = distribution.layout;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  IndexMath math(builder, loc);
  int64_t channels = layout.getTapColumns();
  int64_t taps = layout.getTileN() / channels;
  Type element = op.getDestType().getElementType();
  ViewAddressing view(ViewTile(op), op.getTensorShape(), layout.getTileM(),
                      channels, ChangingOffsets(), op.getChannelsFirst());
  SmallVector<ViewAddressing::Origin> origins =
      view.getOrigins(math, math.constant(0), taps);
  Value flat = getFlatView(op.getDest());
  Value lane = getLane(math, distribution);
  Value column = getChannel(math, distribution);
  ArrayRef<Value> fragments = distribution.getFragments(op.getValue());
  auto single = VectorType::get(1, element);
  for (int64_t n = 0; n < layout.getBlocksN(); ++n)
    for (int64_t j = 0; j < FragmentLayout::kHeldN; ++j) {
      Value filter = math.add(math.mul(lane, FragmentLayout::kHeldN),
                              n * FragmentLayout::kBlockN + j);
      auto row = view.getRow(math, filter);
      math.guard(view.isInside(math, row, origins.front()), [&] {
        for (int64_t tap = 0; tap < taps; ++tap)
          for (int64_t i = 0; i < FragmentLayout::kHeldM; ++i) {
            Value at = math.add(column, i * FragmentLayout::kHeldStepM);
            math.guard(view.isColumnInside(math, origins[tap], at), [&] {
              Value held = vector::ExtractOp::create(
                  builder, loc, fragments[layout.getBlock(tap, n)],
                  ArrayRef<int64_t>{i, j});
              vector::StoreOp::create(
                  builder, loc,
                  vector::BroadcastOp::create(builder, loc, single, held), flat,
                  view.getElement(math, row, origins[tap], at));
            });
          }
      });
    }
}
