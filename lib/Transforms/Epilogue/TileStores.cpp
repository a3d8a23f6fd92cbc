//===- TileStores.cpp - the result's tile to global memory ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `conv.scatter` of a tile, as the plan of the kernel says: by warpgroups
// (WarpgroupStores.cpp), or in one of two ways. `fragments`: each thread stores
// the pairs that it holds. `tile`: the tile goes through shared memory, whence
// each thread stores 16-byte pieces of rows, so that a warp writes whole lines.
// With channels first the tile is staged transposed, and pieces are of rows
// that are neighbours in memory.
//
//===----------------------------------------------------------------------===//

#include "ChannelRows.h"
#include "StoreForms.h"
#include "Support/TileChunks.h"
#include "Support/ViewAddressing.h"
#include "TensorCores/TileDistribution.h"
#include "ZeroCells.h"
#include "conv/Dialect/Conv/IR/SwappedOperands.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::SharedTile;

namespace {

class TileWriter {
public:
  TileWriter(ScatterOp op, TileDistribution &distribution);
  void writeDirect();
  void writeStaged();

private:
  void writeToShared(Value buffer, const SharedTile &tile);
  void writeChunk(Value buffer, const TileChunk &chunk);
  /// Zeros beside a piece that starts at `element`, in a row of the matrix.
  void writeZeros(Value rowInTile, Value element, int64_t piece);
  /// Stores `value`, which starts at `column` of the tile, in pieces.
  void writePieces(Value rowInTile, const ViewAddressing::Position &row,
                   const ViewAddressing::Origin &origin, Value value,
                   Value column, int64_t piece);

  ScatterOp op;
  TileDistribution &distribution;
  const FragmentLayout &layout;
  OpBuilder builder;
  Location loc;
  IndexMath math;
  ViewAddressing view;
  ZeroCells cells;
  Type elementType;
  int64_t elementBytes;
  bool channelsFirst;
  Value flatDest;
  SmallVector<ViewAddressing::Origin> origins; ///< Of the thread's taps.
};

} // namespace

TileWriter::TileWriter(ScatterOp op, TileDistribution &distribution)
    : op(op), distribution(distribution), layout(distribution.layout),
      builder(op), loc(op.getLoc()), math(builder, loc),
      view(ViewTile(op), op.getTensorShape(), layout.getTileM(),
           layout.getTapColumns(), ChangingOffsets(), op.getChannelsFirst()),
      cells(op), elementType(op.getDestType().getElementType()),
      elementBytes(elementType.getIntOrFloatBitWidth() / 8),
      channelsFirst(op.getChannelsFirst()), flatDest(getFlatView(op.getDest())),
      origins(view.getOrigins(math, distribution.origin.tap,
                              layout.getNumTaps())) {}

void TileWriter::writeZeros(Value rowInTile, Value element, int64_t piece) {
  Value row = math.add(math.toValue(op.getRowOffset()), rowInTile);
  for (const ZeroCells::Zeros &zeros : cells.getZeros(math, row))
    math.guard(zeros.isInside, [&] {
      auto type = VectorType::get(piece, elementType);
      Value value =
          arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
      vector::StoreOp::create(
          builder, loc, value, flatDest, math.add(element, zeros.distance),
          /*nontemporal=*/false, llvm::MaybeAlign(piece * elementBytes));
    });
}

void TileWriter::writePieces(Value rowInTile,
                             const ViewAddressing::Position &row,
                             const ViewAddressing::Origin &origin, Value value,
                             Value column, int64_t piece) {
  int64_t held = cast<VectorType>(value.getType()).getNumElements();
  for (int64_t j = 0; j < held; j += piece) {
    Value position = math.add(column, j);
    math.guard(view.isColumnInside(math, origin, position), [&] {
      Value part = value;
      if (piece != held)
        part = vector::ExtractStridedSliceOp::create(builder, loc, value, j,
                                                     piece, /*strides=*/1);
      Value element = view.getElement(math, row, origin, position);
      int64_t stored = piece * cells.getLength();
      vector::StoreOp::create(builder, loc, cells.widen(builder, loc, part),
                              flatDest, element, /*nontemporal=*/false,
                              llvm::MaybeAlign(stored * elementBytes));
      writeZeros(rowInTile, element, stored);
    });
  }
}

//===----------------------------------------------------------------------===//
// From the fragments
//===----------------------------------------------------------------------===//

void TileWriter::writeDirect() {
  ArrayRef<Value> fragments = distribution.getFragments(op.getValue());
  FragmentLayout::Origin thread = distribution.origin;
  int64_t piece = channelsFirst ? 1 : view.getAlignment(FragmentLayout::kHeldN);
  for (int64_t m = 0; m < layout.getBlocksM(); ++m) {
    for (int64_t i = 0; i < FragmentLayout::kHeldM; ++i) {
      Value rowInTile = math.add(thread.row, layout.getRowOffset(m, i));
      auto row = view.getRow(math, rowInTile);
      // Taps of a result are those of its matrix: all are inside, or none.
      math.guard(view.isInside(math, row, origins.front()), [&] {
        for (int64_t n = 0; n < layout.getBlocksN(); ++n) {
          Value held = vector::ExtractOp::create(
              builder, loc, fragments[layout.getBlock(m, n)], i);
          writePieces(rowInTile, row, origins[layout.getTapOffset(n)], held,
                      math.add(thread.column, layout.getColumnOffset(n)),
                      piece);
        }
      });
    }
  }
}

//===----------------------------------------------------------------------===//
// Through shared memory
//===----------------------------------------------------------------------===//

/// Eight rows of a block are written at once: the permutation of chunks keeps
/// them in different banks.
void TileWriter::writeToShared(Value buffer, const SharedTile &tile) {
  ArrayRef<Value> fragments = distribution.getFragments(op.getValue());

  for (int64_t n = 0; n < layout.getBlocksN(); ++n) {
    Value first = distribution.getSharedElement(math, tile, n);

    for (int64_t m = 0; m < layout.getBlocksM(); ++m)
      for (int64_t i = 0; i < FragmentLayout::kHeldM; ++i) {
        Value held = vector::ExtractOp::create(
            builder, loc, fragments[layout.getBlock(m, n)], i);
        int64_t distance = layout.getRowOffset(m, i) * tile.getColumns();
        vector::StoreOp::create(
            builder, loc, held, buffer, math.add(first, distance),
            /*nontemporal=*/false,
            llvm::MaybeAlign(FragmentLayout::kHeldN * elementBytes));
      }
  }
}

void TileWriter::writeChunk(Value buffer, const TileChunk &chunk) {
  int64_t perChunk = convmlir::kChunkBytes / elementBytes;
  auto row = view.getRow(math, chunk.row);
  const ViewAddressing::Origin &origin = origins.front();
  math.guard(math.both(chunk.exists, view.isInside(math, row, origin)), [&] {
    auto type = VectorType::get(perChunk, elementType);
    Value value = vector::LoadOp::create(
        builder, loc, type, buffer, chunk.shared,
        /*nontemporal=*/false, llvm::MaybeAlign(convmlir::kChunkBytes));
    writePieces(chunk.row, row, origin, value, chunk.column,
                view.getAlignment(perChunk));
  });
}

void TileWriter::writeStaged() {
  SharedTile tile = getWorkgroupTile(op, distribution);
  auto space =
      gpu::AddressSpaceAttr::get(op.getContext(), gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get({layout.getTileM() * layout.getTileN()},
                              elementType, MemRefLayoutAttrInterface(), space);
  Value buffer;
  if (hasProducer(distribution.schedule)) {
    OpBuilder entry(builder.getContext());
    setInsertionPointAfter(entry, distribution.thread);
    buffer = memref::AllocOp::create(entry, loc, type);
    distribution.emitBarrier(builder, loc); // The last tile has been stored.
  } else {
    releaseOperandMemory(builder, loc);
    buffer = memref::AllocOp::create(builder, loc, type);
  }
  if (channelsFirst) {
    ChannelRows rows(op, distribution, layout.getTileM(), layout.getTileN());
    rows.write(builder, buffer, distribution.origin, /*firstRow=*/0,
               /*firstColumn=*/0);
    distribution.emitBarrier(builder, loc);
    return rows.store(builder, buffer, flatDest, distribution.thread,
                      distribution.getNumThreads(), math.constant(0),
                      /*firstColumn=*/0);
  }
  writeToShared(buffer, tile);
  distribution.emitBarrier(builder, loc);
  for (const TileChunk &chunk : getThreadChunks(math, tile, distribution.thread,
                                                distribution.getNumThreads()))
    writeChunk(buffer, chunk);
}

LogicalResult mlir::conv::distributeStore(ScatterOp op,
                                          TileDistribution &distribution) {
  if (distribution.getKind(op.getValue().getType()) != TileKind::Block)
    return op.emitOpError() << "value must be the schedule's tile ("
                            << distribution.layout.getTileM() << "x"
                            << distribution.layout.getTileN() << "), but is "
                            << op.getValueType();
  if (!cast<MemRefType>(op.getDest().getType()).getLayout().isIdentity())
    return op.emitOpError()
           << "destination must be dense, but is " << op.getDestType();
  if (readsImageTaps(distribution.schedule)) {
    storeImageTaps(op, distribution);
    return success();
  }
  FailureOr<StoreForm> form = distribution.getStore(op);
  if (failed(form))
    return failure();
  bool isAhead = distribution.getTileAhead(op);
  StoreForms forms(op, distribution, {isAhead, op.getZeroFill()});
  if (std::string why = forms.whyImpossible(*form); !why.empty())
    return op.emitOpError("cannot leave as the plan of the kernel says: ")
           << stringifyStoreForm(*form) << ": " << why;
  if (*form == StoreForm::Fragments)
    TileWriter(op, distribution).writeDirect();
  else if (*form == StoreForm::Tile)
    TileWriter(op, distribution).writeStaged();
  else
    storeByWarpgroups(op, *form, distribution);
  return success();
}
