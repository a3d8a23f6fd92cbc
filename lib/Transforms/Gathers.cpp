//===- Gathers.cpp - tiles that threads transpose -------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *line* of a tile is a position, 16 bytes of it a *chunk* of channels. The
// tensor has the positions of a channel next to each other. So lanes have
// neighbouring lines, and a thread loads all channels of a chunk, one by one,
// from its own line, or from two lines at once where these are aligned
// neighbours in memory. Then it has whole chunks, which it stores where the
// swizzle wants them.
//
// What bounds the rate is the number of loads on their way, each of which holds
// a register. As many as there are registers come before the first store.
//
//===----------------------------------------------------------------------===//

#include "Gathers.h"

#include "IndexMath.h"
#include "TileChunks.h"
#include "ViewAddressing.h"
#include "Warpgroups.h"
#include "conv/Transforms/SharedTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <deque>

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;
using convmlir::SharedTile;

/// Registers of a thread besides those of loads on their way.
static constexpr int64_t kOtherRegisters = 56;
/// Lines that a load reads at most: what one register holds.
static constexpr int64_t kMostRun = 2;

namespace {

/// Lines that a thread reads at once, of the channel at which the tile begins.
struct GatheredLines {
  Value element; ///< Linear index in the tensor.
  Value inside;  ///< Null: always.
};

/// Warps of the producer that copy a tile together, a thread's index in the
/// workgroup, and the registers of each.
struct Team {
  int64_t warps, registers;
  Value thread;
};

/// How the producer's threads divide a tile, and a thread's part of it.
class TileGather {
public:
  /// `run` lines at a time. What the thread's index says is computed at the
  /// builder.
  TileGather(IndexMath &math, const PanelTile &tile, int64_t run,
             const Team &team);

  /// Sets of `run` lines that a thread has.
  int64_t getNumSets() const { return numSets; }
  /// The first line of a set.
  Value getLine(IndexMath &math, int64_t set) const;
  /// Whether the tile has the lines of a set; null: always.
  Value hasLines(IndexMath &math, int64_t set) const;

  /// What a copy reads and writes, seen as rows of elements.
  struct Copy {
    Value source, dest;
    int64_t pitch;       ///< Elements between two channels.
    Value channel;       ///< At which the tile begins.
    int64_t channels;    ///< Of the tensor.
    bool channelsTested; ///< The tile may reach past them.
    SmallVector<GatheredLines> sets;
  };
  void emit(IndexMath &math, const Copy &copy) const;

private:
  /// A chunk of each line of a set.
  struct Part {
    int64_t set, chunk;
    Value valid; ///< Zero elsewhere; null: always.
    SmallVector<Value> loaded;
  };
  void load(IndexMath &math, const Copy &copy, Part &part) const;
  void store(IndexMath &math, const Copy &copy, const Part &part) const;
  Value getChunk(IndexMath &math, int64_t chunk) const;
  Value hasChunk(IndexMath &math, int64_t chunk) const;
  Value getShared(IndexMath &math, Value line, int64_t set, Value chunk) const;
  int64_t getChunksPerLine() const { return tile.getColumns() / perChunk; }

  PanelTile tile;
  int64_t run, perChunk;
  int64_t mostLoads;                 ///< On their way.
  int64_t lineThreads, chunkThreads; ///< Side by side.
  int64_t numSets, numChunks;        ///< Of a thread.
  Value firstLine, firstChunk;       ///< The latter null where it is 0.
  Value isOdd;                       ///< Stores the second line first.
};

} // namespace

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// Threads lie along the lines first, whole warps of them, for loads of whole
/// sectors; as many as have least to do. Those of a line share its arithmetic.
TileGather::TileGather(IndexMath &math, const PanelTile &tile, int64_t run,
                       const Team &team)
    : tile(tile), run(run),
      perChunk(convmlir::kChunkBytes * tile.getPanelColumns() /
               tile.getSpanBytes()),
      mostLoads(team.registers - kOtherRegisters) {
  int64_t least = 0, warps = team.warps;
  for (int64_t along = warps; along >= 1; --along) {
    if (warps % along != 0)
      continue;
    int64_t threads = along * conv::kWarpSize;
    int64_t sets = llvm::divideCeil(tile.getRows(), threads * run);
    int64_t chunks = llvm::divideCeil(getChunksPerLine(), warps / along);
    if (least > 0 && sets * chunks >= least)
      continue;
    least = sets * chunks;
    lineThreads = threads;
    chunkThreads = warps / along;
    numSets = sets;
    numChunks = chunks;
  }
  int64_t size = warps * conv::kWarpSize;
  Value own =
      math.rem(team.thread, kWarpgroupSize % size == 0 ? size : kWarpgroupSize);
  firstLine =
      math.mul(chunkThreads > 1 ? math.rem(own, lineThreads) : own, run);
  if (chunkThreads > 1)
    firstChunk = math.div(own, lineThreads);
  // Of eight lanes that store at the same time, no two meet in a bank: their
  // lines are all different modulo eight.
  constexpr int64_t lanes = SharedTile::kSwizzlePeriod / kMostRun;
  if (run > 1)
    isOdd = math.isBelow(math.constant(lanes - 1),
                         math.rem(own, SharedTile::kSwizzlePeriod));
}

Value TileGather::getLine(IndexMath &math, int64_t set) const {
  return math.add(firstLine, set * lineThreads * run);
}

Value TileGather::hasLines(IndexMath &math, int64_t set) const {
  if ((set + 1) * lineThreads * run <= tile.getRows())
    return Value();
  return math.isBelow(getLine(math, set), tile.getRows());
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

/// Lines of later sets are permuted like those of the first.
Value TileGather::getShared(IndexMath &math, Value line, int64_t set,
                            Value chunk) const {
  int64_t perPanel = tile.getPanelColumns() / perChunk;
  SharedTile panel(tile.getRows(), tile.getPanelColumns(),
                   tile.getSpanBytes() / tile.getPanelColumns());
  Value element = math.sharedElement(panel, line, math.rem(chunk, perPanel));
  element = math.add(
      element, math.mul(math.div(chunk, perPanel), tile.getPanelElements()));
  return math.add(element, set * lineThreads * run * tile.getPanelColumns());
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// What lies outside is loaded from the tensor's first positions and replaced,
/// so that no branch stands between a thread's loads. Channels differ by
/// constants, which are part of the access.
void TileGather::load(IndexMath &math, const Copy &copy, Part &part) const {
  OpBuilder &builder = math.getBuilder();
  const GatheredLines &lines = copy.sets[part.set];
  Value chunk = getChunk(math, part.chunk);
  Value exists = hasChunk(math, part.chunk);
  bool isTested = exists || copy.channelsTested;
  part.valid =
      math.both(math.both(lines.inside, hasLines(math, part.set)), exists);
  if (copy.channelsTested)
    part.valid = math.both(
        part.valid,
        math.isBelow(math.add(copy.channel, math.mul(chunk, perChunk)),
                     copy.channels));
  Value ofThread = isTested     ? chunk
                   : firstChunk ? firstChunk
                                : math.constant(0);
  int64_t first = isTested ? 0 : part.chunk * chunkThreads * perChunk;
  Value element =
      math.add(lines.element, math.mul(ofThread, perChunk * copy.pitch));
  element = math.select(part.valid, element, math.constant(0));
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

void TileGather::store(IndexMath &math, const Copy &copy,
                       const Part &part) const {
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
  Value exists =
      math.both(hasLines(math, part.set), hasChunk(math, part.chunk));
  Value chunk = getChunk(math, part.chunk);
  math.guard(exists, [&] {
    for (int64_t turn = 0; turn < run; ++turn) {
      Value line = firstLine, words = chunks[turn];
      if (run > 1) {
        line = math.add(line, math.select(isOdd, math.constant(run - 1 - turn),
                                          math.constant(turn)));
        words = math.select(isOdd, chunks[run - 1 - turn], words);
      }
      if (part.valid)
        words = math.select(part.valid, words, zero);
      Value values = vector::BitCastOp::create(builder, loc, chunkType, words);
      vector::StoreOp::create(builder, loc, values, copy.dest,
                              getShared(math, line, part.set, chunk),
                              /*nontemporal=*/false,
                              llvm::MaybeAlign(convmlir::kChunkBytes));
    }
  });
}

/// A chunk is stored when its registers are wanted for the loads of another.
void TileGather::emit(IndexMath &math, const Copy &copy) const {
  std::deque<Part> parts;
  auto storeFirst = [&] {
    store(math, copy, parts.front());
    parts.pop_front();
  };
  for (int64_t set = 0; set < numSets; ++set) {
    for (int64_t chunk = 0; chunk < numChunks; ++chunk) {
      if (int64_t(parts.size() + 1) * perChunk > mostLoads)
        storeFirst();
      parts.push_back({set, chunk, Value(), {}});
      load(math, copy, parts.back());
    }
  }
  while (!parts.empty())
    storeFirst();
}

//===----------------------------------------------------------------------===//
// Tiles of a view
//===----------------------------------------------------------------------===//

static FailureOr<PanelTile> getPanelTile(Operation *op, MemRefType type) {
  int64_t bits = type.getElementTypeBitWidth();
  int64_t rows = llvm::product_of(type.getShape().drop_back(), int64_t(1));
  if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type) || bits != 16 ||
      !PanelTile::isPossible(type.getShape().back(), bits / 8))
    return op->emitOpError()
           << "gathers a tile of 16-bit elements in workgroup memory, with "
              "rows of a multiple of "
           << +PanelTile::kMinSpanBytes << " bytes, but its destination is "
           << type;
  return PanelTile(rows, type.getShape().back(), bits / 8);
}

static FailureOr<Team> getTeam(Operation *op) {
  auto warps = op->getAttrOfType<IntegerAttr>(kProducersAttrName);
  auto func = op->getParentOfType<gpu::GPUFuncOp>();
  auto schedule =
      func->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
  if (!warps || !schedule)
    return op->emitOpError()
           << "gathers by warps of a producer, and needs '"
           << kProducersAttrName << "', their number, in a kernel with a "
           << "schedule";
  return Team{warps.getInt(), getProducerRegisters(schedule),
              getThreadIndex(func)};
}

/// Lines that a load can read at once. Taps move them by any distance.
static int64_t getRun(Im2colOp op, const ViewAddressing &view) {
  bool hasTaps = llvm::any_of(
      op.getAllViews(), [](ViewAttr view) { return view.getNumTaps() > 1; });
  return hasTaps ? 1 : view.getRowRun(kMostRun);
}

LogicalResult conv::lowerGather(Im2colOp op) {
  if (!op.getDest())
    return op.emitOpError("with channels_first has no place in shared memory");
  FailureOr<PanelTile> tile =
      getPanelTile(op, cast<MemRefType>(op.getDest().getType()));
  if (failed(tile))
    return failure();
  FailureOr<Team> team = getTeam(op);
  if (failed(team))
    return failure();
  Value flatSource = getFlatView(op.getSource());
  Value flatDest = getFlatView(op.getDest());

  // Taps of rows that stay have their tests in a mask. No block is past the
  // last one.
  auto row = dyn_cast<Value>(op.getRowOffset());
  ChangingOffsets changing;
  changing.tap =
      row && row.getParentBlock() != op->getBlock() &&
      !getConstantIntValue(op.getMixedOffsets()[op.getView().getTapDim()]);
  SmallVector<int64_t> shape = op.getTensorShape();
  ViewAddressing view(ViewTile(op), shape, tile->getRows(), tile->getColumns(),
                      changing, /*channelsFirst=*/true);

  OpBuilder builder(op);
  bool isOfTile = row && row.getParentBlock() != team->thread.getParentBlock();
  setInsertionPointAfter(builder, isOfTile ? row : team->thread);
  if (!isOfTile)
    moveInsertionPointBehind(builder, row);
  moveInsertionPointBehind(builder, op.getPhase());
  IndexMath before(builder, op.getLoc());
  TileGather gather(before, *tile, getRun(op, view), *team);
  SmallVector<ViewAddressing::Position> rows;
  for (int64_t set = 0; set < gather.getNumSets(); ++set)
    rows.push_back(view.getRow(before, gather.getLine(before, set)));

  builder.setInsertionPoint(op);
  IndexMath math(builder, op.getLoc());
  ViewAddressing::Origin origin = view.getOrigin(math);
  TileGather::Copy copy = {flatSource,
                           flatDest,
                           view.getChannelPitch(),
                           origin.channel,
                           shape.back() / op.getView().getGroups(),
                           view.testsColumns(),
                           {}};
  for (const ViewAddressing::Position &position : rows)
    copy.sets.push_back(
        {view.getElement(math, position, origin, math.constant(0)),
         view.isInside(math, position, origin)});
  gather.emit(math, copy);
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// Where a line of the box is in the tensor.
static GatheredLines getLineOfBox(IndexMath &math, GatherBoxOp op, Value line) {
  ArrayRef<int64_t> shape =
      cast<MemRefType>(op.getSource().getType()).getShape();
  ArrayRef<int64_t> box = cast<MemRefType>(op.getDest().getType()).getShape();
  SmallVector<Value> coordinates(op.getCoordinates());
  GatheredLines result = {math.constant(0), Value()};
  int64_t rank = shape.size(), extents = box.size() - 1, pitch = 1;
  // Innermost first; the batch comes after the channels.
  for (int64_t dim = rank - 2; dim >= 0; --dim) {
    int64_t extent = dim == 0 ? shape[0] : shape[dim + 1];
    int64_t inBox = extents - (rank - 1 - dim);
    Value coordinate = coordinates[dim];
    if (inBox >= 0) {
      bool isLast = inBox == 0;
      Value digit = isLast ? line : math.rem(line, box[inBox]);
      line = isLast ? line : math.div(line, box[inBox]);
      coordinate = math.add(coordinate, digit);
    }
    if (dim == 0)
      pitch *= shape[1];
    result.element = math.add(result.element, math.mul(coordinate, pitch));
    result.inside = math.both(result.inside, math.isBelow(coordinate, extent));
    pitch *= extent;
  }
  return result;
}

LogicalResult conv::lowerGather(GatherBoxOp op) {
  auto type = cast<MemRefType>(op.getDest().getType());
  FailureOr<PanelTile> tile = getPanelTile(op, type);
  if (failed(tile))
    return failure();
  FailureOr<Team> team = getTeam(op);
  if (failed(team))
    return failure();
  Value flatSource = getFlatView(op.getSource());
  Value flatDest = getFlatView(op.getDest());
  ArrayRef<int64_t> shape =
      cast<MemRefType>(op.getSource().getType()).getShape();

  OpBuilder builder(op);
  setInsertionPointAfter(builder, team->thread);
  for (Value coordinate : op.getCoordinates().drop_back())
    moveInsertionPointBehind(builder, coordinate);
  IndexMath before(builder, op.getLoc());
  TileGather gather(before, *tile, /*run=*/1, *team);
  SmallVector<GatheredLines> lines;
  for (int64_t set = 0; set < gather.getNumSets(); ++set) {
    GatheredLines found = getLineOfBox(before, op, gather.getLine(before, set));
    lines.push_back(found);
  }

  builder.setInsertionPoint(op);
  IndexMath math(builder, op.getLoc());
  int64_t pitch = llvm::product_of(shape.drop_front(2), int64_t(1));
  Value channel = op.getCoordinates().back();
  for (GatheredLines &line : lines)
    line.element = math.add(line.element, math.mul(channel, pitch));
  gather.emit(math, {flatSource, flatDest, pitch, channel, shape[1],
                     shape[1] % tile->getColumns() != 0, std::move(lines)});
  op.erase();
  return success();
}
