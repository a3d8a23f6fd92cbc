//===- ChannelCells.cpp - rows with zeros between them, channels first ----===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A `conv.scatter` with zero_fill of a staged part, in the order of memory, so
// that whole sectors are written. The unit is a position of the view with the
// zeros up to the next one in its row: a word. An image is a row of such words,
// most of them zeros, and those of a part are the ones from its first position
// to the first one of the part that follows. A warp stores 32 words of a
// channel, then of the next one of its channels.
//
//===----------------------------------------------------------------------===//

#include "ChannelRows.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;
using convmlir::SharedTile;

namespace {
/// The words of images, which are numbered one image after the other.
class Words {
public:
  Words(ScatterOp op, int64_t length) {
    ViewAttr view = op.getView();
    SmallVector<int64_t> shape = op.getTensorShape();
    batch = shape.front();
    rows.assign(view.getRows().begin(), view.getRows().end());
    cell.assign(view.getStride().begin(), view.getStride().end());
    extents.assign(shape.begin() + 1, shape.end() - 1);
    extents.back() /= length;
    cell.back() /= length;
    rowsOfImage = llvm::product_of(rows, int64_t(1));
    ofImage = llvm::product_of(extents, int64_t(1));
  }

  int64_t getNumInImage() const { return ofImage; }
  /// The most images that so many rows are of.
  int64_t getMostImages(int64_t number) const {
    return llvm::divideCeil(number - 1, rowsOfImage) + 1;
  }
  int64_t getNumber() const { return batch * ofImage; }

  /// The most words of so many rows.
  int64_t getMost(int64_t number) const {
    int64_t most = number, rowsInside = 1, wordsInside = 1;
    for (size_t dim = cell.size(); dim-- > 0;) {
      most +=
          llvm::divideCeil(number, rowsInside) * (cell[dim] - 1) * wordsInside;
      rowsInside *= rows[dim];
      wordsInside *= extents[dim];
    }
    return most;
  }

  /// The word of a row of the matrix.
  Value getWord(IndexMath &math, Value row) const {
    Value image = math.div(row, rowsOfImage);
    Value inside = math.rem(row, rowsOfImage);
    Value word = math.mul(image, ofImage);
    int64_t pitch = 1;
    for (size_t dim = cell.size(); dim-- > 0;) {
      Value index = math.rem(inside, rows[dim]);
      inside = math.div(inside, rows[dim]);
      word = math.add(word, math.mul(index, cell[dim] * pitch));
      pitch *= extents[dim];
    }
    return word;
  }

  /// The row of a word; `isRow` becomes whether it has one, null for always.
  Value getRow(IndexMath &math, Value word, Value &isRow) const {
    Value row = math.mul(math.div(word, ofImage), rowsOfImage);
    Value inside = math.rem(word, ofImage);
    int64_t pitch = 1;
    for (size_t dim = cell.size(); dim-- > 0;) {
      Value position = math.rem(inside, extents[dim]);
      inside = math.div(inside, extents[dim]);
      if (cell[dim] > 1)
        isRow = math.both(
            isRow, math.isBelow(math.rem(position, cell[dim]), int64_t(1)));
      row = math.add(row, math.mul(math.div(position, cell[dim]), pitch));
      pitch *= rows[dim];
    }
    return row;
  }

private:
  SmallVector<int64_t> rows, cell, extents; ///< In words.
  int64_t batch, rowsOfImage, ofImage;
};

/// The words of a part in the order in which lanes take them. Warps begin where
/// sectors do. So a channel's words of an image are numbered from a multiple of
/// a sector's words on, and from as far behind it as they begin in memory.
class LaneWords {
public:
  /// `channel` is the thread's first one, of so many in the tensor; its others
  /// are multiples of `step` away.
  LaneWords(IndexMath &math, const Words &words, int64_t ofSector, Value first,
            Value end, Value channel, int64_t channels, int64_t step)
      : words(words), ofSector(ofSector), first(first), end(end),
        channel(channel), channels(channels),
        // Else they begin at unlike places of a sector.
        isPadded(words.getNumInImage() % ofSector != 0 &&
                 words.getNumInImage() * step % ofSector == 0) {
    int64_t ofImage = words.getNumInImage();
    if (!isPadded) {
      start = math.sub(first, math.rem(first, ofSector));
      return;
    }
    padded = llvm::alignTo(ofImage + ofSector - 1, ofSector);
    firstImage = math.div(first, ofImage);
    Value number =
        math.add(math.rem(first, ofImage), getSkew(math, firstImage));
    start = math.sub(number, math.rem(number, ofSector));
  }

  /// So many numbers are those of the words of `rows` rows at most.
  int64_t getMost(int64_t rows) const {
    int64_t most = words.getMost(rows) + ofSector - 1;
    if (isPadded)
      most += words.getMostImages(rows) * (padded - words.getNumInImage());
    return most;
  }

  /// The word with this number; `exists` becomes whether it is one of the part.
  Value get(IndexMath &math, Value number, Value &exists) const {
    Value place = math.add(start, number), word = place;
    if (isPadded) {
      int64_t ofImage = words.getNumInImage();
      Value image = math.add(firstImage, math.div(place, padded));
      Value inside = math.sub(math.rem(place, padded), getSkew(math, image));
      exists = math.isBelow(inside, ofImage);
      word = math.add(math.mul(image, ofImage), inside);
    }
    exists = math.both(exists, math.isBelow(word, end));
    // What lies in front of the first one is a large unsigned number.
    exists = math.both(exists,
                       math.isBelow(math.sub(word, first), words.getNumber()));
    return word;
  }

private:
  /// Words from the sector's first one to the channel's in an image.
  Value getSkew(IndexMath &math, Value image) const {
    int64_t ofImage = words.getNumInImage();
    Value skew = math.mul(channel, ofImage % ofSector);
    if (int64_t ofImages = channels * ofImage % ofSector)
      skew = math.add(skew, math.mul(image, ofImages));
    return math.rem(skew, ofSector);
  }

  const Words &words;
  int64_t ofSector;
  Value first, end, channel;
  int64_t channels;
  bool isPadded;
  int64_t padded = 0; ///< Numbers of an image.
  Value firstImage, start;
};
} // namespace

void ChannelRows::storeCells(IndexMath &math, int64_t length, Value buffer,
                             Value flatDest, Value thread, int64_t numThreads,
                             Value firstRow, int64_t firstColumn) {
  constexpr int64_t lanes = 32, sectorBytes = 32;
  constexpr int64_t period = SharedTile::kSwizzlePeriod;
  OpBuilder &builder = math.getBuilder();
  Location loc = op.getLoc();
  int64_t bytes = elementType.getIntOrFloatBitWidth() / 8;
  auto type = VectorType::get(length, elementType);
  Words words(op, length);
  int64_t ofSector = std::max<int64_t>(sectorBytes / (length * bytes), 1);
  int64_t warps = numThreads / lanes;

  Value row = math.add(math.toValue(op.getRowOffset()), firstRow);
  Value first = words.getWord(math, row);
  Value next = words.getWord(math, math.add(row, tile.getColumns()));
  Value end = math.constant(words.getNumber());
  end = math.select(math.isBelow(next, end), next, end);
  ViewAddressing::Origin origin = view.getOrigin(math);
  Value lane = math.rem(thread, lanes), warp = math.div(thread, lanes);
  int64_t channels = op.getTensorShape().back();
  Value channel = math.add(origin.channelOfAll, math.add(warp, firstColumn));
  LaneWords laneWords(math, words, ofSector, first, end, channel, channels,
                      warps);
  int64_t number = laneWords.getMost(tile.getColumns());
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(elementType));
  Value zeros =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  int64_t imageElements = words.getNumInImage() * length;
  auto storeColumn = [&](Value inMemory, Value staged, Value isRow, int64_t j) {
    int64_t alike = j % (period / std::gcd(warps, period));
    Value element = math.add(
        math.sharedElementAt(tile, math.add(warp, alike * warps), staged),
        (j - alike) * warps * tile.getColumns());
    Value value = memref::LoadOp::create(builder, loc, buffer, element);
    value = math.select(isRow, value, zero);
    Value stored = vector::InsertOp::create(builder, loc, value, zeros, 0);
    vector::StoreOp::create(
        builder, loc, stored, flatDest,
        math.add(inMemory, j * warps * view.getColumnPitch()),
        /*nontemporal=*/false, llvm::MaybeAlign(length * bytes));
  };
  for (int64_t i = 0; i < number; i += lanes) {
    Value exists;
    Value word = laneWords.get(math, math.add(lane, i), exists);
    math.guard(exists, [&] {
      Value isRow;
      Value staged = math.sub(words.getRow(math, word, isRow), row);
      staged = math.select(isRow, staged, math.constant(0));
      ViewAddressing::Position position;
      position.element =
          math.add(math.mul(math.div(word, words.getNumInImage()),
                            imageElements * channels),
                   math.mul(math.rem(word, words.getNumInImage()), length));
      Value inMemory =
          view.getElement(math, position, origin, math.add(warp, firstColumn));
      for (int64_t j = 0; j * warps < tile.getRows(); ++j) {
        Value column = math.add(warp, j * warps);
        Value exists =
            view.isColumnInside(math, origin, math.add(column, firstColumn));
        if ((j + 1) * warps > tile.getRows())
          exists = math.both(exists, math.isBelow(column, tile.getRows()));
        math.guard(exists, [&] { storeColumn(inMemory, staged, isRow, j); });
      }
    });
  }
}
