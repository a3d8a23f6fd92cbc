//===- TileGather.cpp - a thread's part of a transposed tile --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//

#include "TileGather.h"

#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <deque>

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;
using convmlir::SharedTile;

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// Threads lie along the lines first, whole warps of them, for loads of whole
/// sectors; as many as have least to do. Those of a line share its arithmetic.
TileGather::TileGather(IndexMath &math, const PanelTile &tile, int64_t units,
                       int64_t run, const GatheringTeam &team,
                       int64_t mostLoads)
    : tile(tile), units(units), run(run),
      perChunk(convmlir::kChunkBytes * tile.getPanelColumns() /
               tile.getSpanBytes()),
      mostLoads(mostLoads) {
  int64_t least = 0, warps = team.warps;
  for (int64_t along = warps; along >= 1; --along) {
    if (warps % along != 0 ||
        (along < warps && getChunksPerLine() % (warps / along) != 0))
      continue;
    int64_t threads = along * conv::kWarpSize;
    int64_t sets = llvm::divideCeil(units, threads);
    int64_t chunks = llvm::divideCeil(getChunksPerLine(), warps / along);
    if (least > 0 && sets * chunks >= least)
      continue;
    least = sets * chunks;
    unitThreads = threads;
    chunkThreads = warps / along;
    numSets = sets;
    numChunks = chunks;
  }
  int64_t size = warps * conv::kWarpSize;
  Value own =
      math.rem(team.thread, kWarpgroupSize % size == 0 ? size : kWarpgroupSize);
  firstUnit = chunkThreads > 1 ? math.rem(own, unitThreads) : own;
  if (chunkThreads > 1)
    firstChunk = math.div(own, unitThreads);
  // Of eight lanes that store at the same time, no two meet in a bank: their
  // lines are all different modulo eight.
  constexpr int64_t lanes = SharedTile::kSwizzlePeriod / kMostRun;
  if (run > 1)
    isOdd = math.isBelow(math.constant(lanes - 1),
                         math.rem(own, SharedTile::kSwizzlePeriod));
}

Value TileGather::hasUnit(IndexMath &math, int64_t set) const {
  if (getUnitsBelow(set + 1) <= units)
    return Value();
  return math.isBelow(math.add(firstUnit, getUnitsBelow(set)), units);
}

Value TileGather::getChunk(IndexMath &math, int64_t chunk) const {
  if (!firstChunk)
    return math.constant(chunk);
  return math.add(firstChunk, chunk * chunkThreads);
}

Value TileGather::hasChunk(IndexMath &math, int64_t chunk) const {
  if ((chunk + 1) * chunkThreads <= getChunksPerLine())
    return Value();
  return math.isBelow(getChunk(math, chunk), getChunksPerLine());
}

/// Lines below by multiples of eight are permuted alike.
Value TileGather::getShared(IndexMath &math, Value line, int64_t below,
                            Value chunk) const {
  int64_t perPanel = tile.getPanelColumns() / perChunk;
  SharedTile panel(tile.getRows(), tile.getPanelColumns(),
                   tile.getSpanBytes() / tile.getPanelColumns());
  Value element = math.sharedElement(panel, line, math.rem(chunk, perPanel));
  element = math.add(
      element, math.mul(math.div(chunk, perPanel), tile.getPanelElements()));
  return math.add(element, below * tile.getPanelColumns());
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Whether the thread's lines and the channels of the chunk are in the tensor.
Value TileGather::isValid(IndexMath &math, const Copy &copy,
                          const Part &part) const {
  Value valid =
      math.both(math.both(copy.sets[part.set].inside, hasUnit(math, part.set)),
                hasChunk(math, part.chunk));
  if (!copy.channelsTested)
    return valid;
  Value channel =
      math.add(copy.channel, math.mul(getChunk(math, part.chunk), perChunk));
  return math.both(valid, math.isBelow(channel, copy.channels));
}

/// What lies outside is loaded from the tensor's first positions and replaced,
/// so that no branch stands between a thread's loads. Channels differ by
/// constants, which are part of the access.
void TileGather::load(IndexMath &math, const Copy &copy, Part &part) const {
  OpBuilder &builder = math.getBuilder();
  const GatheredLines &lines = copy.sets[part.set];
  Value chunk = getChunk(math, part.chunk);
  Value valid = isValid(math, copy, part);
  bool isTested = hasChunk(math, part.chunk) || copy.channelsTested;
  Value ofThread = isTested     ? chunk
                   : firstChunk ? firstChunk
                                : math.constant(0);
  int64_t first = isTested ? 0 : part.chunk * chunkThreads * perChunk;
  Value element =
      math.add(lines.element, math.mul(ofThread, perChunk * copy.pitch));
  element = math.select(valid, element, math.constant(0));
  Type type = cast<MemRefType>(copy.source.getType()).getElementType();
  for (int64_t channel = 0; channel < perChunk; ++channel) {
    Value index = math.add(element, (first + channel) * copy.pitch);
    if (run == 1)
      part.loaded.push_back(
          memref::LoadOp::create(builder, math.getLoc(), copy.source, index));
    else
      part.loaded.push_back(vector::LoadOp::create(
          builder, math.getLoc(), VectorType::get(run, type), copy.source,
          index, /*nontemporal=*/false,
          llvm::MaybeAlign(run * type.getIntOrFloatBitWidth() / 8)));
  }
}

/// The chunk of each line. Where there is one line of two, both are that.
SmallVector<TileGather::Stored>
TileGather::pack(IndexMath &math, const Copy &copy, const Part &part) const {
  OpBuilder &builder = math.getBuilder();
  Location loc = math.getLoc();
  Type type = cast<MemRefType>(copy.source.getType()).getElementType();
  auto chunkType = VectorType::get(perChunk, type);
  // Chosen as words, of which there are fewer than elements.
  auto wordsType =
      VectorType::get(convmlir::kChunkBytes / 4, builder.getI32Type());
  SmallVector<Value> chunks;
  for (int64_t line = 0; line < run; ++line) {
    SmallVector<Value> elements;
    for (Value loaded : part.loaded)
      elements.push_back(
          run == 1 ? loaded
                   : vector::ExtractOp::create(builder, loc, loaded, line));
    Value chunk =
        vector::FromElementsOp::create(builder, loc, chunkType, elements);
    chunks.push_back(vector::BitCastOp::create(builder, loc, wordsType, chunk));
  }
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(wordsType));
  const GatheredLines &lines = copy.sets[part.set];
  Value valid = isValid(math, copy, part);
  // The lines of a run change places where that avoids conflicts.
  Value isEven;
  if (run > 1)
    isEven = arith::XOrIOp::create(
        builder, loc, isOdd,
        arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 1));
  auto choose = [&](Value condition, Value a, Value b) {
    return condition ? math.select(condition, a, b) : b;
  };
  Value chunk = getChunk(math, part.chunk);
  SmallVector<Stored> result;
  for (int64_t turn = 0; turn < run; ++turn) {
    Value line = lines.line, words = chunks[turn];
    if (run > 1) {
      Value isSecond = turn == 0 ? isOdd : isEven;
      if (!lines.exist.empty())
        isSecond =
            math.select(lines.exist[0], math.both(isSecond, lines.exist[1]),
                        lines.exist[1]);
      line =
          math.add(line, choose(isSecond, math.constant(1), math.constant(0)));
      words = choose(isSecond, chunks[1], chunks[0]);
    }
    if (valid)
      words = math.select(valid, words, zero);
    result.push_back({words, getShared(math, line, lines.below, chunk)});
  }
  return result;
}

/// A thread without a unit in the last set stores what it has stored first
/// again: a branch would have the loads behind it.
void TileGather::store(IndexMath &math, const Copy &copy, const Part &part,
                       SmallVector<Stored> &first) const {
  OpBuilder &builder = math.getBuilder();
  Location loc = math.getLoc();
  Type type = cast<MemRefType>(copy.source.getType()).getElementType();
  auto chunkType = VectorType::get(perChunk, type);
  Value exists = hasUnit(math, part.set);
  SmallVector<Stored> stored = pack(math, copy, part);
  if (exists && part.set > 0) {
    for (auto [own, other] : llvm::zip_equal(stored, first)) {
      own.words = math.select(exists, own.words, other.words);
      own.element = math.select(exists, own.element, other.element);
    }
    exists = Value();
  }
  if (first.empty())
    first = stored;
  math.guard(math.both(exists, hasChunk(math, part.chunk)), [&] {
    for (Stored one : stored) {
      Value values =
          vector::BitCastOp::create(builder, loc, chunkType, one.words);
      vector::StoreOp::create(builder, loc, values, copy.dest, one.element,
                              /*nontemporal=*/false,
                              llvm::MaybeAlign(convmlir::kChunkBytes));
    }
  });
}

/// A chunk is stored when its registers are wanted for the loads of another.
void TileGather::emit(IndexMath &early, IndexMath &late,
                      const Copy &copy) const {
  std::deque<Part> parts;
  SmallVector<Stored> first;
  bool isEarly = true;
  auto storeFirst = [&] {
    isEarly = false;
    store(late, copy, parts.front(), first);
    parts.pop_front();
  };
  for (int64_t set = 0; set < numSets; ++set) {
    for (int64_t chunk = 0; chunk < numChunks; ++chunk) {
      if (!parts.empty() && int64_t(parts.size() + 1) * perChunk > mostLoads)
        storeFirst();
      parts.push_back({set, chunk, {}});
      load(isEarly ? early : late, copy, parts.back());
    }
  }
  while (!parts.empty())
    storeFirst();
}
