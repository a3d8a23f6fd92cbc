//===- JoinImages.cpp - tiles made of whole images ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// engine.join_images to loads and stores of a thread. A thread has channels of
// its own, so that where its positions are in the images and in the tile are
// constants but for where the channel begins. It stores 16 bytes of the tile at
// a time: eight neighbouring channels have eight different chunks of a line of
// shared memory. Where there are fewer channels than threads, some have the
// first positions of a channel and others the next.
//
// Loads are of words of four bytes, or of eight or sixteen where images have
// positions for it. Of an odd number of positions every second channel begins
// within a word. Two neighbouring positions are then taken out of two words, as
// a funnel shift does: its distance depends on the channel, and on whether the
// image stands before an even or an odd number of positions of the tile.
//
//===----------------------------------------------------------------------===//

#include "JoinImages.h"

#include "Support/IndexMath.h"
#include "Support/TileChunks.h"
#include "conv/Dialect/Conv/IR/KernelPlan.h"
#include "conv/Geometry/SharedTile.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;
using convmlir::SharedTile;

/// Elements of a word, and words of a chunk, which is stored at once.
static constexpr int64_t kWord = 2, kWords = 4, kChunk = kWords * kWord;

namespace {
class Join {
public:
  /// The loads of so many chunks come before their stores.
  Join(JoinImagesOp op, int64_t warps, int64_t chunksAhead);
  void emit();

private:
  bool isOdd() const { return positions % kWord != 0; }
  /// Pairs of rows begin at even or at odd positions of an image.
  static int64_t getClass(int64_t image) { return image % kWord; }
  void findPlaces(IndexMath &place, Value channel);
  /// Chunks [begin, end) of the row of the tile so many channels behind the
  /// thread's first one.
  void copy(int64_t channel, int64_t begin, int64_t end);
  SmallVector<Value> loadChunk(int64_t channel, int64_t number);
  SmallVector<Value> loadAligned(int64_t channel, int64_t number);
  Value loadRows(int64_t channel, int64_t row);
  Value loadPair(int64_t channel, int64_t image, int64_t position,
                 bool onlyFirst = false);
  Value loadWord(int64_t channel, int64_t image, int64_t position);
  Value load(Value element, int64_t words);
  void store(int64_t channel, int64_t number, ArrayRef<Value> words);

  JoinImagesOp op;
  int64_t chunksAhead;
  int64_t images, channels, positions;
  PanelTile tile;
  int64_t threads;        ///< That share out the work,
  int64_t channelThreads; ///< and, of them, those with channels of their own.
  int64_t parts;          ///< Of a channel, for a thread each.
  Value source, dest;
  SmallVector<Value> places; ///< Of a panel's chunks in the channel's row.
  /// Of the first position of the channel; where their number is odd, of the
  /// word that holds the first of a pair, and the distance of the funnel shift,
  /// for each class.
  SmallVector<Value> firsts, shifts;
  IndexMath *math = nullptr;
  llvm::DenseMap<std::pair<int64_t, int64_t>, Value> loaded; ///< Words.
};
} // namespace

Join::Join(JoinImagesOp op, int64_t warps, int64_t chunksAhead)
    : op(op), chunksAhead(chunksAhead),
      images(op.getImagesType().getDimSize(0)),
      channels(op.getImagesType().getDimSize(1)),
      positions(op.getImagesType().getDimSize(2)),
      tile(op.getTileType().getDimSize(0), op.getTileType().getDimSize(1), 2),
      threads(warps * conv::kWarpSize),
      channelThreads(std::gcd(channels, threads)),
      parts(threads / channelThreads), source(getFlatView(op.getImages())),
      dest(getFlatView(op.getTile())) {}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

Value Join::load(Value element, int64_t words) {
  OpBuilder &builder = math->getBuilder();
  Location loc = math->getLoc();
  auto type = VectorType::get(words * kWord, op.getTileType().getElementType());
  Value elements = vector::LoadOp::create(builder, loc, type, source, element,
                                          /*nontemporal=*/false,
                                          llvm::MaybeAlign(2 * words * kWord));
  return vector::BitCastOp::create(
      builder, loc, VectorType::get(words, builder.getI32Type()), elements);
}

/// What a chunk has behind the last image is zero.
SmallVector<Value> Join::loadAligned(int64_t channel, int64_t number) {
  OpBuilder &builder = math->getBuilder();
  SmallVector<Value> words;
  int64_t run = std::gcd(kChunk, positions) / kWord;
  for (int64_t i = 0; i < kWords; i += run) {
    int64_t row = number * kChunk + i * kWord;
    if (row >= images * positions) {
      words.append(run, math->constant32(0));
      continue;
    }
    int64_t distance =
        (row / positions * channels + channel) * positions + row % positions;
    Value together = load(math->add(firsts.front(), distance), run);
    for (int64_t j = 0; j < run; ++j)
      words.push_back(
          vector::ExtractOp::create(builder, math->getLoc(), together, j));
  }
  return words;
}

/// That holds a position, the first of a pair, or the one before or behind it.
Value Join::loadWord(int64_t channel, int64_t image, int64_t position) {
  int64_t first = getClass(image);
  int64_t distance =
      (image * channels + channel) * positions + position - first;
  Value &word = loaded[{image, distance}];
  if (word)
    return word;
  Value element = math->add(firsts[first], distance);
  // The last channel may begin with a word, and has none behind its last one.
  int64_t last = images * channels * positions - kWord;
  if (image == images - 1 && position >= positions)
    element = math->select(math->isBelow(element, last), element,
                           math->constant(last));
  return word = vector::ExtractOp::create(math->getBuilder(), math->getLoc(),
                                          load(element, /*words=*/1), 0);
}

/// A position and the next one. With `onlyFirst`, the high half is undefined.
Value Join::loadPair(int64_t channel, int64_t image, int64_t position,
                     bool onlyFirst) {
  Value low = loadWord(channel, image, position);
  Value high = onlyFirst ? low : loadWord(channel, image, position + kWord);
  return LLVM::FshrOp::create(math->getBuilder(), math->getLoc(), high, low,
                              shifts[getClass(image)]);
}

/// `row`, an even one, and the next.
Value Join::loadRows(int64_t channel, int64_t row) {
  int64_t image = row / positions, position = row % positions;
  if (image >= images)
    return math->constant32(0);
  if (position + 1 < positions)
    return loadPair(channel, image, position);
  OpBuilder &builder = math->getBuilder();
  Location loc = math->getLoc();
  constexpr int64_t lowHalf = 0xffff;
  Value low = arith::AndIOp::create(
      builder, loc, loadPair(channel, image, position, /*onlyFirst=*/true),
      math->constant32(lowHalf));
  if (image + 1 == images)
    return low;
  Value high =
      arith::AndIOp::create(builder, loc, loadPair(channel, image + 1, -1),
                            math->constant32(~lowHalf));
  return math->bitOr(low, high);
}

SmallVector<Value> Join::loadChunk(int64_t channel, int64_t number) {
  if (!isOdd())
    return loadAligned(channel, number);
  SmallVector<Value> words;
  for (int64_t i = 0; i < kWords; ++i)
    words.push_back(loadRows(channel, number * kChunk + i * kWord));
  return words;
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// The swizzle repeats within a multiple of the threads.
void Join::store(int64_t channel, int64_t number, ArrayRef<Value> words) {
  OpBuilder &builder = math->getBuilder();
  Location loc = math->getLoc();
  Value chunk = vector::FromElementsOp::create(
      builder, loc, VectorType::get(kWords, builder.getI32Type()), words);
  chunk = vector::BitCastOp::create(
      builder, loc, VectorType::get(kChunk, op.getTileType().getElementType()),
      chunk);
  int64_t perPanel = places.size();
  vector::StoreOp::create(
      builder, loc, chunk, dest,
      math->add(places[number % perPanel],
                number / perPanel * tile.getPanelElements() +
                    channel * tile.getPanelColumns()),
      /*nontemporal=*/false, llvm::MaybeAlign(convmlir::kChunkBytes));
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

void Join::findPlaces(IndexMath &place, Value channel) {
  int64_t columns = tile.getPanelColumns();
  SharedTile panel(tile.getRows(), columns, 2);
  for (int64_t column = 0; column < columns; column += kChunk)
    places.push_back(
        place.sharedElementAt(panel, channel, place.constant(column)));
  Value first = place.mul(channel, positions);
  if (!isOdd()) {
    firsts.push_back(first);
    return;
  }
  constexpr int64_t halfBits = 16;
  for (int64_t i = 0; i < kWord; ++i) {
    Value element = place.add(first, i), inWord = place.rem(element, kWord);
    firsts.push_back(place.sub(element, inWord));
    shifts.push_back(place.toInt32(place.mul(inWord, halfBits)));
  }
}

void Join::copy(int64_t channel, int64_t begin, int64_t end) {
  for (int64_t next = begin; next < end; next += chunksAhead) {
    SmallVector<SmallVector<Value>> chunks;
    for (int64_t i = next; i < std::min(end, next + chunksAhead); ++i)
      chunks.push_back(loadChunk(channel, i));
    for (auto [i, words] : llvm::enumerate(chunks))
      store(channel, next + i, words);
  }
  loaded.clear();
}

void Join::emit() {
  Value thread = getThreadIndex(op->getParentOfType<gpu::GPUFuncOp>());
  OpBuilder outside(op->getContext()), inside(op);
  setInsertionPointAfter(outside, thread);
  IndexMath place(outside, op.getLoc()), late(inside, op.getLoc());
  math = &late;
  Value own = getSharingIndex(place, thread, threads);
  findPlaces(place, place.rem(own, channelThreads));
  Value part = place.div(own, channelThreads);
  int64_t numChunks = llvm::divideCeil(images * positions, kChunk);
  int64_t ofPart = llvm::divideCeil(numChunks, parts);
  for (int64_t p = 0; p < parts && p * ofPart < numChunks; ++p) {
    Value isOwn = parts == 1 ? Value()
                             : arith::CmpIOp::create(inside, op.getLoc(),
                                                     arith::CmpIPredicate::eq,
                                                     part, late.constant(p));
    late.guard(isOwn, [&] {
      for (int64_t turn = 0; turn < channels; turn += channelThreads)
        copy(turn, p * ofPart, std::min(numChunks, (p + 1) * ofPart));
    });
  }
}

LogicalResult conv::lowerJoin(JoinImagesOp op) {
  FailureOr<int64_t> warps = getSharingWarps(op);
  if (failed(warps))
    return failure();
  FailureOr<int64_t> loads = getLoadsAhead(op);
  if (failed(loads))
    return failure();
  Join(op, *warps, *loads).emit();
  op.erase();
  return success();
}
