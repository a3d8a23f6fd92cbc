//===- TransposeRows.cpp - windows made of rows of positions --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// engine.transpose_rows to operations of a thread. A warp takes 8 positions of
// all channels at a time: `ldmatrix` transposes 8x8 of them, and `stmatrix`
// stores the chunks of eight lines, all in different banks.
//
// A few warps have to do it while others multiply, and a warp that has a
// scheduler to itself issues an instruction every few cycles. So what counts
// is their number. The place of a lane's line in the window is computed in
// front of all loops where it is the same for all windows, and everything is
// unrolled: what is left of eight positions of 64 channels are two loads, two
// stores, an addition and an exclusive or. Positions that are none of the
// window's have places in scratch memory, since each lane of a warp stores
// something.
//
//===----------------------------------------------------------------------===//

#include "Ring/RawWindows.h"

#include "Support/TileChunks.h"
#include "conv/Dialect/Conv/IR/KernelPlan.h"
#include "conv/Geometry/SharedTile.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;
using convmlir::SharedTile;

/// Rows and columns of a matrix, elements of a row that a lane has, and
/// matrices of an instruction.
static constexpr int64_t kMatrix = 8, kHeld = 2, kMostMatrices = 4;

namespace {
class Transposition {
public:
  /// So many loads come before the stores of what they loaded: a warp waits for
  /// the last of them once.
  Transposition(TransposeRowsOp op, int64_t warps, int64_t loadsAhead);
  void emit();

private:
  /// Chunks of channels that an instruction moves: matrices side by side.
  struct Group {
    int64_t chunk, matrices;
  };
  /// Eight neighbouring positions of the box.
  struct Unit {
    int64_t number = 0;        ///< Of the first warp.
    Value first;               ///< Element of the box that a lane gives,
    int64_t behind = 0;        ///< but for so many in front of it.
    SmallVector<Value> places; ///< In the window, for each group.
    SmallVector<Value> loaded;
  };
  SmallVector<Group> getGroups() const;
  int64_t getFirstUnit();
  int64_t countUnits();
  void findPlaces(IndexMath &math, Unit &unit);
  Value getLine(IndexMath &math, Value row, Value column, Value &valid);
  Value getPlace(IndexMath &math, Value line, Value valid, Group group);
  void findFirst(IndexMath &math, Unit &unit, Value exists);
  void load(IndexMath &math, Unit &unit);
  void store(IndexMath &math, const Unit &unit);

  TransposeRowsOp op;
  int64_t warps, loadsAhead;
  PanelTile tile;
  SharedTile panel;
  int64_t boxRow; ///< Elements of a row of the box, or of one of its panels.
  SmallVector<Group> groups;
  Value box, window, thread;
  Value own, lane, warp; ///< Where places are found.
};
} // namespace

static PanelTile getBoxTile(TransposeRowsOp op) {
  return PanelTile(op.getChannels(), op.getPositions(), 2);
}

Transposition::Transposition(TransposeRowsOp op, int64_t warps,
                             int64_t loadsAhead)
    : op(op), warps(warps), loadsAhead(loadsAhead),
      tile(op.getLines(), op.getChannels(), 2),
      panel(tile.getRows(), tile.getPanelColumns(), 2),
      boxRow(op.getDense() ? op.getPositions()
                           : getBoxTile(op).getPanelColumns()),
      groups(getGroups()), box(getFlatView(op.getBox())),
      window(getFlatView(op.getWindow())),
      thread(getThreadIndex(op->getParentOfType<gpu::GPUFuncOp>())) {}

/// A row of a tile of panels is a multiple of two chunks.
SmallVector<Transposition::Group> Transposition::getGroups() const {
  int64_t chunks = tile.getColumns() / kMatrix;
  SmallVector<Group> result;
  for (int64_t chunk = 0; chunk < chunks; chunk += result.back().matrices)
    result.push_back(
        {chunk, chunks - chunk >= kMostMatrices ? kMostMatrices : kHeld});
  return result;
}

/// What lies in front of the first row is left out where that is known, and
/// what lies behind the last one.
int64_t Transposition::getFirstUnit() {
  int64_t first = getConstantIntValue(op.getFirst()).value_or(0);
  return std::max<int64_t>(first, 0) / kMatrix;
}

int64_t Transposition::countUnits() {
  int64_t most = kMatrix - 1;
  int64_t first = getConstantIntValue(op.getFirst()).value_or(most);
  int64_t end = first + int64_t(op.getRows()) * op.getWidth();
  return std::min<int64_t>(
      op.getPositions() / kMatrix,
      llvm::divideCeil(std::max<int64_t>(end, 0), kMatrix));
}

/// Lanes give the rows of matrices: positions of a chunk. No two threads have
/// the same scratch, of which a lane has two chunks, four apart.
Value Transposition::getPlace(IndexMath &math, Value line, Value valid,
                              Group group) {
  int64_t perPanel = panel.getChunksPerRow(), lanes = group.matrices * kMatrix;
  Value chunk = math.add(math.div(math.rem(lane, lanes), kMatrix), group.chunk);
  Value place =
      math.add(math.sharedElement(panel, line, math.rem(chunk, perPanel)),
               math.mul(math.div(chunk, perPanel), tile.getPanelElements()));
  Value scratch = math.add(math.rem(own, kMostMatrices),
                           math.mul(math.div(own, kMostMatrices), kMatrix));
  scratch =
      math.add(math.mul(scratch, kMatrix), tile.getRows() * tile.getColumns());
  return math.select(valid, place, scratch);
}

/// Of a position of the window. What is in no phase is not valid.
Value Transposition::getLine(IndexMath &math, Value row, Value column,
                             Value &valid) {
  int64_t pitch = op.getPitch();
  if (!op.getStride())
    return math.add(math.mul(row, pitch), column);
  Value line = math.constant(0);
  auto add = [&](Value index, int d, int64_t distance) {
    int64_t stride = (*op.getStride())[d], phases = (*op.getPhases())[d];
    Value phase = math.rem(index, stride);
    if (phases < stride)
      valid = math.both(valid, math.isBelow(phase, phases));
    line = math.add(line, math.mul(phase, (*op.getPhaseLines())[d]));
    line = math.add(line, math.mul(math.div(index, stride), distance));
  };
  add(row, 0, pitch);
  add(column, 1, 1);
  return line;
}

/// Positions in front of the first one have large numbers.
void Transposition::findPlaces(IndexMath &math, Unit &unit) {
  int64_t rows = op.getRows(), width = op.getWidth();
  int64_t column = int64_t(op.getColumn()), pitch = op.getPitch();
  Value position = math.add(math.mul(warp, kMatrix), math.rem(lane, kMatrix));
  position = math.sub(math.add(position, unit.number * kMatrix), op.getFirst());
  Value valid = math.isBelow(position, rows * width);
  Value row = rows == 1 ? math.constant(0) : math.div(position, width);
  Value inRow = rows == 1 ? position : math.rem(position, width);
  inRow = math.add(inRow, column);
  int64_t columns = pitch * (op.getStride() ? (*op.getStride())[1] : 1);
  if (column < 0 || column + width > columns)
    valid = math.both(valid, math.isBelow(inRow, columns));
  row = math.add(row, op.getRow());
  Value line = getLine(math, row, inRow, valid);
  // A warp that has no unit in the last set loads one that it had before, and
  // writes it to scratch: a branch would be one more wait for loads.
  Value exists;
  if (int64_t all = countUnits(); unit.number + warps > all) {
    exists = math.isBelow(math.add(warp, unit.number), all);
    valid = math.both(valid, exists);
  }
  findFirst(math, unit, exists);
  // The second half of a line of eight chunks follows from the first.
  bool isLine = groups.size() == 2 && panel.getChunksPerRow() == kMatrix;
  for (Group group : ArrayRef(groups).take_front(isLine ? 1 : groups.size()))
    unit.places.push_back(getPlace(math, line, valid, group));
}

/// One row for each channel. In a panel, the same chunk of those of eight
/// channels is in different banks, and so it is in rows of an odd number of
/// chunks.
void Transposition::findFirst(IndexMath &math, Unit &unit, Value exists) {
  Value before =
      unit.number > getFirstUnit() ? math.add(warp, -warps) : math.constant(0);
  if (op.getDense()) {
    Value chunk = exists ? math.select(exists, warp, before) : warp;
    unit.first = math.add(math.mul(lane, boxRow), math.mul(chunk, kMatrix));
    unit.behind = unit.number * kMatrix;
    return;
  }
  PanelTile tile = getBoxTile(op);
  SharedTile panel(tile.getRows(), tile.getPanelColumns(), 2);
  int64_t perPanel = panel.getChunksPerRow();
  Value chunk = math.add(warp, unit.number);
  if (exists)
    chunk = math.select(exists, chunk, math.add(before, unit.number));
  unit.first =
      math.add(math.sharedElement(panel, lane, math.rem(chunk, perPanel)),
               math.mul(math.div(chunk, perPanel), tile.getPanelElements()));
}

void Transposition::load(IndexMath &math, Unit &unit) {
  Type type = op.getWindowType().getElementType();
  for (Group group : groups)
    unit.loaded.push_back(nvgpu::LdMatrixOp::create(
        math.getBuilder(), math.getLoc(),
        VectorType::get({group.matrices, kHeld}, type), box,
        math.add(unit.first, unit.behind + group.chunk * kMatrix * boxRow),
        /*transpose=*/true, group.matrices));
}

void Transposition::store(IndexMath &math, const Unit &unit) {
  OpBuilder &builder = math.getBuilder();
  Location loc = math.getLoc();
  for (auto [i, group] : llvm::enumerate(groups)) {
    SmallVector<Value> matrices;
    for (int64_t matrix = 0; matrix < group.matrices; ++matrix)
      matrices.push_back(
          vector::ExtractOp::create(builder, loc, unit.loaded[i], matrix));
    Value place = i < unit.places.size()
                      ? unit.places[i]
                      : math.bitXor(unit.places.front(),
                                    math.constant(group.chunk * kMatrix));
    StoreMatricesOp::create(builder, loc, matrices, window, place,
                            /*transposed=*/false);
  }
}

void Transposition::emit() {
  // Places are the same for all windows unless images begin anywhere.
  Operation *outer = op;
  if (getConstantIntValue(op.getFirst()))
    for (Operation *up = op; !isa<gpu::GPUFuncOp>(up); up = up->getParentOp())
      if (isa<scf::ForOp>(up))
        outer = up;
  OpBuilder before(outer), builder(op);
  IndexMath early(before, op.getLoc()), late(builder, op.getLoc());
  int64_t size = warps * conv::kWarpSize;
  own = getSharingIndex(early, thread, size);
  lane = early.rem(own, conv::kWarpSize);
  warp = early.div(own, conv::kWarpSize);
  SmallVector<Unit> units;
  for (int64_t number = getFirstUnit(); number < countUnits();
       number += warps) {
    units.push_back({});
    units.back().number = number;
    findPlaces(early, units.back());
  }
  MutableArrayRef<Unit> left(units);
  while (!left.empty()) {
    auto batch = left.take_front(
        std::max<int64_t>(loadsAhead / int64_t(groups.size()), 1));
    left = left.drop_front(batch.size());
    for (Unit &unit : batch)
      load(late, unit);
    for (Unit &unit : batch)
      store(late, unit);
  }
}

LogicalResult conv::lowerTransposition(TransposeRowsOp op) {
  FailureOr<int64_t> warps = getSharingWarps(op);
  if (failed(warps))
    return failure();
  MemRefType window = op.getWindowType();
  int64_t scratch = (window.getDimSize(0) - int64_t(op.getLines())) *
                    window.getDimSize(1) * 2;
  if (scratch < *warps * TransposeRowsOp::kScratchBytes)
    return op.emitOpError() << "of " << *warps << " warps needs "
                            << *warps * TransposeRowsOp::kScratchBytes
                            << " bytes of scratch, but has " << scratch;
  FailureOr<int64_t> loads = getLoadsAhead(op);
  if (failed(loads))
    return failure();
  Transposition(op, *warps, *loads).emit();
  op.erase();
  return success();
}
