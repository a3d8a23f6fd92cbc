//===- LowerTileCopies.cpp - copies of tiles to gathers of threads --------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-lower-tile-copies. Input: F6, `conv.im2col` from global memory into
// tiles of workgroup memory, and `engine.gather_box`. Output: what one thread
// copies.
//
// `conv.im2col` with a vector result, an operand of the epilogue, becomes such
// a copy too where the plan of its kernel says `staged`. Otherwise it stays;
// conv-map-to-mma-sync loads it in fragments.
//
//===----------------------------------------------------------------------===//

#include "conv/Transforms/Copies/Passes.h"

#include "DeskewRows.h"
#include "EpilogueReads.h"
#include "Gathers.h"
#include "JoinImages.h"
#include "Pieces.h"
#include "Ring/RawWindows.h"
#include "Support/TileChunks.h"
#include "Support/ViewAddressing.h"
#include "conv/Chip/Chip.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Schedule/Shape/Accesses.h"
#include "conv/Schedule/Shape/TensorBytes.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVLOWERTILECOPIES
#include "conv/Transforms/Copies/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;
using convmlir::SharedTile;

namespace {

/// One `conv.im2col` into shared memory, while it is lowered.
class TileCopy {
public:
  TileCopy(Im2colOp op, gpu::GPUFuncOp func);
  LogicalResult verify();
  void lower();

private:
  /// A chunk, and what is known of its row before tap and channel are.
  struct Source {
    TileChunk chunk;
    ViewAddressing::Position row;
    int64_t distance = 0; ///< Elements from row.element.
  };
  int64_t getPieceBytes() const {
    return pieceElements * getElementBytes(destType);
  }
  void prepareRows();
  void copyChunk(OpBuilder &builder, const Source &source);
  void copyAsync(IndexMath &math, const Source &source);
  void copyThroughRegisters(IndexMath &math, const Source &source);
  Value isPieceInside(IndexMath &math, const Source &source, int64_t piece);
  Value getElement(IndexMath &math, const Source &source, int64_t piece);

  Im2colOp op;
  gpu::GPUFuncOp func;
  MemRefType destType;
  SharedTile tile;
  ViewAddressing view;
  int64_t pieceElements; ///< Elements that are copied at once.
  SmallVector<Source> sources;
  Value flatSource, flatDest;
  ViewAddressing::Origin origin;
};

} // namespace

static void addChanging(ChangingOffsets &changing, Im2colOp copy) {
  auto isInLoop = [](OpFoldResult offset) {
    auto value = dyn_cast<Value>(offset);
    return value && isa<scf::ForOp>(value.getParentBlock()->getParentOp());
  };
  SmallVector<OpFoldResult> offsets = copy.getMixedOffsets();
  changing.row |= isInLoop(copy.getRowOffset());
  changing.tap |= isInLoop(offsets[copy.getView().getTapDim()]);
  changing.channel |= isInLoop(offsets.back());
  changing.rowGroup |=
      copy.getView().getRowGroups() > 1 && isInLoop(offsets.front());
}

/// The copies into a ring in the loop and in front of it differ in the block
/// only. What depends on that is found inside the loop.
static ChangingOffsets findChangingOffsets(Im2colOp op) {
  ChangingOffsets changing;
  addChanging(changing, op);
  auto slot = op.getDest().getDefiningOp<memref::SubViewOp>();
  if (!slot)
    return changing;
  for (Operation *other : slot.getSource().getUsers())
    for (Operation *user : other->getUsers())
      if (auto copy = dyn_cast<Im2colOp>(user))
        addChanging(changing, copy);
  return changing;
}

TileCopy::TileCopy(Im2colOp op, gpu::GPUFuncOp func)
    : op(op), func(func), destType(cast<MemRefType>(op.getDest().getType())),
      tile(getSharedTile(destType, findSchedule(func))),
      view(ViewTile(op), op.getSourceType().getShape(), tile.getRows(),
           tile.getColumns(), findChangingOffsets(op)),
      pieceElements(view.getAlignment(tile.getElementsPerChunk())) {}

LogicalResult TileCopy::verify() {
  if (!op.getAsync() || getPieceBytes() >= kLeastAsyncBytes)
    return success();
  return op.emitOpError() << "copies " << kLeastAsyncBytes
                          << " bytes or more where it is async, but its rows "
                             "are aligned to "
                          << getPieceBytes();
}

/// The later of two values, either of which may be null.
static Value getLater(Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return DominanceInfo().properlyDominates(a, b.getDefiningOp()) ? b : a;
}

/// What does not change in the loop is computed once, in front of it.
void TileCopy::prepareRows() {
  OpBuilder builder(op);
  Value thread = getThreadIndex(func);
  // The thread's index comes before all but the kernel's arguments.
  auto known = dyn_cast<Value>(op.getRowOffset());
  if (known && isa<BlockArgument>(known) &&
      known.getParentBlock() == &func.front())
    known = Value();
  known = getLater(known, op.getPhase());
  setInsertionPointAfter(builder, known ? known : thread);
  IndexMath math(builder, op.getLoc());

  ScheduleAttr schedule = findSchedule(func);
  for (const TileChunk &chunk : getThreadChunks(
           math, tile, thread, getNumThreads(func),
           schedule ? schedule.getReading() : ReadingKind::Cyclic)) {
    Source source = {chunk, view.getRow(math, chunk.row)};
    source.row.element = math.add(source.row.element, chunk.column);
    // One address and constants, where rows are evenly spaced.
    if (chunk.rowsBelowFirst && view.isLinearInRows()) {
      source.row.element = sources.front().row.element;
      source.distance = *chunk.rowsBelowFirst * view.getRowPitch();
    }
    sources.push_back(source);
  }
}

void TileCopy::lower() {
  flatSource = getFlatView(op.getSource());
  flatDest = getFlatView(op.getDest());
  prepareRows();
  OpBuilder builder(op);
  IndexMath math(builder, op.getLoc());
  origin = view.getOrigin(math);

  for (const Source &source : sources)
    copyChunk(builder, source);
  op.erase();
}

void TileCopy::copyChunk(OpBuilder &builder, const Source &source) {
  OpBuilder::InsertionGuard guard(builder);
  if (source.chunk.exists) {
    auto branch = scf::IfOp::create(builder, op.getLoc(), source.chunk.exists,
                                    /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  IndexMath math(builder, op.getLoc());
  if (op.getAsync())
    copyAsync(math, source);
  else
    copyThroughRegisters(math, source);
}

/// True where the piece that starts at this column of the chunk is inside the
/// tensor and its channel inside the group; null: always.
Value TileCopy::isPieceInside(IndexMath &math, const Source &source,
                              int64_t piece) {
  return view.isElementInside(math, source.row, origin,
                              math.add(source.chunk.column, piece));
}

/// The constants come last, where they become part of the access.
Value TileCopy::getElement(IndexMath &math, const Source &source,
                           int64_t piece) {
  return math.add(math.add(source.row.element, origin.increment),
                  source.distance + piece);
}

void TileCopy::copyAsync(IndexMath &math, const Source &source) {
  OpBuilder &builder = math.getBuilder();
  bool bypassL1 = getPieceBytes() == convmlir::kChunkBytes;
  for (int64_t piece = 0; piece < tile.getElementsPerChunk();
       piece += pieceElements) {
    Value valid = isPieceInside(math, source, piece);
    Value count;
    if (valid)
      count =
          math.select(valid, math.constant(pieceElements), math.constant(0));

    nvgpu::DeviceAsyncCopyOp::create(
        builder, op.getLoc(), nvgpu::DeviceAsyncTokenType::get(op.getContext()),
        flatDest, math.add(source.chunk.shared, piece), flatSource,
        getElement(math, source, piece), builder.getIndexAttr(pieceElements),
        count, bypassL1 ? builder.getUnitAttr() : nullptr);
  }
}

/// A piece outside is loaded from the first element of the tensor and replaced
/// by zero: no branch stands between the loads of a thread.
void TileCopy::copyThroughRegisters(IndexMath &math, const Source &source) {
  OpBuilder &builder = math.getBuilder();
  Location loc = op.getLoc();
  Type elementType = destType.getElementType();
  auto pieceType = VectorType::get(pieceElements, elementType);
  auto chunkType = VectorType::get(tile.getElementsPerChunk(), elementType);
  Value zeroPiece =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(pieceType));
  Value chunk =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(chunkType));
  int64_t bytes = getPieceBytes();
  for (int64_t piece = 0; piece < tile.getElementsPerChunk();
       piece += pieceElements) {
    Value valid = isPieceInside(math, source, piece);
    Value index =
        math.select(valid, getElement(math, source, piece), math.constant(0));
    Value loaded =
        vector::LoadOp::create(builder, loc, pieceType, flatSource, index,
                               /*nontemporal=*/false, llvm::MaybeAlign(bytes));
    loaded = math.select(valid, loaded, zeroPiece);
    chunk = vector::InsertStridedSliceOp::create(
        builder, loc, loaded, chunk, /*offsets=*/piece, /*strides=*/1);
  }
  vector::StoreOp::create(builder, loc, chunk, flatDest, source.chunk.shared,
                          /*nontemporal=*/false,
                          llvm::MaybeAlign(convmlir::kChunkBytes));
}

//===----------------------------------------------------------------------===//
// Operands of the epilogue
//===----------------------------------------------------------------------===//

/// Those of a module that are staged, as the plans of their kernels say.
static FailureOr<DenseSet<Operation *>>
findStagedReads(gpu::GPUModuleOp module) {
  DenseSet<Operation *> staged;
  for (auto func : module.getOps<gpu::GPUFuncOp>()) {
    SmallVector<Im2colOp> reads = getEpilogueReads(func);
    auto ways = getPlannedReads(func, reads);
    if (failed(ways))
      return failure();
    for (auto [read, way] : llvm::zip_equal(reads, *ways)) {
      if (way != EpilogueRead::Staged)
        continue;
      if (std::string why = whyNotStagedRead(read); !why.empty())
        return read.emitOpError("cannot be staged: ") << why;
      staged.insert(read);
    }
  }
  return staged;
}

/// Lets a tile of the epilogue come through shared memory; returns the copy.
static Im2colOp stageRead(Im2colOp read, bool isAsync) {
  OpBuilder builder(read);
  Location loc = read.getLoc();
  ShapedType type = read.getMatrixType();
  auto space = gpu::AddressSpaceAttr::get(read.getContext(),
                                          gpu::AddressSpace::Workgroup);
  releaseOperandMemory(builder, loc);
  Value tile = memref::AllocOp::create(
      builder, loc,
      MemRefType::get(type.getShape(), type.getElementType(),
                      MemRefLayoutAttrInterface(), space));
  auto copy = Im2colOp::create(builder, loc, TypeRange(), read.getSource(),
                               read.getOffsets(), tile, read.getPhase(),
                               read.getViews(),
                               isAsync ? builder.getUnitAttr() : UnitAttr());
  if (isAsync) {
    NVVM::CpAsyncCommitGroupOp::create(builder, loc);
    NVVM::CpAsyncWaitGroupOp::create(builder, loc, 0);
  }
  gpu::BarrierOp::create(builder, loc);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value padding = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  Value vector = vector::TransferReadOp::create(
      builder, loc, cast<VectorType>(type), tile, ValueRange{zero, zero},
      padding, ArrayRef<bool>{true, true});
  read.getResult().replaceAllUsesWith(vector);
  read.erase();
  return copy;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The reasons why a copy cannot be lowered.
static LogicalResult verifyCopy(Im2colOp op, gpu::GPUFuncOp func) {
  auto dest = cast<MemRefType>(op.getDest().getType());
  if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(dest))
    return op.emitOpError() << "can only copy into workgroup memory in a "
                               "kernel, but its destination is "
                            << dest;
  if (dest.getRank() != 2)
    return op.emitOpError()
           << "must copy a tile of two dimensions (rows, channels), but its "
              "destination is "
           << dest;
  if (!dest.hasStaticShape() || dest.getNumElements() == 0)
    return op.emitOpError() << "must copy a tile of a static shape that is not "
                               "empty, but its destination is "
                            << dest;
  if (!dest.areTrailingDimsContiguous(2))
    return op.emitOpError() << "destination must be dense, but is " << dest;
  int64_t bits = dest.getElementTypeBitWidth();
  int64_t mostBytes = convmlir::getMostSharedPerBlock();
  if (int64_t bytes = dest.getNumElements() * bits / 8; bytes > mostBytes)
    return op.emitOpError() << "must copy a tile of at most " << mostBytes
                            << " bytes, but its destination has " << bytes;
  if (bits % 8 != 0 || bits > 64)
    return op.emitOpError()
           << "cannot copy elements of type " << dest.getElementType();
  if (!SharedTile::isPossible(dest.getDimSize(1), bits / 8))
    return op.emitOpError() << "rows of a shared tile must be a multiple of "
                            << convmlir::kChunkBytes << " bytes, but are "
                            << dest.getDimSize(1) * bits / 8;
  if (!cast<MemRefType>(op.getSource().getType()).getLayout().isIdentity())
    return op.emitOpError()
           << "source must be dense, but is " << op.getSource().getType();
  if (getNumThreads(func) == 0)
    return op.emitOpError("needs a kernel whose 'known_block_size' is set");
  ArrayRef<int32_t> block = *func.getKnownBlockSize();
  for (int32_t threads : block)
    if (threads < 0)
      return op.emitOpError() << "needs a kernel whose 'known_block_size' is "
                                 "positive, but it has "
                              << threads;
  return success();
}

namespace {
struct LowerTileCopies : conv::impl::ConvLowerTileCopiesBase<LowerTileCopies> {
  void runOnOperation() override {
    auto staged = findStagedReads(getOperation());
    if (failed(staged))
      return signalPassFailure();
    SmallVector<Im2colOp> copies;
    SmallVector<GatherBoxOp> boxes;
    getOperation().walk([&](Im2colOp op) { copies.push_back(op); });
    getOperation().walk([&](GatherBoxOp op) { boxes.push_back(op); });
    SmallVector<TransposeRowsOp> rows;
    getOperation().walk([&](TransposeRowsOp op) { rows.push_back(op); });
    for (GatherBoxOp op : boxes)
      if (failed(lowerGather(op)))
        return signalPassFailure();
    for (TransposeRowsOp op : rows)
      if (failed(lowerTransposition(op)))
        return signalPassFailure();
    SmallVector<DeskewRowsOp> skewed;
    getOperation().walk([&](DeskewRowsOp op) { skewed.push_back(op); });
    for (DeskewRowsOp op : skewed)
      if (failed(lowerDeskewing(op)))
        return signalPassFailure();
    SmallVector<JoinImagesOp> images;
    getOperation().walk([&](JoinImagesOp op) { images.push_back(op); });
    for (JoinImagesOp op : images)
      if (failed(lowerJoin(op)))
        return signalPassFailure();
    for (Im2colOp op : copies) {
      auto func = op->getParentOfType<gpu::GPUFuncOp>();
      if (op.getChannelsFirst()) {
        if (failed(op.getTransposed() ? lowerPieces(op) : lowerGather(op)))
          return signalPassFailure();
        continue;
      }
      if (!op.getDest()) {
        if (!staged->contains(op))
          continue;
        op = stageRead(op, copiesAsync(func));
      }

      if (failed(verifyCopy(op, func)))
        return signalPassFailure();
      TileCopy copy(op, func);
      if (failed(copy.verify()))
        return signalPassFailure();
      copy.lower();
    }
  }
};
} // namespace
