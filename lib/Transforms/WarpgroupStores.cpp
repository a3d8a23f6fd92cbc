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
// one of its threads stores that by `conv.store_tile`.
//
// The store runs while the next tile is multiplied: only the next write waits
// until it has read the panels, and the kernel's end until it is complete.
// Warpgroups do not wait for each other. Where the schedule stages fewer rows
// than a warpgroup has, these steps follow each other for each part; fewer than
// an instruction has are all of its rows, of an equal part of the columns.
//
// A result with its channels first is staged transposed in the same place, and
// stored by TMA (ChannelBoxes.h) or by all threads of the warpgroup
// (ChannelRows.h).
//
//===----------------------------------------------------------------------===//

#include "ChannelBoxes.h"
#include "GroupedTiles.h"
#include "HopperSchedule.h"
#include "TileChunks.h"
#include "TileDistribution.h"
#include "WarpgroupStaging.h"
#include "Warpgroups.h"
#include "Windows.h"
#include "conv/Dialect/Conv/IR/ConvHopperOps.h"
#include "conv/Geometry/TmaView.h"
#include "conv/Transforms/Schedule.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;
using convmlir::SharedTile;

/// Bits of the elements that `stmatrix` moves.
static constexpr int64_t kMatrixBits = 16;

bool TileDistribution::hasRoomFor(int64_t bytes) {
  constexpr int64_t alignment = 1024;
  int64_t taken = kBarrierBytes;
  func.walk([&](memref::AllocOp alloc) {
    MemRefType type = alloc.getType();
    if (gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type))
      taken += llvm::alignTo(
          type.getNumElements() * type.getElementTypeBitWidth() / 8, alignment);
  });
  return taken + bytes <=
         getSharedBytesPerWorkgroup(schedule, *lookupChip("sm_90a"));
}

namespace {

class WarpgroupWriter {
public:
  WarpgroupWriter(ScatterOp op, TileDistribution &distribution);
  bool canStore();
  void write();

private:
  int64_t getNumWarpgroups() const {
    return getNumConsumerWarpgroups(distribution.schedule);
  }
  void writeChannelRows();
  void writeFragments(int64_t firstRow, int64_t firstColumn);
  void writeMatrices(Value lane, int64_t firstRow, int64_t firstColumn);
  void writePairs(Value lane, int64_t firstRow, int64_t firstColumn);
  /// Whether an element, counted from the first of a part, is in it.
  bool isStaged(int64_t row, int64_t column) const {
    return row >= 0 && row < part.getRows() && column >= 0 &&
           column < part.getColumns();
  }
  Value getLaneElement(Value row, Value column);
  Value getElement(Value lane, int64_t row, int64_t column);
  void storePart(int64_t firstRow, int64_t firstColumn);
  void storeBox(ArrayRef<Value> offsets);
  bool isBox();
  bool isImage();
  SmallVector<int64_t> getBox();
  SmallVector<Value> getOffsets(int64_t firstRow, int64_t firstColumn);
  Value isPartThere(Value row);

  ScatterOp op;
  TileDistribution &distribution;
  const FragmentLayout &layout;
  OpBuilder builder;
  Location loc;
  IndexMath math;
  MemRefType destType;
  PanelTile part;   ///< What one warpgroup stages at a time.
  SharedTile panel; ///< A panel of it.
  Value thread;     ///< Within the warpgroup.
  Value staging;    ///< The warpgroup's part in shared memory,
  Value flat;       ///< seen as one row.
};

} // namespace

WarpgroupWriter::WarpgroupWriter(ScatterOp op, TileDistribution &distribution)
    : op(op), distribution(distribution), layout(distribution.layout),
      builder(op), loc(op.getLoc()), math(builder, loc),
      destType(cast<MemRefType>(op.getDest().getType())),
      part(getStagedRows(distribution.schedule),
           getStagedColumns(distribution.schedule),
           destType.getElementTypeBitWidth() / 8),
      panel(part.getRows(), part.getPanelColumns(),
            destType.getElementTypeBitWidth() / 8) {}

/// Each stride phase has a tensor map of its own: a kernel has room for some.
static constexpr size_t kMostMaps = 16;

/// Whether the tile is a part of an image with its channels first.
bool WarpgroupWriter::isImage() {
  return hasImageGroups(op.getView(), destType.getShape());
}

/// Whether the tile's rows are a box of positions, that of a window, or one of
/// an image.
bool WarpgroupWriter::isBox() {
  return isImage() ||
         (distribution.schedule.getWindow() && op.getView().getNumTaps() == 1);
}

/// The positions and channels that the warpgroup's rows are.
SmallVector<int64_t> WarpgroupWriter::getBox() {
  if (isImage())
    return {part.getRows(), part.getColumns()};
  int64_t columns = std::min(part.getRows(), op.getView().getRows().back());
  SmallVector<int64_t> box = {columns, part.getColumns()};
  if (op.getView().getSpatialRank() > 1)
    box.insert(box.begin(), part.getRows() / columns);
  return box;
}

bool WarpgroupWriter::canStore() {
  int64_t bytes = destType.getElementTypeBitWidth() / 8;
  SmallVector<ViewAttr> views = op.getAllViews();
  if ((op.getView().getRowGroups() > 1 && !isImage()) ||
      views.size() > kMostMaps || layout.hasTaps() ||
      !distribution.hasRoomFor(getNumWarpgroups() * part.getRows() *
                               part.getColumns() * bytes))
    return false;
  if (op.getChannelsFirst())
    return part.getColumns() == layout.getTileN() &&
           ChannelRows(op, distribution, part.getRows()).isPossible();
  int64_t groups = op.getView().getGroups();
  // What the tile has of the next group must not be stored, in no part of it.
  if (groups > 1 &&
      destType.getShape().back() / groups % layout.getTileN() != 0)
    return false;
  if (isBox())
    return bool(convmlir::getTmaBoxView(
        destType.getShape().vec(), ArrayRef<int64_t>(getBox()).vec(), bytes));
  return llvm::all_of(views, [&](ViewAttr view) {
    convmlir::Result<convmlir::TmaView> tma = convmlir::getTmaStoreView(
        view.getMatrixView(destType.getShape()), view.getGroups(), bytes,
        part.getRows(), part.getColumns());
    return bool(tma);
  });
}

//===----------------------------------------------------------------------===//
// Staging
//===----------------------------------------------------------------------===//

/// Where in the first panel's block of columns a lane begins.
Value WarpgroupWriter::getLaneElement(Value row, Value column) {
  int64_t perChunk = panel.getElementsPerChunk();
  return math.add(math.sharedElement(panel, row, math.div(column, perChunk)),
                  math.rem(column, perChunk));
}

/// What lies a multiple of SharedTile::kSwizzlePeriod rows below and of a
/// block's columns beside the lane's first element. These columns have bits
/// that the lane's own do not have: the permutation adds them without carry.
Value WarpgroupWriter::getElement(Value lane, int64_t row, int64_t column) {
  int64_t inPanel = column % panel.getColumns();
  int64_t distance = column / panel.getColumns() * part.getPanelElements() +
                     row * panel.getColumns();
  return math.add(math.bitXor(lane, math.constant(inPanel)), distance);
}

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
      if (!isStaged(row, column))
        continue;
      SmallVector<Value> matrices;
      for (int64_t block = 0; block < blocks; ++block)
        for (int64_t i = 0; i < FragmentLayout::kHeldM; ++i)
          matrices.push_back(vector::ExtractOp::create(
              builder, loc, fragments[layout.getBlock(m, n + block)], i));
      StoreMatricesOp::create(builder, loc, matrices, flat,
                              getElement(lane, row, column),
                              /*transposed=*/false);
    }
}

void WarpgroupWriter::writePairs(Value lane, int64_t firstRow,
                                 int64_t firstColumn) {
  ArrayRef<Value> fragments = distribution.getFragments(op.getValue());
  int64_t bytes =
      FragmentLayout::kHeldN * destType.getElementTypeBitWidth() / 8;
  for (int64_t n = 0; n < layout.getBlocksN(); ++n)
    for (int64_t m = 0; m < layout.getBlocksM(); ++m)
      for (int64_t i = 0; i < FragmentLayout::kHeldM; ++i) {
        int64_t row = layout.getRowOffset(m, i) - firstRow;
        int64_t column = layout.getColumnOffset(n) - firstColumn;
        if (!isStaged(row, column))
          continue;
        Value held = vector::ExtractOp::create(
            builder, loc, fragments[layout.getBlock(m, n)], i);
        vector::StoreOp::create(builder, loc, held, flat,
                                getElement(lane, row, column),
                                /*nontemporal=*/false, llvm::MaybeAlign(bytes));
      }
}

/// The layout of fragments for the warps of one warpgroup.
void WarpgroupWriter::writeFragments(int64_t firstRow, int64_t firstColumn) {
  if (destType.getElementTypeBitWidth() == kMatrixBits) {
    // `stmatrix` wants rows where `ldmatrix` wants those of A.
    auto origin = layout.getOperandOrigin(math, thread, Operand::A, Major::K);
    writeMatrices(getLaneElement(origin.row, math.mul(origin.chunk,
                                                      FragmentLayout::kMatrix)),
                  firstRow, firstColumn);
    return;
  }
  FragmentLayout::Origin origin = layout.getOrigin(math, thread);
  writePairs(getLaneElement(origin.row, origin.column), firstRow, firstColumn);
}

//===----------------------------------------------------------------------===//
// The store
//===----------------------------------------------------------------------===//

/// Those of the tile, moved to the first element of the warpgroup's part.
SmallVector<Value> WarpgroupWriter::getOffsets(int64_t firstRow,
                                               int64_t firstColumn) {
  SmallVector<Value> offsets;
  for (OpFoldResult offset : op.getMixedOffsets())
    offsets.push_back(math.toValue(offset));
  Value &row = offsets[op.getView().getRowDim()];
  row = math.add(math.add(row, math.mul(distribution.getWarpgroupOfTile(math),
                                        layout.getWarpgroupM())),
                 firstRow);
  offsets.back() = math.add(offsets.back(), firstColumn);
  return offsets;
}

/// Whether a part that begins at `row` has rows of the matrix; null: always. In
/// im2col mode, a copy that begins past the matrix is an illegal instruction.
Value WarpgroupWriter::isPartThere(Value row) {
  SmallVector<int64_t> rows;
  for (ViewAttr view : op.getAllViews())
    rows.push_back(view.getMatrixView(destType.getShape()).numRows());
  if (llvm::all_of(rows, [&](int64_t number) {
        return number % layout.getTileM() == 0;
      }))
    return Value();
  if (llvm::all_equal(rows))
    return math.isBelow(row, rows.front());
  return math.isBelow(row, math.lookUp(op.getPhase(), rows));
}

/// What lies past the image is dropped by the hardware.
void WarpgroupWriter::storeBox(ArrayRef<Value> offsets) {
  if (isImage()) {
    StoreBoxOp::create(builder, loc, staging, op.getDest(),
                       getImageCoordinates(offsets));
    return;
  }
  ViewAttr view = op.getView();
  SmallVector<Value> coordinates =
      emitPosition(math, view, offsets[view.getRowDim()]);
  Value channel = offsets.back();
  if (view.getGroups() > 1)
    channel = math.add(channel,
                       math.mul(offsets[offsets.size() - 2],
                                destType.getShape().back() / view.getGroups()));
  coordinates.push_back(channel);
  SmallVector<int64_t> box = getBox();
  Value source = staging;
  if (box.size() > 2)
    source = memref::ExpandShapeOp::create(
        builder, loc, box, staging,
        ArrayRef<ReassociationIndices>{{0, 1}, {2}});
  StoreBoxOp::create(builder, loc, source, op.getDest(), coordinates);
}

void WarpgroupWriter::storePart(int64_t firstRow, int64_t firstColumn) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> offsets = getOffsets(firstRow, firstColumn);
  Value stores = math.isBelow(thread, 1);
  if (!isBox())
    stores = math.both(stores, isPartThere(offsets[op.getView().getRowDim()]));
  auto branch =
      scf::IfOp::create(builder, loc, stores, /*withElseRegion=*/false);
  builder.setInsertionPointToStart(branch.thenBlock());
  if (isBox())
    storeBox(offsets);
  else
    StoreTileOp::create(builder, loc, staging, op.getDest(), offsets,
                        op.getPhase(), op.getViews());
  NVVM::CpAsyncBulkCommitGroupOp::create(builder, loc);
}

/// Loads of shared memory, unlike those of TMA, are over at the next barrier.
void WarpgroupWriter::writeChannelRows() {
  ChannelRows rows(op, distribution, part.getRows());
  FragmentLayout::Origin origin = layout.getOrigin(math, thread);
  Value dest = getFlatView(op.getDest());
  Value warpgroup = distribution.getWarpgroup();
  Value first =
      math.mul(distribution.getWarpgroupOfTile(math), layout.getWarpgroupM());
  for (int64_t row = 0; row < layout.getWarpgroupM(); row += part.getRows()) {
    emitWarpgroupBarrier(builder, loc, warpgroup);
    rows.write(builder, flat, origin, row);
    emitWarpgroupBarrier(builder, loc, warpgroup);
    rows.store(builder, flat, dest, thread, kWarpgroupSize,
               math.add(first, row));
  }
}

void WarpgroupWriter::write() {
  if (ChannelBoxes boxes(op, distribution); boxes.isPossible())
    return boxes.write();
  staging = createStaging(distribution, loc, part.getRows(), part.getColumns(),
                          destType.getElementType());
  flat = getFlatView(staging);
  thread = math.rem(distribution.thread, kWarpgroupSize);
  if (op.getChannelsFirst())
    return writeChannelRows();
  for (int64_t row = 0; row < layout.getWarpgroupM(); row += part.getRows())
    for (int64_t column = 0; column < layout.getTileN();
         column += part.getColumns()) {
      awaitStagedReads(builder, loc, distribution);
      writeFragments(row, column);
      publishStaged(builder, loc, distribution);
      storePart(row, column);
    }
  awaitStoresAtEnd(distribution.func);
}

bool mlir::conv::storeByWarpgroups(ScatterOp op,
                                   TileDistribution &distribution) {
  WarpgroupWriter writer(op, distribution);
  if (!writer.canStore())
    return false;
  writer.write();
  return true;
}
