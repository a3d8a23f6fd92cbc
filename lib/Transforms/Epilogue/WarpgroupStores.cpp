//===- WarpgroupStores.cpp - the result's tile by warpgroups --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: `conv.scatter` of the tile of a kernel that multiplies by warpgroups.
// Output: each warpgroup writes its rows to a tile in panels of its own, and
// one of its threads stores that by `engine.store_tile`.
//
// The store runs while the next tile is multiplied: only the next write waits
// until it has read the panels, and the kernel's end until it is complete.
// Warpgroups do not wait for each other. Where the schedule stages fewer rows
// than a warpgroup has, these steps follow each other for each part; fewer than
// an instruction has are all of its rows, of an equal part of the columns.
//
// An operand of the epilogue may have been loaded into the same panels
// (LoadsAhead.cpp). Then each thread writes where it has read.
//
// A result with its channels first is staged transposed in the same place, and
// stored by TMA (ChannelBoxes.h, ImageStores.h) or by all threads of the
// warpgroup (ChannelRows.h). These also store rows that TMA cannot
// (UnalignedRows.h).
//
//===----------------------------------------------------------------------===//

#include "ChannelBoxes.h"
#include "ImageStores.h"
#include "Roles/Warpgroups.h"
#include "StagedTile.h"
#include "StoreForms.h"
#include "Support/Intervals.h"
#include "Support/TileChunks.h"
#include "TensorCores/TileDistribution.h"
#include "UnalignedRows.h"
#include "WarpgroupStaging.h"
#include "conv/Dialect/Engine/IR/EngineOps.h"
#include "conv/Schedule/Schedule.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;

namespace {

class WarpgroupWriter {
public:
  WarpgroupWriter(ScatterOp op, StoreForm form, TileDistribution &distribution);
  void write();

private:
  void createPlace();
  void writePanels();
  void writeChannelRows();
  void writeUnalignedRows();
  void writePairedRows();
  void writeFragments(int64_t firstRow, int64_t firstColumn);
  void writeTransposed();
  void writeLines(const convmlir::SharedTile &rows);
  void writeMatrices(Value lane, int64_t firstRow, int64_t firstColumn);
  void writePairs(Value lane, int64_t firstRow, int64_t firstColumn);
  void storePart(int64_t firstRow, int64_t firstColumn);

  ScatterOp op;
  TileDistribution &distribution;
  const FragmentLayout &layout;
  OpBuilder builder;
  Location loc;
  IndexMath math;
  StoreForm form;
  StagedTile tile;
  PanelTile part; ///< What one warpgroup stages at a time.
  Value thread;   ///< Within the warpgroup.
  Value staging;  ///< The warpgroup's part in shared memory,
  Value flat;     ///< seen as one row.
};

} // namespace

WarpgroupWriter::WarpgroupWriter(ScatterOp op, StoreForm form,
                                 TileDistribution &distribution)
    : op(op), distribution(distribution), layout(distribution.layout),
      builder(op), loc(op.getLoc()), math(builder, loc), form(form),
      // What has been loaded into the panels lies one after the other.
      tile(op, distribution,
           form != StoreForm::Panels || distribution.getTileAhead(op)
               ? PanelOrder::OneByOne
               : PanelOrder::InterleavedIfPossible),
      part(tile.getPart()) {}

//===----------------------------------------------------------------------===//
// Staging
//===----------------------------------------------------------------------===//

/// Two blocks beside each other are four matrices. A phase of `stmatrix` writes
/// one of them, whose rows the permutation keeps in different banks.
void WarpgroupWriter::writeMatrices(Value lane, int64_t firstRow,
                                    int64_t firstColumn) {
  ArrayRef<Value> fragments = distribution.getFragments(op.getValue());
  constexpr int64_t blocks = 2;
  for (int64_t n = 0; n < layout.getBlocksN(); n += blocks)
    for (int64_t m = 0; m < layout.getBlocksM(); ++m) {
      int64_t row = layout.getRowOffset(m, 0) - firstRow;
      int64_t column = layout.getColumnOffset(n) - firstColumn;
      if (!tile.isStaged(row, column))
        continue;
      SmallVector<Value> matrices;
      for (int64_t block = 0; block < blocks; ++block)
        for (int64_t i = 0; i < FragmentLayout::kHeldM; ++i)
          matrices.push_back(vector::ExtractOp::create(
              builder, loc, fragments[layout.getBlock(m, n + block)], i));
      StoreMatricesOp::create(builder, loc, matrices, flat,
                              tile.getElement(math, lane, row, column),
                              /*transposed=*/false);
    }
}

void WarpgroupWriter::writePairs(Value lane, int64_t firstRow,
                                 int64_t firstColumn) {
  ArrayRef<Value> fragments = distribution.getFragments(op.getValue());
  int64_t bytes =
      FragmentLayout::kHeldN * tile.getDestType().getElementTypeBitWidth() / 8;
  for (int64_t n = 0; n < layout.getBlocksN(); ++n)
    for (int64_t m = 0; m < layout.getBlocksM(); ++m)
      for (int64_t i = 0; i < FragmentLayout::kHeldM; ++i) {
        int64_t row = layout.getRowOffset(m, i) - firstRow;
        int64_t column = layout.getColumnOffset(n) - firstColumn;
        if (!tile.isStaged(row, column))
          continue;
        Value held = vector::ExtractOp::create(
            builder, loc, fragments[layout.getBlock(m, n)], i);
        vector::StoreOp::create(builder, loc, held, flat,
                                tile.getElement(math, lane, row, column),
                                /*nontemporal=*/false, llvm::MaybeAlign(bytes));
      }
}

/// Eight neighbouring positions of eight filters are a matrix, which `stmatrix`
/// transposes: its rows are those of the permutation again.
void WarpgroupWriter::writeTransposed() {
  ArrayRef<Value> fragments = distribution.getFragments(op.getValue());
  constexpr int64_t blocks = 2;
  for (int64_t m = 0; m < layout.getBlocksM(); ++m)
    for (int64_t n = 0; n < layout.getBlocksN(); n += blocks) {
      SmallVector<Value> matrices;
      for (int64_t block = n; block < std::min(n + blocks, layout.getBlocksN());
           ++block)
        for (int64_t i = 0; i < FragmentLayout::kHeldM; ++i)
          matrices.push_back(vector::ExtractOp::create(
              builder, loc, fragments[layout.getBlock(m, block)], i));
      StoreMatricesOp::create(builder, loc, matrices, flat,
                              tile.getTransposedElement(math, thread, m, n),
                              /*transposed=*/true);
    }
}

/// In rows of positions, one for each filter: two lines beside each other are
/// a pair of positions, or of none.
void WarpgroupWriter::writeLines(const convmlir::SharedTile &rows) {
  ArrayRef<Value> fragments = distribution.getFragments(op.getValue());
  Value lane = math.rem(thread, conv::kWarpSize);
  constexpr int64_t pairs = FragmentLayout::kBlockN / FragmentLayout::kHeldN;
  Value filter = math.add(
      math.mul(math.div(thread, conv::kWarpSize), FragmentLayout::kBlockM),
      math.div(lane, pairs));
  Value scratch = math.add(math.mul(thread, FragmentLayout::kMatrix),
                           part.getRows() * part.getColumns());
  int64_t bytes =
      FragmentLayout::kHeldN * tile.getDestType().getElementTypeBitWidth() / 8;
  for (int64_t n = 0; n < layout.getBlocksN(); ++n) {
    Value line =
        math.add(math.mul(math.rem(lane, pairs), FragmentLayout::kHeldN),
                 n * FragmentLayout::kBlockN);
    FragmentLayout::Position at = layout.getPosition(math, line);
    Value first = math.sharedElementAt(rows, filter, at.position);
    for (int64_t m = 0; m < layout.getBlocksM(); ++m)
      for (int64_t i = 0; i < FragmentLayout::kHeldM; ++i) {
        // Rows that are a multiple of eight apart are permuted alike.
        Value element =
            math.add(first, layout.getFilterOffset(m, i) * rows.getColumns());
        Value held = vector::ExtractOp::create(
            builder, loc, fragments[layout.getBlock(m, n)], i);
        vector::StoreOp::create(builder, loc, held, flat,
                                math.select(at.exists, element, scratch),
                                /*nontemporal=*/false, llvm::MaybeAlign(bytes));
      }
  }
}

void WarpgroupWriter::writeFragments(int64_t firstRow, int64_t firstColumn) {
  if (layout.isSwapped())
    return writeTransposed();
  Value lane = tile.getLane(math, thread);
  if (tile.hasMatrices())
    writeMatrices(lane, firstRow, firstColumn);
  else
    writePairs(lane, firstRow, firstColumn);
}

//===----------------------------------------------------------------------===//
// The store
//===----------------------------------------------------------------------===//

void WarpgroupWriter::storePart(int64_t firstRow, int64_t firstColumn) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> tileOffsets;
  for (OpFoldResult offset : op.getMixedOffsets())
    tileOffsets.push_back(math.toValue(offset));
  SmallVector<Value> offsets =
      tile.getOffsets(math, tileOffsets, firstRow, firstColumn);
  Value stores = math.isBelow(thread, 1);
  // What lies past a box's image is dropped by the hardware.
  if (!tile.isBox())
    stores = math.both(stores,
                       tile.isPartThere(math, offsets[op.getView().getRowDim()],
                                        op.getPhase()));
  auto branch =
      scf::IfOp::create(builder, loc, stores, /*withElseRegion=*/false);
  builder.setInsertionPointToStart(branch.thenBlock());
  if (tile.isBox())
    StoreBoxOp::create(builder, loc, tile.viewAsBox(builder, staging),
                       op.getDest(), tile.getBoxCoordinates(math, offsets));
  else
    StoreTileOp::create(builder, loc, tile.dropScratch(builder, staging),
                        op.getDest(), offsets, op.getPhase(), op.getViews(),
                        tile.isInterleaved());
  NVVM::CpAsyncBulkCommitGroupOp::create(builder, loc);
}

/// Loads of shared memory, unlike those of TMA, are over at the next barrier.
void WarpgroupWriter::writeChannelRows() {
  ChannelRows rows(op, distribution, part.getRows(), part.getColumns());
  FragmentLayout::Origin origin = layout.getOrigin(math, thread);
  Value dest = getFlatView(op.getDest());
  Value warpgroup = distribution.getWarpgroup();
  Value first = distribution.getPart(math).row;
  for (int64_t row = 0; row < layout.getWarpgroupM(); row += part.getRows())
    for (int64_t column = 0; column < layout.getTileN();
         column += part.getColumns()) {
      emitWarpgroupBarrier(builder, loc, warpgroup);
      if (layout.isSwapped())
        writeLines(rows.getTile());
      else
        rows.write(builder, flat, origin, row, column);
      emitWarpgroupBarrier(builder, loc, warpgroup);
      rows.store(builder, flat, dest, thread, kWarpgroupSize,
                 math.add(first, row), column);
    }
}

/// Between the loads of a part and the next write lies a barrier, as above.
void WarpgroupWriter::writeUnalignedRows() {
  UnalignedRows rows(op, distribution, part);
  Value dest = getFlatView(op.getDest());
  Value warpgroup = distribution.getWarpgroup();
  TileDistribution::Part first = distribution.getPart(math);
  for (int64_t row = 0; row < layout.getWarpgroupM(); row += part.getRows())
    for (int64_t column = 0; column < layout.getTileN();
         column += part.getColumns()) {
      emitWarpgroupBarrier(builder, loc, warpgroup);
      writeFragments(row, column);
      emitWarpgroupBarrier(builder, loc, warpgroup);
      rows.store(builder, flat, dest, thread, kWarpgroupSize,
                 math.add(first.row, row), math.add(first.column, column));
    }
}

/// The tile of even columns stays until that of odd ones is there. Between the
/// stores of a pair and the next write of odd columns lies the barrier in front
/// of the even ones.
void WarpgroupWriter::writePairedRows() {
  OpBuilder::InsertionGuard guard(builder);
  Type element = tile.getDestType().getElementType();
  PhasePairs pairs = *findStoredPairs(op, distribution);
  Value odd = getFlatView(createStaging(distribution, loc, part.getRows(),
                                        part.getColumns(), element));
  ChannelRows rows(op, distribution, part.getRows(), part.getColumns());
  FragmentLayout::Origin origin = layout.getOrigin(math, thread);
  Value dest = getFlatView(op.getDest());
  Value warpgroup = distribution.getWarpgroup();
  Value first = distribution.getPart(math).row;
  Value isEven = math.isBelow(lookUpEntry(math, op.getPhase(), pairs.isOdd), 1);
  auto branch =
      scf::IfOp::create(builder, loc, isEven, /*withElseRegion=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitWarpgroupBarrier(builder, loc, warpgroup);
  rows.write(builder, flat, origin, /*firstRow=*/0, /*firstColumn=*/0);
  builder.setInsertionPointToStart(branch.elseBlock());
  rows.write(builder, odd, origin, /*firstRow=*/0, /*firstColumn=*/0);
  emitWarpgroupBarrier(builder, loc, warpgroup);
  rows.storePairs(builder, pairs.getRun(), flat, odd, dest, thread,
                  kWarpgroupSize, first);
}

void WarpgroupWriter::createPlace() {
  const TileAhead *ahead = distribution.getTileAhead(op);
  staging = ahead ? ahead->staging
                  : createStaging(distribution, loc, part.getRows(),
                                  part.getColumns(),
                                  tile.getDestType().getElementType());
  flat = getFlatView(staging);
  thread = math.rem(distribution.thread, kWarpgroupSize);
}

void WarpgroupWriter::writePanels() {
  bool isAhead = distribution.getTileAhead(op);
  int64_t columns =
      layout.isSwapped() ? layout.getWarpgroupN() : layout.getTileN();
  for (int64_t row = 0; row < layout.getWarpgroupM(); row += part.getRows())
    for (int64_t column = 0; column < columns; column += part.getColumns()) {
      if (!isAhead)
        awaitStagedReads(builder, loc, distribution);
      writeFragments(row, column);
      publishStaged(builder, loc, distribution);
      storePart(row, column);
    }
  awaitStoresAtEnd(distribution.func);
}

void WarpgroupWriter::write() {
  if (form == StoreForm::Images)
    return ImageStores(op, distribution).write();
  if (form == StoreForm::ChannelBoxes)
    return ChannelBoxes(op, distribution).write();
  createPlace();
  if (form == StoreForm::ChannelPairs)
    return writePairedRows();
  if (form == StoreForm::ChannelRows)
    return writeChannelRows();
  if (form == StoreForm::UnalignedRows)
    return writeUnalignedRows();
  writePanels();
}

void mlir::conv::storeByWarpgroups(ScatterOp op, StoreForm form,
                                   TileDistribution &distribution) {
  WarpgroupWriter(op, form, distribution).write();
}
