//===- TransposeRows.cpp - windows made of rows of positions --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv.transpose_rows to operations of a thread. A warp takes 8 positions of
// all channels at a time: `ldmatrix` transposes 8x8 of them, so that a lane has
// two channels of a position. It stores these where the swizzle has them: four
// lanes a chunk, and the chunks of a matrix are those of eight neighbouring
// lines, all in different banks. `stmatrix` would move no more bytes at a time,
// but has no lane that stores nothing, and positions at both ends do not.
//
//===----------------------------------------------------------------------===//

#include "RawWindows.h"

#include "TileChunks.h"
#include "Warpgroups.h"
#include "conv/Transforms/SharedTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;
using convmlir::SharedTile;

/// Rows and columns of a matrix, and elements of a row that a lane has.
static constexpr int64_t kMatrix = 8, kHeld = 2, kLanesPerRow = 4;
/// Units of a warp that are on their way at the same time.
static constexpr int64_t kUnitsAhead = 2;

namespace {
class Transposition {
public:
  Transposition(TransposeRowsOp op, int64_t warps);
  void emit();

private:
  /// Eight neighbouring positions of a box.
  struct Unit {
    Value number;
    Value exists;             ///< Null: always.
    SmallVector<Value> pairs; ///< Of each chunk of channels.
  };
  void load(Unit &unit);
  void store(const Unit &unit);
  void emitUnits();
  void emitZeros();
  Value getShared(Value line, int64_t chunk);
  Value getShared(Value line, Value chunk);

  TransposeRowsOp op;
  OpBuilder builder;
  Location loc;
  IndexMath math;
  int64_t warps;
  PanelTile tile;
  SharedTile panel;
  Value raw, window;
  Value own, lane;
  Type type;
  int64_t chunks, boxPositions, unitsPerBox, units, unitsPerRun;
};
} // namespace

Transposition::Transposition(TransposeRowsOp op, int64_t warps)
    : op(op), builder(op), loc(op.getLoc()), math(builder, loc), warps(warps),
      tile(op.getWindowRows() * op.getPitch(), op.getChannels(), 2),
      panel(tile.getRows(), tile.getPanelColumns(), 2),
      raw(getFlatView(op.getRaw())), window(getFlatView(op.getWindow())),
      type(op.getWindowType().getElementType()) {
  Value thread = getThreadIndex(op->getParentOfType<gpu::GPUFuncOp>());
  int64_t size = warps * conv::kWarpSize;
  own = math.rem(thread, kWarpgroupSize % size == 0 ? size : kWarpgroupSize);
  lane = math.rem(own, conv::kWarpSize);
  chunks = op.getChannels() / kMatrix;
  boxPositions = op.getRawType().getShape().back();
  unitsPerBox = boxPositions / kMatrix;
  units = op.getRawType().getDimSize(0) * unitsPerBox;
  unitsPerRun = units / op.getRuns();
}

/// Of the line's first element that the chunk has.
Value Transposition::getShared(Value line, Value chunk) {
  return math.sharedElement(panel, line, chunk);
}

Value Transposition::getShared(Value line, int64_t chunk) {
  int64_t perPanel = panel.getChunksPerRow();
  return math.add(getShared(line, math.constant(chunk % perPanel)),
                  chunk / perPanel * tile.getPanelElements());
}

/// Lanes give the rows of matrices, one for each channel: four matrices, or two
/// where these are left.
void Transposition::load(Unit &unit) {
  Value number = math.select(unit.exists, unit.number, math.constant(0));
  Value box = math.div(number, unitsPerBox);
  Value element = math.add(math.mul(math.rem(number, unitsPerBox), kMatrix),
                           math.mul(box, op.getChannels() * boxPositions));
  for (int64_t chunk = 0; chunk < chunks;) {
    int64_t matrices = chunk + 4 <= chunks ? 4 : 2;
    Value channel =
        math.add(math.rem(lane, matrices * kMatrix), chunk * kMatrix);
    Value loaded = nvgpu::LdMatrixOp::create(
        builder, loc, VectorType::get({matrices, kHeld}, type), raw,
        math.add(element, math.mul(channel, boxPositions)),
        /*transpose=*/true, matrices);
    for (int64_t i = 0; i < matrices; ++i)
      unit.pairs.push_back(vector::ExtractOp::create(builder, loc, loaded, i));
    chunk += matrices;
  }
}

/// A lane has one position. Numbers in front of the first one are large.
void Transposition::store(const Unit &unit) {
  int64_t rows = op.getRows(), width = op.getWidth(), column = op.getColumn();
  Value run =
      op.getRuns() == 1 ? math.constant(0) : math.div(unit.number, unitsPerRun);
  Value position = math.mul(
      op.getRuns() == 1 ? unit.number : math.rem(unit.number, unitsPerRun),
      kMatrix);
  position = math.add(position, math.div(lane, kLanesPerRow));
  position = math.sub(position, op.getFirst());
  Value valid = math.both(unit.exists, math.isBelow(position, rows * width));
  Value row = rows == 1 ? math.constant(0) : math.div(position, width);
  Value inRow = rows == 1 ? position : math.rem(position, width);
  inRow = math.add(inRow, column);
  if (column < 0 || column + width > op.getPitch())
    valid = math.both(valid, math.isBelow(inRow, op.getPitch()));
  row = math.add(row, math.mul(run, rows));
  Value line = math.add(math.mul(row, op.getPitch()), inRow);
  Value pair = math.mul(math.rem(lane, kLanesPerRow), kHeld);
  math.guard(valid, [&] {
    for (auto [chunk, values] : llvm::enumerate(unit.pairs))
      vector::StoreOp::create(
          builder, loc, values, window,
          math.add(getShared(line, int64_t(chunk)), pair),
          /*nontemporal=*/false,
          llvm::MaybeAlign(kHeld * type.getIntOrFloatBitWidth() / 8));
  });
}

void Transposition::emitUnits() {
  Value warp = math.div(own, conv::kWarpSize);
  int64_t step = warps * kUnitsAhead;
  auto loop = scf::ForOp::create(builder, loc, math.constant(0),
                                 math.constant(units), math.constant(step));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Unit> ahead(kUnitsAhead);
  for (auto [i, unit] : llvm::enumerate(ahead)) {
    unit.number = math.add(loop.getInductionVar(), math.add(warp, i * warps));
    if (units % step != 0)
      unit.exists = math.isBelow(unit.number, units);
    load(unit);
  }
  for (const Unit &unit : ahead)
    store(unit);
}

/// Columns that no position is.
void Transposition::emitZeros() {
  int64_t pitch = op.getPitch();
  int64_t first = std::clamp<int64_t>(op.getColumn(), 0, pitch);
  int64_t end =
      std::clamp<int64_t>(op.getColumn() + op.getWidth(), first, pitch);
  int64_t perRow = pitch - (end - first);
  if (perRow == 0)
    return;
  int64_t number = op.getWindowRows() * perRow * chunks;
  auto loop = scf::ForOp::create(builder, loc, own, math.constant(number),
                                 math.constant(warps * conv::kWarpSize));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value chunk = math.rem(loop.getInductionVar(), chunks);
  Value rest = math.div(loop.getInductionVar(), chunks);
  Value place = math.rem(rest, perRow);
  Value column = math.select(math.isBelow(place, first), place,
                             math.add(place, end - first));
  Value line = math.add(math.mul(math.div(rest, perRow), pitch), column);
  int64_t perPanel = panel.getChunksPerRow();
  Value element =
      math.add(getShared(line, math.rem(chunk, perPanel)),
               math.mul(math.div(chunk, perPanel), tile.getPanelElements()));
  auto zeros = VectorType::get(kMatrix, type);
  vector::StoreOp::create(
      builder, loc,
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(zeros)),
      window, element, /*nontemporal=*/false,
      llvm::MaybeAlign(convmlir::kChunkBytes));
}

void Transposition::emit() {
  emitZeros();
  emitUnits();
}

LogicalResult conv::lowerTransposition(TransposeRowsOp op) {
  auto warps = op->getAttrOfType<IntegerAttr>(kProducersAttrName);
  if (!warps)
    return op.emitOpError() << "is done by warps of a producer, and needs '"
                            << kProducersAttrName << "', their number";
  Transposition(op, warps.getInt()).emit();
  op.erase();
  return success();
}
