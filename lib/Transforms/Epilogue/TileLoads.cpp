//===- TileLoads.cpp - operands of the epilogue from global memory --------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row along gemm-n (a bias) and a tile (a residual), from shared memory or
// through a view, are loaded in the layout of the accumulator. What lies
// outside is loaded from element 0 and replaced, so that no branch stands
// between a thread's loads.
//
//===----------------------------------------------------------------------===//

#include "Support/TileChunks.h"
#include "Support/ViewAddressing.h"
#include "TensorCores/TileDistribution.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::SharedTile;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// An element of the row, or the padding past its end.
static Value loadElement(IndexMath &math, vector::TransferReadOp op,
                         Value index) {
  auto type = cast<MemRefType>(op.getBase().getType());
  Value valid =
      op.isDimInBounds(0) ? Value() : math.isBelow(index, type.getDimSize(0));
  Value loaded =
      memref::LoadOp::create(math.getBuilder(), math.getLoc(), op.getBase(),
                             math.select(valid, index, math.constant(0)));
  return math.select(valid, loaded, op.getPadding());
}

/// Of a row in memory, `fragments` ones with `held` elements each, which lie at
/// `origin` and the distance that getOffset(fragment, element) says.
static LogicalResult
readRow(vector::TransferReadOp op, TileDistribution &distribution, Value origin,
        int64_t fragments, int64_t held,
        llvm::function_ref<int64_t(int64_t, int64_t)> getOffset) {
  auto type = dyn_cast<MemRefType>(op.getBase().getType());
  if (!type || type.getRank() != 1 || !type.hasStaticShape() || op.getMask())
    return op.emitOpError("must read an unmasked row of a static 1-D memref");
  OpBuilder builder(op);
  IndexMath math(builder, op.getLoc());
  VectorType fragmentType = distribution.getFragmentType(op.getVectorType());
  Value first = math.add(op.getIndices().front(), origin);
  SmallVector<Value> result;
  for (int64_t fragment = 0; fragment < fragments; ++fragment) {
    SmallVector<Value> elements;
    for (int64_t i = 0; i < held; ++i)
      elements.push_back(
          loadElement(math, op, math.add(first, getOffset(fragment, i))));
    result.push_back(vector::FromElementsOp::create(builder, op.getLoc(),
                                                    fragmentType, elements));
  }
  distribution.setFragments(op, result);
  return success();
}

LogicalResult mlir::conv::distributeRowRead(vector::TransferReadOp op,
                                            TileDistribution &distribution) {
  const FragmentLayout &layout = distribution.layout;
  if (layout.isSwapped())
    return readRow(
        op, distribution, distribution.origin.column, layout.getBlocksM(),
        FragmentLayout::kHeldM,
        [&](int64_t m, int64_t i) { return layout.getFilterOffset(m, i); });
  return readRow(
      op, distribution, distribution.origin.column, layout.getBlocksOfColumns(),
      FragmentLayout::kHeldN,
      [&](int64_t n, int64_t j) { return layout.getColumnOffset(n) + j; });
}

LogicalResult mlir::conv::distributeColumnRead(vector::TransferReadOp op,
                                               TileDistribution &distribution) {
  const FragmentLayout &layout = distribution.layout;
  if (layout.isSwapped())
    return op.emitOpError("of a value for each position has no form where "
                          "positions are the columns of wgmma");
  return readRow(op, distribution, distribution.origin.row, layout.getBlocksM(),
                 FragmentLayout::kHeldM, [&](int64_t m, int64_t i) {
                   return layout.getRowOffset(m, i);
                 });
}

//===----------------------------------------------------------------------===//
// Tiles in shared memory
//===----------------------------------------------------------------------===//

SmallVector<Value> mlir::conv::loadSharedTile(OpBuilder &builder, Location loc,
                                              Value memref,
                                              TileDistribution &distribution) {
  auto type = cast<MemRefType>(memref.getType());
  IndexMath math(builder, loc);
  const FragmentLayout &layout = distribution.layout;
  SharedTile tile = getSharedTile(type, distribution.schedule);
  VectorType columnsType = layout.getColumnsType(type.getElementType());
  Value flat = getFlatView(memref);
  SmallVector<Value> result(layout.getNumBlocks());
  for (int64_t n = 0; n < layout.getBlocksN(); ++n) {
    Value first = distribution.getSharedElement(math, tile, n);
    for (int64_t m = 0; m < layout.getBlocksM(); ++m) {
      Value block = arith::ConstantOp::create(
          builder, loc,
          builder.getZeroAttr(layout.getBlockType(type.getElementType())));
      for (int64_t i = 0; i < FragmentLayout::kHeldM; ++i) {
        int64_t distance = layout.getRowOffset(m, i) * tile.getColumns();
        Value held = vector::LoadOp::create(
            builder, loc, columnsType, flat, math.add(first, distance),
            /*nontemporal=*/false,
            llvm::MaybeAlign(columnsType.getNumElements() *
                             type.getElementTypeBitWidth() / 8));
        block = vector::InsertOp::create(builder, loc, held, block, i);
      }
      result[layout.getBlock(m, n)] = block;
    }
  }
  return result;
}

LogicalResult mlir::conv::distributeSharedRead(vector::TransferReadOp op,
                                               TileDistribution &distribution) {
  auto type = dyn_cast<MemRefType>(op.getBase().getType());
  auto isZero = [](Value index) { return isConstantIntValue(index, 0); };
  if (!type || !gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type) ||
      type.getShape() != op.getVectorType().getShape() ||
      !llvm::all_of(op.getIndices(), isZero) || distribution.layout.isSwapped())
    return op.emitOpError("must read a whole tile of workgroup memory, whose "
                          "positions are the rows of the instruction");
  OpBuilder builder(op);
  distribution.setFragments(
      op, loadSharedTile(builder, op.getLoc(), op.getBase(), distribution));
  return success();
}

//===----------------------------------------------------------------------===//
// Tiles in global memory
//===----------------------------------------------------------------------===//

namespace {

/// A tile of a view, while its fragments are loaded.
class TileReader {
public:
  TileReader(Im2colOp op, TileDistribution &distribution);
  SmallVector<Value> read();

private:
  SmallVector<Value> readTransposed();
  /// An element of a row; zero outside.
  Value readElement(const ViewAddressing::Position &row, Value column);
  /// The thread's elements of eight columns in one row.
  Value readColumns(const ViewAddressing::Position &row, int64_t blockN);

  Im2colOp op;
  const FragmentLayout &layout;
  Value distributionThread; ///< Among those that divide a tile.
  FragmentLayout::Origin thread;
  OpBuilder builder;
  IndexMath math;
  ViewAddressing view;
  VectorType columnsType;
  Value flatSource;
  SmallVector<ViewAddressing::Origin> origins; ///< Of the thread's taps.
};

} // namespace

TileReader::TileReader(Im2colOp op, TileDistribution &distribution)
    : op(op), layout(distribution.layout),
      distributionThread(distribution.thread), thread(distribution.origin),
      builder(op), math(builder, op.getLoc()),
      view(ViewTile(op), op.getSourceType().getShape(), layout.getTileM(),
           layout.getTapColumns()),
      columnsType(layout.getColumnsType(op.getSourceType().getElementType())),
      flatSource(getFlatView(op.getSource())),
      origins(view.getOrigins(math, thread.tap, layout.getNumTaps())) {}

Value TileReader::readColumns(const ViewAddressing::Position &row,
                              int64_t blockN) {
  Location loc = op.getLoc();
  const ViewAddressing::Origin &origin = origins[layout.getTapOffset(blockN)];
  Value inside = view.isInside(math, row, origin);
  int64_t held = FragmentLayout::kHeldN, piece = view.getAlignment(held);
  int64_t bytes = piece * columnsType.getElementTypeBitWidth() / 8;
  auto pieceType = VectorType::get(piece, columnsType.getElementType());
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(pieceType));
  Value result =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(columnsType));
  Value element = math.add(row.element, origin.increment);
  for (int64_t j = 0; j < held; j += piece) {
    Value column = math.add(thread.column, layout.getColumnOffset(blockN) + j);
    Value valid = math.both(inside, view.isColumnInside(math, origin, column));

    Value index =
        math.select(valid, math.add(element, column), math.constant(0));
    Value loaded =
        vector::LoadOp::create(builder, loc, pieceType, flatSource, index,
                               /*nontemporal=*/false, llvm::MaybeAlign(bytes));
    loaded = math.select(valid, loaded, zero);
    result = vector::InsertStridedSliceOp::create(builder, loc, loaded, result,
                                                  /*offsets=*/j, /*strides=*/1);
  }
  return result;
}

Value TileReader::readElement(const ViewAddressing::Position &row,
                              Value column) {
  Location loc = op.getLoc();
  const ViewAddressing::Origin &origin = origins.front();
  Value valid = math.both(view.isInside(math, row, origin),
                          view.isColumnInside(math, origin, column));
  Value element = math.add(math.add(row.element, origin.increment), column);
  Value loaded = memref::LoadOp::create(
      builder, loc, flatSource, math.select(valid, element, math.constant(0)));
  return math.select(valid, loaded,
                     arith::ConstantOp::create(
                         builder, loc, builder.getZeroAttr(loaded.getType())));
}

/// In the layout of a transposed accumulator, one by one. Lines of padding read
/// any row.
SmallVector<Value> TileReader::readTransposed() {
  static constexpr int64_t heldM = FragmentLayout::kHeldM,
                           heldN = FragmentLayout::kHeldN;
  auto blockType = layout.getBlockType(columnsType.getElementType());
  Value lane = math.rem(distributionThread, kWarpSize);
  Value firstLine =
      math.mul(math.rem(lane, FragmentLayout::kBlockN / heldN), heldN);
  SmallVector<Value> result(layout.getNumBlocks());
  for (int64_t n = 0; n < layout.getBlocksN(); ++n) {
    SmallVector<ViewAddressing::Position> rows;
    for (int64_t j = 0; j < heldN; ++j) {
      FragmentLayout::Position line = layout.getPosition(
          math, math.add(firstLine, n * FragmentLayout::kBlockN + j));
      Value position =
          math.select(line.exists, line.position, math.constant(0));
      rows.push_back(view.getRow(math, math.add(thread.row, position)));
    }
    for (int64_t m = 0; m < layout.getBlocksM(); ++m) {
      SmallVector<Value> elements;
      for (int64_t i = 0; i < heldM; ++i)
        for (int64_t j = 0; j < heldN; ++j)
          elements.push_back(readElement(
              rows[j], math.add(thread.column, layout.getFilterOffset(m, i))));
      result[layout.getBlock(m, n)] = vector::FromElementsOp::create(
          builder, op.getLoc(), blockType, elements);
    }
  }
  return result;
}

SmallVector<Value> TileReader::read() {
  if (layout.isSwapped())
    return readTransposed();
  SmallVector<Value> result(layout.getNumBlocks());
  auto blockType = layout.getBlockType(columnsType.getElementType());
  Value zero = arith::ConstantOp::create(builder, op.getLoc(),
                                         builder.getZeroAttr(blockType));
  for (int64_t m = 0; m < layout.getBlocksM(); ++m) {
    for (int64_t i = 0; i < FragmentLayout::kHeldM; ++i) {
      auto row =
          view.getRow(math, math.add(thread.row, layout.getRowOffset(m, i)));
      for (int64_t n = 0; n < layout.getBlocksN(); ++n) {
        Value &block = result[layout.getBlock(m, n)];
        block = vector::InsertOp::create(
            builder, op.getLoc(), readColumns(row, n), block ? block : zero, i);
      }
    }
  }
  return result;
}

LogicalResult mlir::conv::distributeTileRead(Im2colOp op,
                                             TileDistribution &distribution) {
  if (!cast<MemRefType>(op.getSource().getType()).getLayout().isIdentity())
    return op.emitOpError()
           << "source must be dense, but is " << op.getSource().getType();
  distribution.setFragments(op.getResult(),
                            TileReader(op, distribution).read());
  return success();
}
