//===- StoreForms.cpp - how a tile of the result can leave ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreForms.h"

#include "ChannelBoxes.h"
#include "ImageStores.h"
#include "Support/ViewAddressing.h"
#include "UnalignedRows.h"
#include "conv/Dialect/Conv/IR/SwappedOperands.h"
#include "conv/Schedule/Shape/Accesses.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::SharedTile;
using llvm::formatv;

/// Narrower pieces of a row are stored as fast from the fragments.
static constexpr int64_t kLeastStagedBytes = 8;

/// See ResultTiles.cpp. The tiles that are in shared memory already are those
/// of operands.
std::optional<PhasePairs> conv::findStoredPairs(ScatterOp op,
                                                const KernelTiles &tiles) {
  constexpr unsigned bits = 16;
  bool areMatrices = op.getDestType().getElementTypeBitWidth() == bits;
  gpu::GPUFuncOp(tiles.func).walk([&](memref::AllocOp alloc) {
    MemRefType type = alloc.getType();
    if (gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type))
      areMatrices &= type.getElementType().isIntOrFloat() &&
                     type.getElementTypeBitWidth() == bits;
  });
  if (!op.getChannelsFirst() || !areMatrices)
    return std::nullopt;
  return findPhasePairs(tiles.schedule, op.getAllViews(), op.getTensorShape());
}

SharedTile conv::getWorkgroupTile(ScatterOp op, const KernelTiles &tiles) {
  int64_t m = tiles.layout.getTileM(), n = tiles.layout.getTileN();
  int64_t bytes = op.getDestType().getElementTypeBitWidth() / 8;
  return op.getChannelsFirst() ? SharedTile(n, m, bytes)
                               : SharedTile(m, n, bytes);
}

//===----------------------------------------------------------------------===//
// By all threads
//===----------------------------------------------------------------------===//

static constexpr char kSwapped[] =
    "a tile whose positions are the columns of wgmma must be one that TMA "
    "stores, or rows of pairs of positions";
static constexpr char kTaps[] =
    "a tile of several taps leaves as threads hold it";

std::string StoreForms::whyNotFragments() {
  bool isTransposed =
      tiles.layout.isSwapped() && !readsImageTaps(tiles.schedule);
  return isTransposed ? kSwapped : "";
}

std::string StoreForms::whyNoTile() {
  const FragmentLayout &layout = tiles.layout;
  if (layout.hasTaps() || readsImageTaps(tiles.schedule))
    return kTaps;
  if (layout.isSwapped())
    return kSwapped;
  SharedTile tile = getWorkgroupTile(op, tiles);
  bool channelsFirst = op.getChannelsFirst();
  int64_t bytes = op.getDestType().getElementTypeBitWidth() / 8;
  if (!SharedTile::isPossible(tile.getColumns(), bytes))
    return formatv("its rows have {0} bytes, which are not chunks of {1}",
                   tile.getColumns() * bytes, convmlir::kChunkBytes);
  ViewAddressing view(ViewTile(op), op.getTensorShape(), layout.getTileM(),
                      layout.getTapColumns(), ChangingOffsets(), channelsFirst);
  int64_t perChunk = tile.getElementsPerChunk();
  int64_t piece = bytes * (channelsFirst ? view.getRowRun(perChunk)
                                         : view.getAlignment(perChunk));
  // From the fragments, rows of a channel would be stored one by one.
  if (!channelsFirst && piece < kLeastStagedBytes)
    return formatv("it is of rows that are aligned to {0} bytes, but these are "
                   "aligned to {1}",
                   kLeastStagedBytes, piece);
  return hasProducer(tiles.schedule) && tiles.schedule.getTeams() > 1
             ? "teams have no place in common"
             : "";
}

//===----------------------------------------------------------------------===//
// By warpgroups
//===----------------------------------------------------------------------===//

std::string StoreForms::whyNotByWarpgroups() {
  if (!tiles.usesWarpgroups())
    return "it is of kernels with wgmma";
  if (readsImageTaps(tiles.schedule))
    return kTaps;
  // Zeros that ZeroStores.cpp does not store are stored by threads.
  if (site.hasZeros && !op.getChannelsFirst())
    return "zeros beside the values leave with them";
  return "";
}

/// A pair of a result with its channels first is two positions beside each
/// other, of one row of lines that has no odd ones.
std::string StoreForms::whyNotTransposed() {
  const FragmentLayout &layout = tiles.layout;
  const PositionRows &rows = layout.getPositionRows();
  bool hasPairs = layout.getWarpgroupsN() == 1 && rows.width % 2 == 0 &&
                  rows.pitch % 2 == 0;
  bool isPossible =
      !layout.isSwapped() ||
      (staged.hasMatrices() && (!op.getChannelsFirst() || hasPairs));
  return isPossible ? "" : kSwapped;
}

std::string StoreForms::whyNotPanels() {
  if (std::string why = whyNotTransposed(); !why.empty())
    return why;
  return staged.isCopiedByTma() ? ""
                                : "TMA cannot store the tile, or would store "
                                  "what is not the result's";
}

/// Parts of gemm-k are whole chunks of f32: they leave as a thread has them.
std::string StoreForms::whyNotUnaligned() {
  if (op.getChannelsFirst())
    return "it is of results with their channels last";
  if (tiles.layout.isSwapped())
    return kSwapped;
  if (tiles.layout.hasTaps())
    return kTaps;
  if (op.getView().getRowGroups() != 1)
    return "parts of gemm-k leave as threads hold them";
  int64_t bytes = UnalignedRows::getGroupChannels(op) *
                  op.getDestType().getElementTypeBitWidth() / 8;
  if (bytes < kLeastUnalignedBytes)
    return formatv("it is of rows of {0} bytes or more, but these have {1}",
                   +kLeastUnalignedBytes, bytes);
  return "";
}

/// Why no rows of positions are staged.
std::string StoreForms::whyNoChannels() {
  if (!op.getChannelsFirst())
    return "it is of results with their channels first";
  if (tiles.layout.hasTaps())
    return kTaps;
  if (op.getView().getRowGroups() != 1)
    return "parts of gemm-k leave as threads hold them";
  int64_t bytes = op.getDestType().getElementTypeBitWidth() / 8;
  if (!SharedTile::isPossible(staged.getPart().getRows(), bytes))
    return formatv("rows of {0} positions are not chunks of {1} bytes",
                   staged.getPart().getRows(), convmlir::kChunkBytes);
  return whyNotTransposed();
}

/// Of those that warpgroups stage, but for the room.
std::string StoreForms::whyNoForm(StoreForm form) {
  if (form == StoreForm::Panels)
    return whyNotPanels();
  if (form == StoreForm::UnalignedRows)
    return whyNotUnaligned();
  if (form == StoreForm::Images)
    return ImageStores::countImages(op, tiles) > 0
               ? ""
               : "a tile is not whole images, of 64 filters of two bytes a "
                 "warpgroup";
  std::string why = whyNoChannels();
  if (!why.empty() || form == StoreForm::ChannelRows)
    return why;
  if (form == StoreForm::ChannelPairs)
    return findStoredPairs(op, tiles) ? "" : "it has no pairs of phases";
  bool isWhole = !tiles.layout.isSwapped() &&
                 staged.getPart().getColumns() == tiles.layout.getTileN();
  return isWhole && ChannelBoxes::isPossible(op, tiles)
             ? ""
             : "64 rows, with all columns of the tile, are not positions of "
               "one image that TMA can store";
}

int64_t StoreForms::getStagedBytes() {
  return getNumConsumerWarpgroups(tiles.schedule) *
         staged.getBytesWithScratch();
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

/// What is stored by boxes or in pairs can also be stored in rows.
ArrayRef<StoreForm> StoreForms::getInOrder() {
  static constexpr StoreForm inOrder[] = {
      StoreForm::Images,      StoreForm::ChannelBoxes, StoreForm::ChannelPairs,
      StoreForm::ChannelRows, StoreForm::Panels,       StoreForm::UnalignedRows,
      StoreForm::Tile,        StoreForm::Fragments};
  return inOrder;
}

std::string StoreForms::whyImpossible(StoreForm form) {
  if (site.isAhead && form != StoreForm::Panels)
    return "an operand of the epilogue is loaded ahead to where panels of the "
           "result are staged";
  if (form == StoreForm::Fragments)
    return whyNotFragments();
  if (form == StoreForm::Tile)
    return whyNoTile();
  std::string why = whyNotByWarpgroups();
  return why.empty() ? whyNoForm(form) : why;
}

/// Where a producer fills the operand tiles ahead, they cannot be taken over.
std::string StoreForms::whyNoRoom(StoreForm form, const SharedRoom &room) {
  if (form == StoreForm::Fragments || site.isAhead)
    return "";
  if (form == StoreForm::Tile) {
    int64_t bytes = getWorkgroupTile(op, tiles).getBytes();
    return hasProducer(tiles.schedule) ? room.whyNoRoom(bytes)
                                       : room.whyNotOverOperands(bytes);
  }
  int64_t buffers = form == StoreForm::ChannelPairs ? 2 : 1;
  return room.whyNoRoom(buffers * getStagedBytes());
}

std::string StoreForms::whyNot(StoreForm form, const SharedRoom &room) {
  std::string why = whyImpossible(form);
  return why.empty() ? whyNoRoom(form, room) : why;
}

void StoreForms::takeRoom(StoreForm form, SharedRoom &room) {
  bool isOverOperands =
      form == StoreForm::Tile && !hasProducer(tiles.schedule);
  if (form == StoreForm::Fragments || site.isAhead || isOverOperands)
    return;
  if (form == StoreForm::Tile)
    return room.take(getWorkgroupTile(op, tiles).getBytes());
  room.take(getStagedBytes());
  if (form == StoreForm::ChannelPairs)
    room.take(getStagedBytes());
}
