//===- UnalignedRows.cpp - results that TMA cannot store ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnalignedRows.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::kChunkBytes;
using convmlir::SharedTile;

static constexpr int64_t kWordBytes = 4;
static constexpr int64_t kWords = kChunkBytes / kWordBytes;

UnalignedRows::UnalignedRows(ScatterOp op, TileDistribution &distribution,
                             const convmlir::PanelTile &part)
    : op(op), elementType(op.getDestType().getElementType()),
      elementBytes(elementType.getIntOrFloatBitWidth() / 8), part(part),
      view(ViewTile(op), op.getTensorShape(), distribution.layout.getTileM(),
           distribution.layout.getTapColumns()) {}

int64_t UnalignedRows::getGroupChannels(ScatterOp op) {
  return op.getDestType().getShape().back() / op.getView().getGroups();
}

//===----------------------------------------------------------------------===//
// From shared memory
//===----------------------------------------------------------------------===//

/// The words of a chunk of a row of the part.
SmallVector<Value> UnalignedRows::loadStaged(IndexMath &math, Value row,
                                             Value chunk) {
  OpBuilder &builder = math.getBuilder();
  Location loc = math.getLoc();
  SharedTile panel(part.getRows(), part.getPanelColumns(), elementBytes);
  int64_t perPanel = panel.getChunksPerRow();
  Value element =
      math.add(math.mul(math.div(chunk, perPanel), part.getPanelElements()),
               math.sharedElement(panel, row, math.rem(chunk, perPanel)));
  Value loaded = vector::LoadOp::create(
      builder, loc, VectorType::get(getChunkElements(), elementType), staged,
      element, /*nontemporal=*/false, llvm::MaybeAlign(kChunkBytes));
  Value words = vector::BitCastOp::create(
      builder, loc, VectorType::get(kWords, builder.getI32Type()), loaded);
  SmallVector<Value> result;
  for (int64_t i = 0; i < kWords; ++i)
    result.push_back(vector::ExtractOp::create(builder, loc, words, i));
  return result;
}

/// The words of chunk `number` of those of memory that the row overlaps: 16
/// bytes of two staged chunks, from where the row's shift says on. Of what lies
/// outside of the part, and is not stored, any words.
SmallVector<Value> UnalignedRows::loadShifted(IndexMath &math, const Row &row,
                                              Value number) {
  OpBuilder &builder = math.getBuilder();
  Location loc = math.getLoc();
  int64_t last = getMostChunks() - 2, unit = getUnit() * elementBytes;
  Value second =
      arith::MinUIOp::create(builder, loc, number, math.constant(last));
  if (unit == kChunkBytes)
    return loadStaged(math, row.number, second);
  Value isFirst = math.isBelow(number, 1);
  Value first = math.select(isFirst, number, math.add(number, -1));
  SmallVector<Value> words = loadStaged(math, row.number, first);
  llvm::append_range(words, loadStaged(math, row.number, second));
  // From 1 to 16 bytes on: bit by bit, as far as rows are not aligned.
  Value from = arith::SubIOp::create(builder, loc, math.constant32(kChunkBytes),
                                     row.shift);
  for (int64_t bytes = kChunkBytes; bytes >= std::max(unit, kWordBytes);
       bytes /= 2) {
    Value isMoved = math.hasCommonBit(from, math.constant32(bytes));
    int64_t distance = bytes / kWordBytes;
    for (int64_t i = 0; i + distance < int64_t(words.size()); ++i)
      words[i] = math.select(isMoved, words[i + distance], words[i]);
  }
  if (unit < kWordBytes) {
    Value bits =
        math.shiftLeft(arith::AndIOp::create(builder, loc, from,
                                             math.constant32(kWordBytes - 1)),
                       math.constant32(/*log2 of the bits of a byte=*/3));
    for (int64_t i = 0; i < kWords; ++i)
      words[i] =
          LLVM::FshrOp::create(builder, loc, words[i + 1], words[i], bits);
  }
  words.truncate(kWords);
  return words;
}

//===----------------------------------------------------------------------===//
// To the tensor
//===----------------------------------------------------------------------===//

int64_t UnalignedRows::getUnit() const {
  return view.getAlignment(getChunkElements());
}

/// Columns of the part that the matrix has, at least 0.
Value UnalignedRows::countColumns(IndexMath &math, Value firstColumn) {
  Value columns = math.constant(part.getColumns());
  if (!view.testsColumns())
    return columns;
  OpBuilder &builder = math.getBuilder();
  Location loc = math.getLoc();
  Value left = math.sub(math.constant(getGroupChannels(op)),
                        math.add(origin.channel, firstColumn));
  left = arith::MaxSIOp::create(builder, loc, left, math.constant(0));
  return arith::MinSIOp::create(builder, loc, left, columns);
}

/// A whole chunk, or the pieces of it that are the row's.
void UnalignedRows::storeChunk(IndexMath &math, const Row &row, Value number,
                               ArrayRef<Value> words) {
  OpBuilder &builder = math.getBuilder();
  Location loc = math.getLoc();
  int64_t perChunk = getChunkElements(), unit = getUnit();
  Value shift = math.rem(row.element, perChunk);
  Value begin = math.sub(math.mul(number, perChunk), shift);
  Value element = math.add(row.element, begin);
  Value chunk = vector::BitCastOp::create(
      builder, loc, VectorType::get(perChunk, elementType),
      vector::FromElementsOp::create(
          builder, loc, VectorType::get(kWords, builder.getI32Type()), words));
  auto storePart = [&](Value part, Value where, int64_t elements) {
    vector::StoreOp::create(builder, loc, part, flatDest, where,
                            /*nontemporal=*/false,
                            llvm::MaybeAlign(elements * elementBytes));
  };
  auto storePieces = [&] {
    for (int64_t i = 0; i < perChunk; i += unit)
      math.guard(math.isBelow(math.add(begin, i), columns), [&] {
        storePart(vector::ExtractStridedSliceOp::create(builder, loc, chunk, i,
                                                        unit, /*strides=*/1),
                  math.add(element, i), unit);
      });
  };
  // Below zero where the part has no whole chunk: none begins there.
  Value ends = arith::MaxSIOp::create(
      builder, loc, math.add(columns, 1 - perChunk), math.constant(0));
  Value isWhole = math.isBelow(begin, ends);
  auto branch = scf::IfOp::create(builder, loc, isWhole,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  storePart(chunk, element, perChunk);
  builder.setInsertionPointToStart(branch.elseBlock());
  storePieces();
}

/// Chunks are shared out in the order of memory. A thread loads a few of them
/// before it stores the first.
void UnalignedRows::store(OpBuilder &builder, Value staged, Value flatDest,
                          Value thread, int64_t numThreads, Value firstRow,
                          Value firstColumn) {
  Location loc = op.getLoc();
  IndexMath math(builder, loc);
  this->staged = staged;
  this->flatDest = flatDest;
  origin = view.getOrigin(math);
  columns = countColumns(math, firstColumn);
  constexpr int64_t together = 4;
  int64_t perRow = getMostChunks(), total = part.getRows() * perRow;
  int64_t step = numThreads * together;
  OpBuilder::InsertionGuard guard(builder);
  auto loop = scf::ForOp::create(builder, loc, math.constant(0),
                                 math.constant(llvm::alignTo(total, step)),
                                 math.constant(step));
  builder.setInsertionPointToStart(loop.getBody());
  struct Held {
    Row row;
    Value number, exists;
    SmallVector<Value> words;
  };
  SmallVector<Held> held;
  for (int64_t i = 0; i < together; ++i) {
    Value index =
        math.add(math.add(loop.getInductionVar(), thread), i * numThreads);
    Value exists = total % step == 0 ? Value() : math.isBelow(index, total);
    index = math.select(exists, index, math.constant(0));
    Row row;
    row.number = math.div(index, perRow);
    Value number = math.rem(index, perRow);
    auto position = view.getRow(math, math.add(firstRow, row.number));
    row.element = view.getElement(math, position, origin, firstColumn);
    row.shift = math.toInt32(
        math.mul(math.rem(row.element, getChunkElements()), elementBytes));
    SmallVector<Value> words = loadShifted(math, row, number);
    held.push_back({row, number,
                    math.both(exists, view.isInside(math, position, origin)),
                    std::move(words)});
  }
  for (const Held &chunk : held)
    math.guard(chunk.exists,
               [&] { storeChunk(math, chunk.row, chunk.number, chunk.words); });
}
